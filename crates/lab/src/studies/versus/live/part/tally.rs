//! The receiver's byte counter.

use core::time::Duration;
use serde_json::json;

use super::Work;
use crate::live::{Parent, STAMP, clock, stamped};

/// Time limit for the first byte.
const FIRST: Duration = Duration::from_secs(60);

/// Counts received bytes.
#[derive(Debug)]
pub(super) struct Tally {
    work: Work,
    /// The received part of the sender's first bytes, which contain its start time.
    stamp: Vec<u8>,
    /// Number of bytes in the measured interval.
    bytes: u64,
    /// Arrival time of the last byte counted.
    last: Duration,
}

impl Tally {
    pub(super) fn new(work: Work) -> Self {
        Self {
            work,
            stamp: Vec::new(),
            bytes: 0,
            last: Duration::ZERO,
        }
    }

    pub(super) fn take(&mut self, bytes: &[u8]) {
        self.take_at(bytes, clock());
    }

    fn take_at(&mut self, bytes: &[u8], clock: Duration) {
        let missing = STAMP - self.stamp.len();
        self.stamp.extend(bytes.iter().take(missing));
        let Some(now) = self.elapsed(clock) else {
            self.bytes += bytes.len() as u64;
            return;
        };
        let counts = match self.work {
            Work::Bytes(_) => true,
            Work::During { from, until } => (from..=until).contains(&now),
        };
        if counts {
            self.bytes += bytes.len() as u64;
            self.last = now;
        }
    }

    /// Time since the sender's start; `None` while the start is unknown.
    fn elapsed(&self, clock: Duration) -> Option<Duration> {
        Some(clock.saturating_sub(stamped(&self.stamp)?))
    }

    pub(super) fn is_over(&self) -> bool {
        match self.work {
            Work::Bytes(bytes) => self.bytes >= bytes,
            Work::During { until, .. } => {
                self.elapsed(clock()).is_some_and(|elapsed| elapsed > until)
            }
        }
    }

    /// Longest time to wait for more data.
    pub(super) fn patience(&self) -> Duration {
        match (self.work, self.elapsed(clock())) {
            (Work::During { until, .. }, Some(elapsed)) => until.saturating_sub(elapsed),
            _ => FIRST,
        }
    }

    pub(super) fn tell(&self, parent: &Parent) -> Result<(), String> {
        let time = match self.work {
            Work::Bytes(_) => self.last,
            Work::During { from, until } => until - from,
        };
        let seconds = time.as_secs_f64();
        parent.tell(&json!({ "bytes": self.bytes, "seconds": seconds }))
    }
}

#[cfg(test)]
mod tests;
