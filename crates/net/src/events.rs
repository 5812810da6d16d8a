use std::time::Duration;

use crate::Event;

/// What happens to an association besides messages: paths, restart, the peer's shutdown, failed
/// sends, and as the last [`Event::Closed`] (its unread messages come from `receive`). `Readable`
/// and `Writable` are not among them.
///
/// It neither keeps the association open nor slows it: when nobody takes them, events beyond 1024
/// are lost and [counted](Self::lost).
#[derive(Clone, Debug)]
pub struct Events {}

impl Events {
    /// Waits for the next event; `None` after [`Event::Closed`] was taken.
    #[expect(
        clippy::should_implement_trait,
        reason = "it takes `&self`; `Iterator` is there too"
    )]
    pub fn next(&self) -> Option<Event> {
        todo!()
    }

    /// As [`next`](Self::next); also `None` when none came within `timeout`.
    pub fn next_timeout(&self, timeout: Duration) -> Option<Event> {
        todo!()
    }

    /// The next event if there is one.
    pub fn try_next(&self) -> Option<Event> {
        todo!()
    }

    /// Events lost so far because the queue was full.
    #[must_use]
    pub fn lost(&self) -> u64 {
        todo!()
    }
}

impl Iterator for Events {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        Self::next(self)
    }
}
