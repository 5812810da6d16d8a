//! The time of the stacks.

use std::time::{Duration, Instant};

use sheave_engine::Time;

/// Real time since the library was initialised, or what its program says has passed, if that is more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    began: Instant,
    said: Duration,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self {
            began: Instant::now(),
            said: Duration::ZERO,
        }
    }

    /// Lets time pass: the program has no threads of the library and calls its timers itself.
    pub(crate) fn pass(&mut self, span: Duration) {
        self.said = self.said.saturating_add(span);
    }

    pub(crate) fn now(&self) -> Time {
        Time::ZERO + self.began.elapsed().max(self.said)
    }
}
