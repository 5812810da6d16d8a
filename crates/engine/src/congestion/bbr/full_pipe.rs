use crate::delivery_rate::{Flown, Limit};

/// Whether to send faster gets more delivered (§5.3.1.2).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FullPipe {
    /// The rate that is to be surpassed, bytes per second.
    baseline: u64,
    /// Round trips that did not surpass it by a quarter.
    count: u8,
    now: bool,
    reached: bool,
}

/// Round trips without growth that show a full pipe.
const ROUNDS: u8 = 3;

impl FullPipe {
    /// Looks anew, from that rate on.
    pub(super) fn restart(&mut self, newest: Option<&Flown>) {
        let rate = newest.and_then(|newest| newest.rate);
        self.baseline = rate.map_or(0, |rate| rate.bytes_per_second);
        (self.count, self.now) = (0, false);
    }

    /// A round trip is over.
    pub(super) fn on_round(&mut self, newest: &Flown) {
        if self.now || newest.limit == Limit::Supply {
            return;
        }
        let rate = newest.rate.map_or(0, |rate| rate.bytes_per_second);
        // Both sides a hundredfold, for a rate of nothing is no growth, but no baseline either.
        if u128::from(rate) * 100 >= u128::from(self.baseline) * 125 {
            self.restart(Some(newest));
            return;
        }
        self.count += 1;
        self.now = self.count >= ROUNDS;
        self.reached |= self.now;
    }

    /// Since it last looked.
    pub(super) const fn is_full(&self) -> bool {
        self.now
    }

    /// Ever.
    pub(super) const fn was_reached(&self) -> bool {
        self.reached
    }

    /// Something else has shown it to be full.
    pub(super) const fn reach(&mut self) {
        self.reached = true;
    }

    /// It was not reached after all.
    pub(super) const fn forget(&mut self) {
        self.reached = false;
    }
}
