//! Polls for events briefly before the host sleeps: sleeping and waking take as long as a nearby
//! peer's answer.

use std::num::NonZero;
use std::thread;
use std::time::Duration;

/// Duration of a poll. More work than that between two waits means bulk transfer, whose events may
/// gather while the host sleeps.
const LOOK: Duration = Duration::from_micros(100);
/// Log2 of the most waits between two polls.
const SELDOM: u32 = 6;

/// Decides whether to poll before sleeping: ever less often while polls find nothing, because the
/// peer is far or the programs need the processor.
#[derive(Debug)]
pub(super) struct Lookout {
    has_processors: bool,
    /// Consecutive polls that found nothing, up to `SELDOM`.
    misses: u32,
    /// Waits until the next poll.
    skipped: u32,
}

impl Lookout {
    /// Creates a lookout, which never polls on a single processor.
    pub(super) fn new() -> Self {
        let processors = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        Self {
            has_processors: processors > NonZero::<usize>::MIN,
            misses: 0,
            skipped: 0,
        }
    }

    /// Duration of the poll in this wait, after `worked` since the last one.
    pub(super) fn span(&mut self, worked: Duration) -> Duration {
        if !self.has_processors || worked > LOOK {
            return Duration::ZERO;
        }
        match self.skipped.checked_sub(1) {
            Some(left) => {
                self.skipped = left;
                Duration::ZERO
            }
            None => LOOK,
        }
    }

    /// Notes that a poll found something.
    pub(super) fn found(&mut self) {
        self.misses = 0;
    }

    /// Notes that a poll found nothing.
    pub(super) fn missed(&mut self) {
        self.misses = SELDOM.min(self.misses + 1);
        self.skipped = (1 << self.misses) - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_in_vain_become_seldom_until_one_finds_something() {
        let mut lookout = Lookout {
            has_processors: true,
            ..Lookout::new()
        };
        let mut waits_to_the_next = || {
            let waits = (1..).find(|_| lookout.span(Duration::ZERO) > Duration::ZERO);
            lookout.missed();
            waits.unwrap()
        };
        let waits: Vec<u32> = (0..9).map(|_| waits_to_the_next()).collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 64, 64, 64]);
        let _ = (0..63).all(|_| lookout.span(Duration::ZERO) == Duration::ZERO);
        lookout.found();
        assert!(lookout.span(Duration::ZERO) > Duration::ZERO);
        assert!(lookout.span(Duration::ZERO) > Duration::ZERO);
    }

    #[test]
    fn bulk_is_not_looked_for() {
        let mut lookout = Lookout {
            has_processors: true,
            ..Lookout::new()
        };
        assert!(lookout.span(LOOK) > Duration::ZERO);
        assert_eq!(lookout.span(LOOK * 2), Duration::ZERO);
    }

    #[test]
    fn one_processor_is_left_to_the_programs() {
        let mut lookout = Lookout {
            has_processors: false,
            ..Lookout::new()
        };
        assert_eq!(lookout.span(Duration::ZERO), Duration::ZERO);
    }
}
