//! Looking for events for a moment before the host sleeps: to sleep and to be woken takes as long as
//! the whole answer of a peer nearby.

use std::num::NonZero;
use std::thread;
use std::time::Duration;

/// The time of a look. More work than that between two waits is bulk, whose events gather while the
/// host sleeps.
const LOOK: Duration = Duration::from_micros(100);
/// The power of two of the most waits from one look to the next.
const SELDOM: u32 = 6;

/// Decides whether the host looks for events before it sleeps: ever more seldom while nothing comes
/// in that time, be it that the peer is far or that the programs need the processor.
#[derive(Debug)]
pub(super) struct Lookout {
    has_processors: bool,
    /// Looks in vain since the last that found something, up to a bound.
    misses: u32,
    /// Waits before the next look.
    skipped: u32,
}

impl Lookout {
    /// A lookout that never looks where the programs have no processor beside the host's.
    pub(super) fn new() -> Self {
        let processors = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        Self {
            has_processors: processors > NonZero::<usize>::MIN,
            misses: 0,
            skipped: 0,
        }
    }

    /// The time of the look in this wait, after so much work since the last one.
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

    /// Notes that a look found something.
    pub(super) fn found(&mut self) {
        self.misses = 0;
    }

    /// Notes that a look found nothing.
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
