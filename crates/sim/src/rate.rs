use core::fmt;
use core::time::Duration;
use std::sync::Arc;

use sheave_engine::Time;

/// A rate of sending, bits per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bitrate(pub u64);

impl Bitrate {
    /// That many million bits per second.
    #[must_use]
    pub const fn mbit(millions: u64) -> Self {
        Self(millions * 1_000_000)
    }

    /// Transmission time of `bytes`, rounded up to a nanosecond.
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
    /// In no time.
    #[default]
    Instant,
    /// At a constant rate.
    Constant(Bitrate),
    /// A recorded link.
    Trace(Arc<LinkTrace>),
}

/// When a recorded link could send, in Mahimahi's format: each entry is a moment at which one
/// packet of 1504 bytes, or several smaller ones, could leave. The trace repeats itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkTrace {
    /// The moments, ascending; the last one is also the length of the trace and not zero.
    moments: Vec<Duration>,
}

/// The reason why a text is no link trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkTraceError {
    /// That line, from 1 on, is not a whole number of milliseconds.
    NotANumber {
        /// The line.
        line: usize,
    },
    /// That line is earlier than the one before it.
    Backwards {
        /// The line.
        line: usize,
    },
    /// There is no moment after the beginning.
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
    /// Bytes that can leave at one moment.
    pub const BYTES: u32 = 1504;

    /// Reads a trace: one moment a line, in milliseconds; empty lines and lines that begin with
    /// `#` do not count.
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

    fn period(&self) -> Duration {
        self.moments.last().copied().unwrap_or(Duration::MAX)
    }

    /// The `n`th moment of all repetitions.
    fn moment(&self, n: u64) -> Time {
        let len = self.moments.len() as u64;
        let within = usize::try_from(n % len).map_or(Duration::MAX, |at| self.moments[at]);
        let rounds = u32::try_from(n / len).unwrap_or(u32::MAX);
        Time::ZERO + self.period().saturating_mul(rounds) + within
    }

    /// The first moment at or after `time`, counted over all repetitions.
    fn first_at(&self, time: Time) -> u64 {
        let period = self.period().as_nanos();
        let nanos = u128::from(time.as_nanos());
        // At the very end of a round its last moments still count.
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

/// A link's way of putting packets on the line one after the other.
#[derive(Debug)]
pub(crate) enum Serialiser {
    Instant,
    Constant {
        rate: Bitrate,
        /// Bytes of the last packet and its time: most packets are as long as the one before.
        last: (u32, Duration),
    },
    Trace {
        trace: Arc<LinkTrace>,
        /// The moment in use, counted over all repetitions, and the bytes left of it.
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

    /// When the last bit of a packet of that many bytes leaves whose turn begins at `start`.
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
                // What nobody waited for is lost.
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
