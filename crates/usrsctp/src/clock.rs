//! The clock of the stacks.

use std::time::{Duration, Instant};

use sheave_engine::Time;

/// Time since initialisation: real time, or the time reported by the program if greater.
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

    /// Advances the program's time, for programs that run the timers themselves.
    pub(crate) fn pass(&mut self, span: Duration) {
        self.said = self.said.saturating_add(span);
    }

    pub(crate) fn now(&self) -> Time {
        Time::ZERO + self.began.elapsed().max(self.said)
    }
}
