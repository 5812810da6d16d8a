use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_core::Stream;

use crate::Event;
use crate::link::Watch;

/// As [`crate::Events`], for tasks; also a [`Stream`].
#[derive(Clone)]
pub struct Events {
    watch: Arc<Watch>,
}

impl Events {
    pub(super) fn new(watch: Watch) -> Self {
        Self {
            watch: Arc::new(watch),
        }
    }

    /// The next event; `None` after [`Event::Closed`] was taken.
    pub async fn next(&self) -> Option<Event> {
        poll_fn(|context| self.watch.poll_next(Some(context))).await
    }

    /// The next event if there is one.
    #[must_use]
    pub fn try_next(&self) -> Option<Event> {
        self.watch.try_next()
    }

    /// Events lost so far because the queue was full.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.watch.lost()
    }
}

impl Stream for Events {
    type Item = Event;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Event>> {
        self.watch.poll_next(Some(context))
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events")
            .field("lost", &self.lost())
            .finish_non_exhaustive()
    }
}
