use core::fmt;
use core::time::Duration;
use std::sync::Arc;

use sheave_engine::Time;

/// A sending rate, bits per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bitrate(pub u64);

impl Bitrate {
    /// A rate in Mbit/s.
    #[must_use]
    pub const fn mbit(millions: u64) -> Self {
        Self(millions * 1_000_000)
    }

    /// Transmission time of `bytes`, rounded up to whole nanoseconds.
    #[must_use]
    pub const fn time_for(self, bytes: u32) -> Duration {
        // 2^32 bytes are below 2^64 billionths of a bit only up to 2.3 GB; no packet is that long.
        let billionths = (bytes as u64).saturating_mul(8_000_000_000);
        match self.0 {
            0 => Duration::MAX,
            rate => Duration::from_nanos(billionths.div_ceil(rate)),
        }
    }
}

impl fmt::Display for Bitrate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, name) = match self.0 {
            1_000_000_000.. => (1e9, "Gbit/s"),
            1_000_000.. => (1e6, "Mbit/s"),
            1_000.. => (1e3, "kbit/s"),
            _ => (1.0, "bit/s"),
        };
        write!(f, "{} {name}", self.0 as f64 / unit)
    }
}

/// The sending rate of a link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// An infinite rate.
    #[default]
    Instant,
    /// A constant rate.
    Constant(Bitrate),
    /// A recorded trace of sending opportunities.
    Trace(Arc<LinkTrace>),
}

/// A recorded link in Mahimahi's format: at each listed time, one packet of 1504 bytes or several
/// smaller ones may leave. The trace repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkTrace {
    /// The times, ascending; the last one is also the trace's length, and not zero.
    moments: Vec<Duration>,
}

/// The reason why a text is not a valid link trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkTraceError {
    /// The line (counted from 1) is not a whole number of milliseconds.
    NotANumber {
        /// The line.
        line: usize,
    },
    /// The line is earlier than the previous one.
    Backwards {
        /// The line.
        line: usize,
    },
    /// No time is after 0.
    Empty,
}

impl fmt::Display for LinkTraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotANumber { line } => {
                write!(f, "line {line} is not a whole number of milliseconds")
            }
            Self::Backwards { line } => write!(f, "line {line} is earlier than the one before it"),
            Self::Empty => f.write_str("no moment after the beginning"),
        }
    }
}

impl std::error::Error for LinkTraceError {}

impl LinkTrace {
    /// Bytes that may leave at one time.
    pub const BYTES: u32 = 1504;

    /// Parses a trace: one time per line, in milliseconds; empty lines and lines that start with
    /// `#` are ignored.
    ///
    /// # Errors
    /// See [`LinkTraceError`].
    pub fn parse(text: &str) -> Result<Self, LinkTraceError> {
        let mut moments: Vec<Duration> = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let line_number = at + 1;
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let millis = line
                .parse()
                .map_err(|_| LinkTraceError::NotANumber { line: line_number })?;
            let moment = Duration::from_millis(millis);
            if moments.last().is_some_and(|last| *last > moment) {
                return Err(LinkTraceError::Backwards { line: line_number });
            }
            moments.push(moment);
        }
        match moments.last() {
            Some(last) if !last.is_zero() => Ok(Self { moments }),
            _ => Err(LinkTraceError::Empty),
        }
    }

    /// The trace of rates that follow each other, each for its time, at whole milliseconds.
    ///
    /// # Errors
    /// [`LinkTraceError::Empty`] without a time at which a packet may leave, or with more than
    /// 5,000,000 of them.
    pub fn of_rates(steps: &[(Duration, Bitrate)]) -> Result<Self, LinkTraceError> {
        const MOMENTS_MAX: usize = 5_000_000;
        let (mut moments, mut began) = (Vec::new(), Duration::ZERO);
        for (lasts, rate) in steps {
            let until = began + *lasts;
            let next = |count: u64| {
                let millis = count * u64::from(Self::BYTES) * 8000;
                began + Duration::from_millis(millis.div_ceil(rate.0.max(1)))
            };
            let times = (1..).map(next).take_while(|moment| *moment <= until);
            moments.extend(times.take(MOMENTS_MAX));
            began = until;
        }
        match moments.last() {
            Some(last) if moments.len() < MOMENTS_MAX && !last.is_zero() => Ok(Self { moments }),
            _ => Err(LinkTraceError::Empty),
        }
    }

    fn period(&self) -> Duration {
        self.moments.last().copied().unwrap_or(Duration::MAX)
    }

    /// The `n`th time, counted over all repetitions.
    fn moment(&self, n: u64) -> Time {
        let len = self.moments.len() as u64;
        let within = usize::try_from(n % len).map_or(Duration::MAX, |at| self.moments[at]);
        let rounds = u32::try_from(n / len).unwrap_or(u32::MAX);
        Time::ZERO + self.period().saturating_mul(rounds) + within
    }

    /// Index of the first time at or after `time`, counted over all repetitions.
    fn first_at(&self, time: Time) -> u64 {
        let period = self.period().as_nanos();
        let nanos = u128::from(time.as_nanos());
        // The times at the very end of a repetition still count.
        let (round, rest) = match (nanos / period, nanos % period) {
            (0, rest) => (0, rest),
            (round, 0) => (round - 1, period),
            (round, rest) => (round, rest),
        };
        let within = self
            .moments
            .partition_point(|moment| moment.as_nanos() < rest);
        u64::try_from(round).unwrap_or(u64::MAX) * self.moments.len() as u64 + within as u64
    }
}

/// Schedules consecutive transmissions on a link.
#[derive(Debug)]
pub(crate) enum Serialiser {
    Instant,
    Constant {
        rate: Bitrate,
        /// Length and transmission time of the last packet; most packets have the same length.
        last: (u32, Duration),
    },
    Trace {
        trace: Arc<LinkTrace>,
        /// Index of the current time over all repetitions, and the bytes left at that time.
        moment: u64,
        left: u32,
    },
}

impl Serialiser {
    pub(crate) fn new(pace: &Pace) -> Self {
        match pace {
            Pace::Instant => Self::Instant,
            Pace::Constant(rate) => Self::Constant {
                rate: *rate,
                last: (0, Duration::ZERO),
            },
            Pace::Trace(trace) => Self::Trace {
                trace: trace.clone(),
                moment: 0,
                left: LinkTrace::BYTES,
            },
        }
    }

    /// Schedules a packet whose transmission may start at `start`; returns when its last bit
    /// leaves.
    pub(crate) fn finish(&mut self, start: Time, bytes: u32) -> Time {
        match self {
            Self::Instant => start,
            Self::Constant { rate, last } => {
                if last.0 != bytes {
                    *last = (bytes, rate.time_for(bytes));
                }
                start + last.1
            }
            Self::Trace {
                trace,
                moment,
                left,
            } => {
                // Unused opportunities are lost.
                let first = trace.first_at(start);
                if first > *moment {
                    (*moment, *left) = (first, LinkTrace::BYTES);
                }
                let mut missing = bytes;
                loop {
                    if *left == 0 {
                        (*moment, *left) = (*moment + 1, LinkTrace::BYTES);
                    }
                    let taken = missing.min(*left);
                    *left -= taken;
                    missing -= taken;
                    if missing == 0 {
                        return trace.moment(*moment);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
