use core::net::IpAddr;

use sheave_wire::{ChunkType, Vtag};

use super::Endpoint;
use crate::assoc::Tcb;
use crate::{AssocId, CloseReason, Icmp, IcmpError, Phase, Time};

/// The common header up to and including the verification tag.
const TAGGED: usize = 8;

impl Endpoint {
    /// Handles an ICMP message. The quoted packet must bear the tag of one of our associations (RFC
    /// 9260 §10, ICMP5 to ICMP8). Path MTUs below 576 bytes (IPv6: 1280) are ignored; higher ones
    /// are used only where path MTU discovery is on, whose probes verify them.
    pub fn handle_icmp(&mut self, now: Time, icmp: Icmp<'_>) {
        let Some(index) = self.sender_of(icmp.remote, icmp.quoted) else {
            return;
        };
        match icmp.error {
            IcmpError::PacketTooBig { mtu } => {
                self.with_tcb(now, index, |tcb, cx| {
                    tcb.on_packet_too_big(cx.now, icmp.remote, mtu);
                });
            }
            IcmpError::Unreachable => {
                self.with_tcb(now, index, |tcb, cx| {
                    tcb.on_unreachable(cx.now, icmp.remote);
                });
            }
            IcmpError::NoSuchPort => {
                if self.registry.tcb(index).phase == Phase::CookieWait {
                    self.on_no_sctp_there(now, index, icmp.remote, CloseReason::NoSuchPort);
                }
            }
            IcmpError::NoSuchProtocol => {
                if !self.registry.tcb(index).paths.is_unproven(icmp.remote) {
                    self.on_no_sctp_there(now, index, icmp.remote, CloseReason::NoSuchProtocol);
                }
            }
        }
    }

    fn on_no_sctp_there(&mut self, now: Time, index: usize, remote: IpAddr, reason: CloseReason) {
        let refused = self.with_tcb(now, index, |tcb, cx| {
            tcb.on_no_sctp_there(cx, remote, reason)
        });
        if let Err(ending) = refused {
            self.end(now, index, ending);
        }
    }

    /// The association that sent the quoted packet, if the quotation proves that.
    #[must_use]
    pub fn sender_of_quoted(&self, icmp: Icmp<'_>) -> Option<AssocId> {
        let index = self.sender_of(icmp.remote, icmp.quoted)?;
        Some(self.registry.id(index))
    }

    /// The association that sent the quoted packet to `remote`, if the quotation proves that.
    pub(super) fn sender_of(&self, remote: IpAddr, quoted: &[u8]) -> Option<usize> {
        let (&[s0, s1, d0, d1, t0, t1, t2, t3], rest) = quoted.split_first_chunk::<TAGGED>()?;
        let local_port = u16::from_be_bytes([s0, s1]);
        let remote_port = u16::from_be_bytes([d0, d1]);
        let remote = remote.to_canonical();
        let tag = Vtag(u32::from_be_bytes([t0, t1, t2, t3]));
        let is_sender = |tcb: &Tcb| {
            if tag == Vtag(0) {
                // The quoted packet is our INIT: checksum, chunk header, initiate tag.
                tcb.phase == Phase::CookieWait
                    && rest.get(4) == Some(&ChunkType::INIT.0)
                    && rest.get(8..12) == Some(&tcb.local_tag.0.to_be_bytes())
            } else {
                Some(tag) == tcb.peer_tag
            }
        };
        let place = (local_port, remote_port, remote);
        self.registry.by_peer(place, is_sender)
    }
}
