use crate::congestion::{Flown, Limit};

/// Whether to send faster gets more delivered (§5.3.1.2).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FullPipe {
    /// The rate that is to be surpassed, bytes per second.
    baseline: u64,
    /// Round trips that did not surpass it by a quarter.
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

/// Round trips without growth that show a full pipe.
const ROUNDS: u8 = 3;

impl FullPipe {
    /// Looks anew, from that rate on.
    pub(super) fn restart(&mut self, newest: Option<&Flown>) {
        let rate = newest.and_then(|newest| newest.rate);
        self.baseline = rate.map_or(0, |rate| rate.bytes_per_second);
        self.count = 0;
    }

    /// A round trip is over.
    pub(super) fn on_round(&mut self, newest: &Flown) {
        if self.is_full() || newest.limit == Limit::Supply {
            return;
        }
        let rate = newest.rate.map_or(0, |rate| rate.bytes_per_second);
        // Both sides a hundredfold, for a rate of nothing is no growth, but no baseline either.
        if u128::from(rate) * 100 >= u128::from(self.baseline) * 125 {
            self.restart(Some(newest));
            return;
        }
        self.count += 1;
        if self.is_full() {
            self.reach();
        }
    }

    /// Since it last looked.
    pub(super) const fn is_full(&self) -> bool {
        self.count >= ROUNDS
    }

    /// Ever.
    pub(super) fn was_reached(&self) -> bool {
        self.ever == Ever::Full
    }

    /// Something else has shown it to be full.
    pub(super) const fn reach(&mut self) {
        self.ever = Ever::Full;
    }

    /// Withdraws the estimate that the pipe is full.
    pub(super) const fn forget(&mut self) {
        self.ever = Ever::NotYet;
    }
}
