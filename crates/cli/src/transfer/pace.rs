//! Limits the rate of sent file bytes.

use std::time::{Duration, Instant};

/// Messages per second at a low rate.
const PER_SECOND: u64 = 8;
/// Shortest chunk of a file, bytes.
const LEAST_CHUNK: u64 = 1024;

/// Longest delay that is made up for later.
const SLACK: Duration = Duration::from_millis(100);
/// Longest wait, seconds.
const LONGEST: f64 = 86_400.0;

/// A rate limiter.
#[derive(Clone, Debug)]
pub struct Pace {
    bytes_per_second: u64,
    /// Start of counting, and bytes sent by then; reset after a pause, so that it earns no burst.
    since: Option<(Instant, u64)>,
}

impl Pace {
    /// Creates a limiter.
    pub fn new(bytes_per_second: u64) -> Self {
        Self {
            bytes_per_second: bytes_per_second.max(1),
            since: None,
        }
    }

    /// A suitable number of file bytes per message.
    pub fn chunk(&self) -> usize {
        let chunk = (self.bytes_per_second / PER_SECOND).max(LEAST_CHUNK);
        usize::try_from(chunk).unwrap_or(usize::MAX)
    }

    /// Remaining wait before sending more, after `sent` bytes in total.
    pub fn wait(&mut self, sent: u64) -> Option<Duration> {
        self.wait_at(sent, Instant::now())
    }

    fn wait_at(&mut self, sent: u64, now: Instant) -> Option<Duration> {
        let &mut (began, before) = self.since.get_or_insert((now, sent));
        let seconds = (sent - before) as f64 / self.bytes_per_second as f64;
        let due = began + Duration::from_secs_f64(seconds.min(LONGEST));
        if due <= now {
            let earliest = now.checked_sub(SLACK).unwrap_or(now);
            self.since = Some((due.max(earliest), sent));
            return None;
        }
        Some(due - now)
    }
}

#[cfg(test)]
mod tests;
