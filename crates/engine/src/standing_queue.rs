use alloc::boxed::Box;
use core::time::Duration;

use crate::Options;

/// Round trips measured before their minimum is evaluated; acknowledgements may be delayed and busy
/// hosts slow, but not every time.
const SAMPLES: u8 = 4;
/// Packets in flight that never count as a queue.
const LEAST_PACKETS: u64 = 10;

/// Bounds a path's standing queue in the network, whatever the congestion window allows: data in
/// flight may lengthen the round trip by at most [`Options::standing_queue`] over the minimum seen.
///
/// After every [`SAMPLES`] round trips, the limit is reduced to the share of the data in flight
/// that stays within the bound if the round trip is too long, and otherwise raised by an eighth. If
/// the round trip is too long even with [`LEAST_PACKETS`] packets, the route itself has become
/// longer.
#[derive(Clone, Debug)]
pub(crate) struct StandingQueue {
    /// Tolerated increase over the minimum round trip.
    most: Duration,
    /// The minimum round trip.
    least: Duration,
    /// Minimum and number of the measurements since the last evaluation.
    recent: Duration,
    samples: u8,
    /// Most bytes of DATA chunks in flight.
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

    /// Whether more data may be in flight.
    #[inline]
    pub(crate) const fn has_room(&self, flight: u64) -> bool {
        flight < self.limit
    }

    /// A round trip was measured with `flight` bytes in flight; packets hold `pmdcs` bytes.
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
            // A limit that was not reached gives no information about larger ones.
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
