//! The receiver's count.

use core::time::Duration;
use serde_json::json;

use super::Work;
use crate::live::{Parent, STAMP, clock, stamped};

/// Time that the first byte gets.
const FIRST: Duration = Duration::from_secs(60);

/// The bytes that have come in.
#[derive(Debug)]
pub(super) struct Tally {
    work: Work,
    /// The sender's first bytes, which tell when it began, as far as they are here.
    stamp: Vec<u8>,
    /// Bytes of the time that is measured.
    bytes: u64,
    /// The time of the last of them.
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

    /// Time since the sender began; `None` where that is not known yet.
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

    /// Time for which to wait for more.
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
