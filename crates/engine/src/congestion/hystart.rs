use core::time::Duration;

use super::Ack;

// RFC 9406 §4.3
const LEAST_THRESHOLD: Duration = Duration::from_millis(4);
const LARGEST_THRESHOLD: Duration = Duration::from_millis(16);
const THRESHOLD_DIVISOR: u32 = 8;
const SAMPLES: u8 = 8;
const GROWTH_DIVISOR: u64 = 4;
const CAUTIOUS_ROUNDS: u8 = 5;

/// HyStart++ (RFC 9406): ends the first slow start where round trips grow, before the queue of the
/// bottleneck overflows.
///
/// A round ends where all that was in flight at its beginning is acknowledged, which is the
/// `windowEnd` of §4.2 counted in bytes.
#[derive(Clone, Debug)]
pub(super) struct HyStart {
    /// Bytes that are still to be acknowledged in this round.
    left: u64,
    /// Least round trips of the round before, and of this one.
    last: Option<Duration>,
    current: Option<Duration>,
    /// Round trips measured in this round, up to [`SAMPLES`].
    samples: u8,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    SlowStart,
    /// Conservative Slow Start: perhaps round trips grew by chance.
    Cautious {
        /// The least round trip of the round in which it began.
        baseline: Duration,
        rounds: u8,
    },
}

/// The growth that an acknowledgement allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Growth {
    /// The growth of slow start.
    Whole,
    /// The share of that, as a divisor.
    Part(u64),
    /// Slow start is over.
    Over,
}

impl HyStart {
    pub(super) const fn new() -> Self {
        Self {
            left: 0,
            last: None,
            current: None,
            samples: 0,
            stage: Stage::SlowStart,
        }
    }

    /// Takes note of an acknowledgement in slow start (RFC 9406 §4.2).
    pub(super) fn on_ack(&mut self, ack: &Ack) -> Growth {
        if let Some(rtt) = ack.rtt {
            self.current = Some(self.current.map_or(rtt, |least| least.min(rtt)));
            self.samples = self.samples.saturating_add(1).min(SAMPLES);
        }
        self.judge();
        self.left = self.left.saturating_sub(ack.bytes);
        if self.left == 0 && self.begin_round(ack.flight) == Growth::Over {
            return Growth::Over;
        }
        match self.stage {
            Stage::SlowStart => Growth::Whole,
            Stage::Cautious { .. } => Growth::Part(GROWTH_DIVISOR),
        }
    }

    fn judge(&mut self) {
        let Some(current) = self.current.filter(|_| self.samples >= SAMPLES) else {
            return;
        };
        match (self.stage, self.last) {
            (Stage::SlowStart, Some(last)) => {
                let threshold =
                    (last / THRESHOLD_DIVISOR).clamp(LEAST_THRESHOLD, LARGEST_THRESHOLD);
                if current >= last + threshold {
                    self.stage = Stage::Cautious {
                        baseline: current,
                        rounds: 0,
                    };
                }
            }
            // It was chance.
            (Stage::Cautious { baseline, .. }, _) if current < baseline => {
                self.stage = Stage::SlowStart;
            }
            _ => {}
        }
    }

    fn begin_round(&mut self, flight: u64) -> Growth {
        self.left = flight.max(1);
        self.last = self.current.take().or(self.last);
        self.samples = 0;
        if let Stage::Cautious { rounds, .. } = &mut self.stage {
            *rounds += 1;
            if *rounds >= CAUTIOUS_ROUNDS {
                return Growth::Over;
            }
        }
        Growth::Whole
    }
}

#[cfg(test)]
mod tests;
