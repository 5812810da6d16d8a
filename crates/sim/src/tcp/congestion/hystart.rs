use core::time::Duration;

use sheave_engine::Time;

use super::Ack;

/// Segments of the window below which nothing is judged.
const LOW_WINDOW: f64 = 16.0;
/// Time between acknowledgements of one train at most.
const WITHIN_TRAIN: Duration = Duration::from_millis(2);
/// Bounds of the growth of round trips that ends slow start, an eighth of the least.
const LEAST_GROWTH: Duration = Duration::from_millis(4);
const LARGEST_GROWTH: Duration = Duration::from_millis(16);
/// Round trips of a round before they are judged.
const SAMPLES: u8 = 8;
/// Allowance for what a sender hands over in one piece: four pieces of 64 KiB at the sender's rate,
/// a millisecond at most.
const PIECES: f64 = 262_144.0;
const LARGEST_ALLOWANCE: Duration = Duration::from_millis(1);

/// HyStart as Linux has it in CUBIC: ends slow start where the acknowledgements of a round come in for
/// half of the least round trip, or where round trips grow (S. Ha and I. Rhee, "Taming the elephants: New
/// TCP slow start", Computer Networks 55 (2011)).
///
/// Numbers are those of Linux's `tcp_cubic`; unlike HyStart++ (RFC 9406) it does not take its decision back.
#[derive(Clone, Debug)]
pub(super) struct HyStart {
    /// The least round trip of the connection.
    least: Option<Duration>,
    round: Option<Round>,
}

/// A round: what was in flight at its beginning is being acknowledged.
#[derive(Clone, Debug)]
struct Round {
    began: Time,
    /// When the last acknowledgement of the train came.
    last: Time,
    /// Bytes that are still to be acknowledged.
    left: u64,
    least: Duration,
    samples: u8,
}

/// The judgement of an acknowledgement in slow start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlowStartStage {
    /// The window grows on.
    GoesOn,
    /// The window has come near to what the path holds.
    IsOver,
}

impl HyStart {
    pub(super) const fn new() -> Self {
        Self {
            least: None,
            round: None,
        }
    }

    /// Takes note of an acknowledgement in slow start, with a window of `cwnd` segments, `smss` bytes each.
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

    /// Whether acknowledgements have come without a pause for longer than `limit`.
    fn lasts(&mut self, now: Time, limit: Duration) -> bool {
        if now.since(self.last) > WITHIN_TRAIN {
            return false;
        }
        self.last = now;
        now.since(self.began) > limit
    }

    /// Whether all round trips of the round are longer than the least of the connection was.
    fn grows(&self, least: Duration) -> bool {
        let growth = (least / 8).clamp(LEAST_GROWTH, LARGEST_GROWTH);
        self.samples > SAMPLES && self.least > least + growth
    }
}

/// The time that what is handed over in one piece takes, twice as fast as the window leaves in a round trip.
fn allowance(ack: &Ack, cwnd: f64, smss: f64) -> Duration {
    let Some(srtt) = ack.srtt else {
        return Duration::ZERO;
    };
    let time = srtt.as_secs_f64() * PIECES / (2.0 * cwnd * smss);
    LARGEST_ALLOWANCE.min(Duration::from_secs_f64(time.min(1.0)))
}

#[cfg(test)]
mod tests;
