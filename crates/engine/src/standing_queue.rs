use alloc::boxed::Box;
use core::time::Duration;

use crate::Options;

/// Round trips that are measured before one of them, the least, is judged: acknowledgements are
/// delayed, and busy machines answer late, but not each time.
const SAMPLES: u8 = 4;
/// Packets in flight that are no queue.
const LEAST_PACKETS: u64 = 10;

/// Bounds the queue that the data of a path stands in beyond the scheduler, whatever the congestion
/// window allows: more is in flight only as long as it does not lengthen the round trip by more
/// than [`Options::standing_queue`] over the least one seen.
///
/// Where the round trip is too long, what is in flight is cut to the share that keeps it in bounds;
/// where it is not, the limit grows by an eighth, each after [`SAMPLES`] round trips. If even
/// [`LEAST_PACKETS`] take longer, it is the route that has become longer.
#[derive(Clone, Debug)]
pub(crate) struct StandingQueue {
    /// The round trip may be longer than the least by so much.
    most: Duration,
    /// The least round trip.
    least: Duration,
    /// The least of those that were measured since the last judgement, and their number.
    recent: Duration,
    samples: u8,
    /// Bytes of DATA chunks in flight at most.
    limit: u64,
}

impl StandingQueue {
    pub(crate) fn chosen(options: &Options) -> Option<Box<Self>> {
        let most = options.standing_queue?;
        Some(Box::new(Self {
            most,
            least: Duration::MAX,
            recent: Duration::MAX,
            samples: 0,
            limit: u64::MAX,
        }))
    }

    /// Whether more may be in flight.
    #[inline]
    pub(crate) const fn has_room(&self, flight: u64) -> bool {
        flight < self.limit
    }

    /// A round trip was measured with `flight` bytes in flight; a packet holds `pmdcs` of them.
    pub(crate) fn on_round_trip(&mut self, round_trip: Duration, flight: u64, pmdcs: u64) {
        self.least = self.least.min(round_trip);
        self.recent = self.recent.min(round_trip);
        self.samples += 1;
        if self.samples < SAMPLES {
            return;
        }
        self.judge(flight, pmdcs);
        (self.recent, self.samples) = (Duration::MAX, 0);
    }

    fn judge(&mut self, flight: u64, pmdcs: u64) {
        let floor = LEAST_PACKETS * pmdcs;
        let bound = self.least.saturating_add(self.most);
        if self.recent <= bound {
            // A limit that is not reached says nothing of a larger one.
            if flight >= self.limit / 2 {
                self.limit = self.limit.saturating_add((self.limit / 8).max(pmdcs));
            }
            return;
        }
        if self.limit <= floor && flight >= floor {
            self.least = self.recent;
        }
        let share = u128::from(flight) * bound.as_nanos() / self.recent.as_nanos().max(1);
        let share = u64::try_from(share).unwrap_or(u64::MAX);
        self.limit = self.limit.min(share).max(floor);
    }
}

#[cfg(test)]
mod tests;
