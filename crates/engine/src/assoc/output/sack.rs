//! Adding SACKs to packets.

use sheave_wire::{List, Sack};

use super::{PacketAssembly, Supplied};
use crate::assoc::tcb::Tcb;

impl Tcb {
    /// Adds a SACK if one is due, or if one is pending and DATA is about to leave (RFC 9260 §6.1).
    pub(super) fn supply_sack(&mut self, assembly: &mut PacketAssembly<'_, '_>) -> Supplied {
        if !self.phase.receives_data() || !self.acknowledger.is_pending() {
            return Supplied::Open;
        }
        let asked_here = assembly.plan.path == self.paths.sack_path();
        let due = asked_here
            && self.acknowledger.is_due(assembly.plan.now)
            && assembly.plan.source == self.sack_source();
        // RFC 9260 §6.4: use the path that DATA came on; another one may be dead.
        let company = (asked_here || self.outbound.is_concurrent() || !self.hedges())
            && assembly.plan.takes_data()
            && !self.outbound.next_is_alone(assembly.plan.fragment);
        let room = assembly.packet.remaining();
        if !(due || company) || room < self.sack_header() {
            return Supplied::Open;
        }
        let header = self.sack_header();
        self.push_ecn_echo(&mut assembly.packet, header);
        self.push_corruption(&mut assembly.packet, header);
        let room = assembly.packet.remaining();
        let rwnd = self.inbound.rwnd();
        let blocks = room.saturating_sub(header) / 4;
        let cumulative_tsn_ack = self.inbound.cumulative_tsn();
        let kind = self.sack_kind();
        let packets = self.acknowledger.packets_beyond();
        let report = self.inbound.report(blocks, packets);
        let continues = report.continues;
        let sack = Sack {
            cumulative_tsn_ack,
            a_rwnd: rwnd,
            gap_blocks: List::from(report.gap_blocks),
            duplicates: List::from(report.duplicates),
            packets: self.acknowledger.packets_told(),
        };
        Self::push_sack(&mut assembly.packet, &sack, kind);
        self.inbound.on_advertised(rwnd);
        self.sacks_sent = self.sacks_sent.wrapping_add(1);
        if continues {
            self.acknowledger.on_part_sent();
        } else {
            self.inbound.clear_duplicates();
            self.acknowledger.on_sent(assembly.plan.now);
        }
        Supplied::Open
    }
}
