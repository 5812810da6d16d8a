//! Release of chunks that the peer will never drop (draft-natarajan-tsvwg-sctp-nrsack).

use super::Outbound;
use alloc::vec::Vec;

use sheave_wire::{GapBlock, List, Tsn};

use crate::outbound::acked::AckedRanges;

impl Outbound {
    /// Frees chunks that the peer declares it will keep, given as blocks beyond the TSN. Chunks not
    /// acknowledged stay held, and a SACK older than one already processed is ignored.
    ///
    /// The cost depends on the number of blocks, not on their size: chunks below the end of a block
    /// already freed are skipped.
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
