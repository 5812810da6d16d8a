//! A limit on the rate at which files are sent.

use std::time::{Duration, Instant};

/// Messages per second that a low rate is spread over.
const PER_SECOND: u64 = 8;
/// Shortest chunk of a file, bytes.
const LEAST_CHUNK: u64 = 1024;

/// Time by which it may have fallen behind and still catches up.
const SLACK: Duration = Duration::from_millis(100);
/// Longest wait, seconds.
const LONGEST: f64 = 86_400.0;

/// Sends no faster than asked.
#[derive(Clone, Debug)]
pub struct Pace {
    bytes_per_second: u64,
    /// When counting began, and how much was sent then: a pause earns no burst.
    since: Option<(Instant, u64)>,
}

impl Pace {
    /// A pace of that many bytes per second.
    pub fn new(bytes_per_second: u64) -> Self {
        Self {
            bytes_per_second: bytes_per_second.max(1),
            since: None,
        }
    }

    /// Bytes of a file that go well into one message.
    pub fn chunk(&self) -> usize {
        let chunk = (self.bytes_per_second / PER_SECOND).max(LEAST_CHUNK);
        usize::try_from(chunk).unwrap_or(usize::MAX)
    }

    /// Time to wait before more is sent, if any; `sent` bytes were sent so far.
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
