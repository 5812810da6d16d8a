//! INITs for an existing association that arrive through another UDP port.

use sheave_wire::Cause;

use super::Endpoint;
use crate::RestartPorts;
use crate::assoc::Incoming;

impl Endpoint {
    /// Checks the UDP port of an INIT whose sender already has an association. The tag of an INIT
    /// is 0, so nothing proves that the port belongs to the peer
    /// (draft-tuexen-tsvwg-sctp-udp-encaps-cons-03 §4).
    pub(super) fn new_port(&self, index: usize, incoming: &Incoming<'_>) -> Option<Cause<'static>> {
        let tcb = self.registry.tcb(index);
        if tcb.options.restart_ports == RestartPorts::Any {
            return None;
        }
        let from = incoming.remote;
        let path = tcb.paths.iter().find(|path| path.remote.ip == from.ip)?;
        let (current, new) = (path.remote.encapsulation, from.encapsulation);
        (current != new).then(|| Cause::RestartWithNewEncapsulationPort {
            current: current.unwrap_or(0),
            new: new.unwrap_or(0),
        })
    }
}
