use core::net::IpAddr;

use super::Endpoint;
use crate::Time;

/// A notice from a node on the path that its next link damaged or lost one of our packets: the MAC
/// error warning of Wang, Yang and Sun (2005), as described in the paper "chunk checksum".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorWarning<'a> {
    /// Destination of the quoted packet.
    pub remote: IpAddr,
    /// Start of the quoted SCTP packet, from its common header, as sent into the link; a UDP
    /// encapsulation header is left out.
    pub quoted: &'a [u8],
}

impl Endpoint {
    /// Handles a warning: chunks that are quoted up to their TSN and are in flight are
    /// retransmitted at once; windows do not change.
    ///
    /// A warning counts only if the packet has the tag of one of our associations, and a further
    /// warning about the same chunk only a quarter of a round trip after its retransmission. A
    /// sender of forged warnings that knows the tag can thus cause one retransmission at once and
    /// four per round trip, within the congestion window.
    pub fn handle_error_warning(&mut self, now: Time, warning: ErrorWarning<'_>) {
        if let Some(index) = self.sender_of(warning.remote, warning.quoted) {
            self.with_tcb(now, index, |tcb, cx| {
                tcb.on_error_warning(cx.now, warning.quoted);
            });
        }
    }
}
