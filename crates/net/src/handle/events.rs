use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use sheave_engine::Event;

use super::{Blocking, Mode};
use crate::event_subscription::EventSubscription;
use crate::wait::{self, Deadline};

/// Events of an association other than messages: path changes, restart, the peer's shutdown, failed
/// sends, and finally [`Event::Closed`]; messages unread at that point still come from `receive`.
/// `Readable` and `Writable` are not reported.
///
/// `Events` neither keep the association open nor slow it down: if the queue is not drained, events
/// beyond 1024 are dropped and [counted](Self::lost).
#[derive(Clone)]
pub struct Events<M: Mode = Blocking> {
    subscription: Arc<EventSubscription>,
    mode: PhantomData<M>,
}

impl<M: Mode> Events<M> {
    pub(crate) fn new(subscription: EventSubscription) -> Self {
        Self {
            subscription: Arc::new(subscription),
            mode: PhantomData,
        }
    }

    pub(crate) fn subscription(&self) -> &EventSubscription {
        &self.subscription
    }

    /// The next event, if one is queued.
    #[must_use]
    pub fn try_next(&self) -> Option<Event> {
        self.subscription.try_next()
    }

    /// Events lost so far because the queue was full.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.subscription.lost()
    }
}

/// Calls that block the calling thread.
impl Events<Blocking> {
    /// Waits for the next event; `None` after [`Event::Closed`] was taken.
    pub fn next(&self) -> Option<Event> {
        wait::forever(|context| self.subscription.poll_next(Some(context)))
    }

    /// Waits like [`next`](Iterator::next); also `None` if no event came within `timeout`.
    pub fn next_timeout(&self, timeout: Duration) -> Option<Event> {
        wait::until(Deadline::after(timeout), |context| {
            self.subscription.poll_next(Some(context))
        })?
    }
}

impl Iterator for Events<Blocking> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        Self::next(self)
    }
}

#[cfg(feature = "tokio")]
mod asynchronous {
    use std::future::poll_fn;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use futures_core::Stream;

    use super::{Event, Events};
    use crate::handle::Async;

    /// `async` calls.
    impl Events<Async> {
        /// The next event; `None` after [`Event::Closed`] was taken.
        ///
        /// # Cancellation
        /// Safe: dropping the future loses no event.
        pub async fn next(&self) -> Option<Event> {
            poll_fn(|context| self.subscription.poll_next(Some(context))).await
        }
    }

    impl Stream for Events<Async> {
        type Item = Event;

        fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Event>> {
            self.subscription.poll_next(Some(context))
        }
    }
}

impl<M: Mode> fmt::Debug for Events<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events")
            .field("lost", &self.lost())
            .finish_non_exhaustive()
    }
}
