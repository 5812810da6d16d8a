//! Counters of chunks that no other part of an association keeps.

use sheave_wire::DataFlags;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counters {
    pub(super) sacks_sent: u64,
    pub(super) sacks_received: u64,
    /// Gap blocks of those.
    pub(super) gap_blocks_received: u64,
    /// SACKs not counted.
    pub(super) control_sent: u64,
    /// SACKs counted.
    pub(super) control_received: u64,
    /// New chunks of data: ordered, unordered.
    data_received: [u64; 2],
}

impl Counters {
    /// Counts a new chunk of data.
    #[inline]
    pub(super) const fn on_data(&mut self, flags: DataFlags) {
        let [ordered, unordered] = &mut self.data_received;
        match flags.contains(DataFlags::UNORDERED) {
            true => *unordered += 1,
            false => *ordered += 1,
        }
    }

    /// New chunks of data.
    pub(super) fn data_received(&self) -> u64 {
        self.data_received.iter().sum()
    }

    /// Those of them that were sent unordered.
    pub(super) const fn unordered_received(&self) -> u64 {
        let [_, unordered] = self.data_received;
        unordered
    }
}
