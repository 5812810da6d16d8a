use crate::congestion::{Flown, Limit};

/// Detects a full pipe: sending faster no longer raises the delivery rate (§5.3.1.2).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FullPipe {
    /// The baseline rate to exceed, bytes per second.
    baseline: u64,
    /// Round trips in which the rate grew by less than 25 %.
    count: u8,
    ever: Ever,
}

/// Whether the pipe was ever full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Ever {
    #[default]
    NotYet,
    Full,
}

/// Round trips without growth after which the pipe counts as full.
const ROUNDS: u8 = 3;

impl FullPipe {
    /// Restarts detection with the given baseline rate.
    pub(super) fn restart(&mut self, newest: Option<&Flown>) {
        let rate = newest.and_then(|newest| newest.rate);
        self.baseline = rate.map_or(0, |rate| rate.bytes_per_second);
        self.count = 0;
    }

    /// Ends a round trip.
    pub(super) fn on_round(&mut self, newest: &Flown) {
        if self.is_full() || newest.limit == Limit::Supply {
            return;
        }
        let rate = newest.rate.map_or(0, |rate| rate.bytes_per_second);
        // Compared after scaling both sides by 100. A rate of zero is no growth, and no baseline
        // either.
        if u128::from(rate) * 100 >= u128::from(self.baseline) * 125 {
            self.restart(Some(newest));
            return;
        }
        self.count += 1;
        if self.is_full() {
            self.reach();
        }
    }

    /// Whether the pipe is full since detection last restarted.
    pub(super) const fn is_full(&self) -> bool {
        self.count >= ROUNDS
    }

    /// Whether the pipe was ever full.
    pub(super) fn was_reached(&self) -> bool {
        self.ever == Ever::Full
    }

    /// Marks the pipe as full on other evidence.
    pub(super) const fn reach(&mut self) {
        self.ever = Ever::Full;
    }

    /// Withdraws the estimate that the pipe is full.
    pub(super) const fn forget(&mut self) {
        self.ever = Ever::NotYet;
    }
}
