use core::time::Duration;

use sheave_engine::Time;

use crate::Random;

/// When events occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// At equal intervals.
    Constant {
        /// Time between events.
        interval: Duration,
    },
    /// A Poisson process.
    Poisson {
        /// Mean time between events.
        mean: Duration,
    },
    /// Equal intervals in on periods and no events in off periods; both have exponentially
    /// distributed durations. The first period is on.
    OnOff {
        /// Time between events in an on period.
        interval: Duration,
        /// Mean duration of an on period.
        on: Duration,
        /// Mean duration of an off period.
        off: Duration,
    },
}

/// State of an arrival process.
#[derive(Debug)]
pub(crate) struct Beat {
    arrivals: Arrivals,
    random: Random,
    /// End of the current on period.
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

    /// Time of the event after the one at `last`, at least a nanosecond later.
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
