use std::fmt;

use sheave_engine::Received;

use super::{Association, Blocking, Mode};
use crate::error::ReceiveError;

/// Iterator, or `Stream` for tasks, over an association's arriving messages. Ends at the graceful
/// end of the association, or after returning its error.
#[derive(Clone)]
pub struct Messages<M: Mode = Blocking> {
    association: Association<M>,
    end: End,
}

/// Whether the final item has been returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Ahead,
    Reached,
}

impl<M: Mode> Messages<M> {
    pub(crate) fn new(association: Association<M>) -> Self {
        Self {
            association,
            end: End::Ahead,
        }
    }

    /// Records the end if this item is the last one, and passes the item on.
    fn pass(
        &mut self,
        outcome: Result<Option<Received>, ReceiveError>,
    ) -> Option<Result<Received, ReceiveError>> {
        if !matches!(outcome, Ok(Some(_))) {
            self.end = End::Reached;
        }
        outcome.transpose()
    }
}

impl Iterator for Messages<Blocking> {
    type Item = Result<Received, ReceiveError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.end == End::Reached {
            return None;
        }
        let outcome = self.association.receive();
        self.pass(outcome)
    }
}

#[cfg(feature = "tokio")]
mod asynchronous {
    use std::pin::Pin;
    use std::task::{Context, Poll, ready};

    use futures_core::Stream;

    use super::{End, Messages, ReceiveError, Received};
    use crate::handle::Async;

    impl Stream for Messages<Async> {
        type Item = Result<Received, ReceiveError>;

        fn poll_next(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
        ) -> Poll<Option<Self::Item>> {
            if self.end == End::Reached {
                return Poll::Ready(None);
            }
            let handle = self.association.handle();
            let outcome = ready!(handle.poll_receive(Some(context)));
            Poll::Ready(self.pass(outcome))
        }
    }
}

impl<M: Mode> fmt::Debug for Messages<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Messages").field(&self.association).finish()
    }
}
