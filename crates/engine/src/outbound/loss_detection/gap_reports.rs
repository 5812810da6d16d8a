use core::ops::Range;

/// Miss indications to a chunk before it counts as lost, at most.
const MOST_MISSES: usize = 4;

/// Finds lost chunks by the Highest TSN Newly Acknowledged rule (RFC 9260 §7.2.4).
///
/// Every SACK that acknowledges something new reports one chunk number, below which each missing
/// chunk gets a miss indication. A chunk therefore has three of them exactly when the third
/// highest number reported so far lies above it: no counters, and no look at a chunk twice.
#[derive(Clone, Debug)]
pub(super) struct GapReports {
    /// The highest numbers reported, highest first.
    highest: [u64; MOST_MISSES],
    /// End of the chunks that were looked at.
    frontier: u64,
}

impl GapReports {
    pub(super) const fn new() -> Self {
        Self {
            highest: [0; MOST_MISSES],
            frontier: 0,
        }
    }

    /// Counting starts over from `frontier`, for chunks that will be sent again.
    pub(super) fn restart(&mut self, frontier: u64) {
        self.highest = [0; MOST_MISSES];
        self.frontier = frontier;
    }

    /// Takes in one report. A chunk counts as lost at its `needed`th miss indication: 1 to 4, and 3
    /// in RFC 9260. Returns the chunks that have now that many, those among them that are still
    /// missing.
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
