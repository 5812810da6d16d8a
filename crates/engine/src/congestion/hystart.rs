use core::time::Duration;

use super::Ack;

// RFC 9406 §4.3
const LEAST_THRESHOLD: Duration = Duration::from_millis(4);
const LARGEST_THRESHOLD: Duration = Duration::from_millis(16);
const THRESHOLD_DIVISOR: u32 = 8;
const SAMPLES: u8 = 8;
const GROWTH_DIVISOR: u64 = 4;
const CAUTIOUS_ROUNDS: u8 = 5;

/// HyStart++ (RFC 9406): ends the first slow start when round trips grow, before the bottleneck
/// queue overflows.
///
/// A round ends when everything in flight at its start is acknowledged: `windowEnd` of §4.2,
/// counted in bytes.
#[derive(Clone, Debug)]
pub(super) struct HyStart {
    /// Bytes still to be acknowledged in this round.
    left: u64,
    /// Least round trips of the previous round and of this one.
    last: Option<Duration>,
    current: Option<Duration>,
    /// Round trips measured in this round, up to [`SAMPLES`].
    samples: u8,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    SlowStart,
    /// Conservative Slow Start: round trips may have grown by chance.
    Cautious {
        /// Least round trip of the round in which the phase began.
        baseline: Duration,
        rounds: u8,
    },
}

/// The growth allowed by an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Growth {
    /// Full slow-start growth.
    Whole,
    /// Slow-start growth over this divisor.
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

    /// Updates the state for an acknowledgement in slow start (RFC 9406 §4.2).
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
            // The growth of the round trip was a coincidence.
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
