use core::time::Duration;

use sheave_engine::Time;

use crate::Random;

/// When things come one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// At equal intervals.
    Constant {
        /// From one to the next.
        interval: Duration,
    },
    /// At random, independently of each other: a Poisson process.
    Poisson {
        /// From one to the next on average.
        mean: Duration,
    },
    /// At equal intervals while it is on, and not at all while it is off; both last exponentially
    /// distributed times. It begins on.
    OnOff {
        /// From one to the next while it is on.
        interval: Duration,
        /// Mean duration of an on period.
        on: Duration,
        /// Mean duration of an off period.
        off: Duration,
    },
}

/// Arrivals at work.
#[derive(Debug)]
pub(crate) struct Beat {
    arrivals: Arrivals,
    random: Random,
    /// Until when it is on.
    on_until: Option<Time>,
}

impl Beat {
    pub(crate) const fn new(arrivals: Arrivals, random: Random) -> Self {
        Self {
            arrivals,
            random,
            on_until: None,
        }
    }

    /// The one after that at `last`; a nanosecond later at least.
    pub(crate) fn next(&mut self, last: Time) -> Time {
        let least = Duration::from_nanos(1);
        match self.arrivals {
            Arrivals::Constant { interval } => last + interval.max(least),
            Arrivals::Poisson { mean } => last + self.exponential(mean).max(least),
            Arrivals::OnOff { interval, on, off } => {
                let until = match self.on_until {
                    Some(until) => until,
                    None => last + self.exponential(on),
                };
                self.on_until = Some(until);
                let next = last + interval.max(least);
                if next < until {
                    return next;
                }
                let begin = until + self.exponential(off);
                self.on_until = Some(begin + self.exponential(on));
                begin.max(last + least)
            }
        }
    }

    fn exponential(&mut self, mean: Duration) -> Duration {
        mean.mul_f64(self.random.exponential())
    }
}
