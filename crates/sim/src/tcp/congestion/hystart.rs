use core::time::Duration;

use sheave_engine::Time;

use super::Ack;

/// Smallest window at which slow start may end, segments.
const LOW_WINDOW: f64 = 16.0;
/// Longest gap between acknowledgements of one train.
const WITHIN_TRAIN: Duration = Duration::from_millis(2);
/// Bounds of the round-trip growth that ends slow start, an eighth of the minimum.
const LEAST_GROWTH: Duration = Duration::from_millis(4);
const LARGEST_GROWTH: Duration = Duration::from_millis(16);
/// Round-trip samples needed in a round.
const SAMPLES: u8 = 8;
/// Allowance for data sent in one burst: four bursts of 64 KiB at the sender's rate, at most a
/// millisecond.
const PIECES: f64 = 262_144.0;
const LARGEST_ALLOWANCE: Duration = Duration::from_millis(1);

/// HyStart as in Linux's CUBIC: ends slow start when the acknowledgements of a round arrive back to
/// back for half of the minimum round trip, or when round trips grow (S. Ha and I. Rhee, "Taming
/// the elephants: New TCP slow start", Computer Networks 55 (2011)).
///
/// Constants are those of Linux's `tcp_cubic`. Unlike HyStart++ (RFC 9406), the decision is final.
#[derive(Clone, Debug)]
pub(super) struct HyStart {
    /// Minimum round trip of the connection.
    least: Option<Duration>,
    round: Option<Round>,
}

/// A round, which lasts until the data in flight at its start is acknowledged.
#[derive(Clone, Debug)]
struct Round {
    began: Time,
    /// Arrival of the train's last acknowledgement.
    last: Time,
    /// Bytes still to be acknowledged.
    left: u64,
    least: Duration,
    samples: u8,
}

/// Decision about an acknowledgement in slow start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlowStartStage {
    /// Continue slow start.
    GoesOn,
    /// End slow start: the window is close to the path's capacity.
    IsOver,
}

impl HyStart {
    pub(super) const fn new() -> Self {
        Self {
            least: None,
            round: None,
        }
    }

    /// Updates the state for an acknowledgement, with a window of `cwnd` segments of `smss` bytes.
    pub(super) fn on_ack(&mut self, ack: &Ack, cwnd: f64, smss: f64) -> SlowStartStage {
        let fresh = Round {
            began: ack.now,
            last: ack.now,
            left: ack.flight,
            least: Duration::MAX,
            samples: 0,
        };
        let left = self
            .round
            .as_ref()
            .and_then(|round| round.left.checked_sub(ack.bytes));
        let round = match (&mut self.round, left) {
            (Some(round), Some(left)) => {
                round.left = left;
                round
            }
            (round, _) => round.insert(fresh),
        };
        if let Some(rtt) = ack.rtt {
            self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
            round.measure(rtt);
        }
        let Some(least) = self.least else {
            return SlowStartStage::GoesOn;
        };
        let lasts = round.lasts(ack.now, (least + allowance(ack, cwnd, smss)) / 2);
        if cwnd >= LOW_WINDOW && (lasts || round.grows(least)) {
            SlowStartStage::IsOver
        } else {
            SlowStartStage::GoesOn
        }
    }
}

impl Round {
    fn measure(&mut self, rtt: Duration) {
        self.least = self.least.min(rtt);
        self.samples = self.samples.saturating_add(1);
    }

    /// Whether acknowledgements have arrived back to back for longer than `limit`.
    fn lasts(&mut self, now: Time, limit: Duration) -> bool {
        if now.since(self.last) > WITHIN_TRAIN {
            return false;
        }
        self.last = now;
        now.since(self.began) > limit
    }

    /// Whether all round trips of the round exceed the connection's minimum.
    fn grows(&self, least: Duration) -> bool {
        let growth = (least / 8).clamp(LEAST_GROWTH, LARGEST_GROWTH);
        self.samples > SAMPLES && self.least > least + growth
    }
}

/// Duration of one burst, sent at twice the rate of one window per round trip.
fn allowance(ack: &Ack, cwnd: f64, smss: f64) -> Duration {
    let Some(srtt) = ack.srtt else {
        return Duration::ZERO;
    };
    let time = srtt.as_secs_f64() * PIECES / (2.0 * cwnd * smss);
    LARGEST_ALLOWANCE.min(Duration::from_secs_f64(time.min(1.0)))
}

#[cfg(test)]
mod tests;
