//! Release of chunks that the peer will never drop (draft-natarajan-tsvwg-sctp-nrsack).

use super::Outbound;
use alloc::vec::Vec;

use sheave_wire::{GapBlock, List, Tsn};

use crate::outbound::acked::AckedRanges;

impl Outbound {
    /// The peer keeps these chunks, as blocks beyond that TSN: frees what is held of them. What was
    /// not acknowledged, or is of an older SACK than one already seen, stays.
    ///
    /// The work is in the blocks, not in what they cover: all below the edge of a block that was
    /// freed before is passed over.
    pub(crate) fn release(&mut self, cumulative_tsn_ack: Tsn, blocks: &List<'_, GapBlock>) {
        let base = self.ring.first_seq();
        if self.ring.sent_seq(cumulative_tsn_ack.next()) != Some(base) {
            return;
        }
        let counts = self.extensions.stream_buffers.is_some();
        let mut freed_of = Vec::new();
        let released = self
            .extensions
            .part_or_else(|extensions| &mut extensions.released, AckedRanges::default);
        let valid = released.classify(base, self.ring.next_seq(), blocks);
        if !matches!(valid, Ok(true)) {
            return;
        }
        for range in released.newly() {
            self.work += range.end - range.start;
            for seq in range {
                let held = if counts { self.ring.held(seq) } else { None };
                let freed = self.ring.release(seq);
                freed_of.extend(held.filter(|_| freed > 0));
                self.buffered = self.buffered.saturating_sub(freed);
            }
        }
        for (stream, bytes) in freed_of {
            self.note_freed(stream, bytes);
        }
    }
}
