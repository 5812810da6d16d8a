use core::ops::Range;

/// Largest number of miss indications that may be required before a chunk counts as lost.
const MOST_MISSES: usize = 4;

/// Finds lost chunks by the Highest TSN Newly Acknowledged rule (RFC 9260 §7.2.4).
///
/// Every SACK that acknowledges new data reports one chunk number; each missing chunk below it gets
/// a miss indication. A chunk therefore has three miss indications exactly when the third highest
/// reported number lies above it. No per-chunk counters are needed and no chunk is visited twice.
#[derive(Clone, Debug)]
pub(super) struct GapReports {
    /// The highest reported numbers, in descending order.
    highest: [u64; MOST_MISSES],
    /// End of the chunks already examined.
    frontier: u64,
}

impl GapReports {
    pub(super) const fn new() -> Self {
        Self {
            highest: [0; MOST_MISSES],
            frontier: 0,
        }
    }

    /// Restarts counting at `frontier`, for chunks that will be retransmitted.
    pub(super) fn restart(&mut self, frontier: u64) {
        self.highest = [0; MOST_MISSES];
        self.frontier = frontier;
    }

    /// Records one report. A chunk counts as lost at its `needed`th miss indication: 1 to 4, 3 in
    /// RFC 9260. Returns the range of chunks that now reached this number; those still missing in
    /// it are lost.
    pub(super) fn on_report(&mut self, reported: u64, needed: u8) -> Range<u64> {
        let mut carried = reported;
        for high in &mut self.highest {
            if carried > *high {
                core::mem::swap(high, &mut carried);
            }
        }
        let last = usize::from(needed).saturating_sub(1);
        let end = self.highest.get(last).copied().unwrap_or(0);
        let suspects = self.frontier..end.max(self.frontier);
        self.frontier = suspects.end;
        suspects
    }
}

#[cfg(test)]
mod tests;
