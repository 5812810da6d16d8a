use core::net::IpAddr;

use super::Endpoint;
use crate::Time;

/// A notice from a node on the way that its next link damaged or lost a packet of ours: the MAC
/// error warning of Wang, Yang and Sun (2005), as the paper "chunk checksum" tells of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorWarning<'a> {
    /// The destination of the packet that is quoted.
    pub remote: IpAddr,
    /// The beginning of the SCTP packet that is quoted, from its common header on, as it was before
    /// the link had it; the UDP header of an encapsulated one left out.
    pub quoted: &'a [u8],
}

impl Endpoint {
    /// Takes in a warning. Those of the packet's chunks that are quoted as far as their TSN, and
    /// are in flight, are sent again at once; no window changes.
    ///
    /// It counts only if the packet bears the tag of an association of ours. A further warning of
    /// the same chunk counts only a quarter of a round trip after that was sent again: whoever
    /// knows the tag can make us send a chunk once at once and then four times in a round trip, and
    /// never more than the window allows.
    pub fn handle_error_warning(&mut self, now: Time, warning: ErrorWarning<'_>) {
        if let Some(index) = self.sender_of(warning.remote, warning.quoted) {
            self.with_tcb(now, index, |tcb, cx| {
                tcb.on_error_warning(cx.now, warning.quoted);
            });
        }
    }
}
