use sheave_wire::{Chunk, DataFlags};

use super::tcb::Tcb;

/// Counts of chunks without data since the association began; both wrap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ChunkCounts {
    /// Excludes SACKs and FORWARD TSNs, which are counted elsewhere.
    pub(super) control_sent: u32,
    pub(super) control_received: u32,
}

/// Counts of chunk kinds that many associations never see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RareCounts {
    /// First transmissions of DATA of unordered messages.
    pub(super) unordered_sent: u64,
    /// DATA of unordered messages, excluding duplicates.
    pub(super) unordered_received: u64,
    /// Duplicate DATA.
    pub(super) duplicates_received: u64,
    /// DATA beyond the next expected TSN.
    pub(super) early_received: u64,
    /// Gap reports in SACKs.
    pub(super) gaps_received: u64,
}

impl Tcb {
    /// Counts new DATA.
    #[inline]
    pub(super) fn count_new_data(&mut self, flags: DataFlags) {
        self.inbound.count_chunk();
        if flags.contains(DataFlags::UNORDERED) {
            self.rare_counts().unordered_received += 1;
        }
    }

    /// Counts a received chunk, handled or not; DATA is counted once known to be new.
    #[inline]
    pub(super) fn count_chunk(&mut self, chunk: &Chunk<'_>) {
        let gaps = match chunk {
            Chunk::Data(_) | Chunk::IData(_) | Chunk::CheckedData(_) => return,
            Chunk::Sack(sack) => sack.gap_blocks.len(),
            Chunk::NrSack(sack) => sack.gap_blocks.len(),
            _ => 0,
        };
        self.chunks.control_received = self.chunks.control_received.wrapping_add(1);
        if gaps > 0 {
            self.rare_counts().gaps_received += gaps as u64;
        }
    }

    pub(super) fn rare_counts(&mut self) -> &mut RareCounts {
        self.extensions.part_or_else(
            |extensions| &mut extensions.rare_counts,
            RareCounts::default,
        )
    }
}
