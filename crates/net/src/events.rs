use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::Event;
use crate::link::Watch;
use crate::wait::{self, Patience};

/// What happens to an association besides messages: paths, restart, the peer's shutdown, failed
/// sends, and as the last [`Event::Closed`] (its unread messages come from `receive`). `Readable`
/// and `Writable` are not among them.
///
/// It neither keeps the association open nor slows it: when nobody takes them, events beyond 1024
/// are lost and [counted](Self::lost).
#[derive(Clone)]
pub struct Events {
    watch: Arc<Watch>,
}

impl Events {
    pub(crate) fn new(watch: Watch) -> Self {
        Self {
            watch: Arc::new(watch),
        }
    }

    /// Waits for the next event; `None` after [`Event::Closed`] was taken.
    pub fn next(&self) -> Option<Event> {
        wait::forever(|context| self.watch.poll_next(Some(context)))
    }

    /// As [`next`](Self::next); also `None` when none came within `timeout`.
    pub fn next_timeout(&self, timeout: Duration) -> Option<Event> {
        wait::until(Patience::lasting(timeout), |context| {
            self.watch.poll_next(Some(context))
        })?
    }

    /// The next event if there is one.
    pub fn try_next(&self) -> Option<Event> {
        self.watch.try_next()
    }

    /// Events lost so far because the queue was full.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.watch.lost()
    }
}

impl Iterator for Events {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        Self::next(self)
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events")
            .field("lost", &self.lost())
            .finish_non_exhaustive()
    }
}
