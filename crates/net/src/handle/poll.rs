//! Poll functions of the handles: for a caller with an event loop of its own, which none of the two
//! [modes](super::Mode) fits.
//!
//! Each has the meaning that [`std::future::Future::poll`] gives to its context: when the answer is
//! [`Poll::Pending`], the waker is woken once another try is worth it. Several wakers may wait for
//! one thing. None of them blocks.

use std::task::{Context, Poll};
use std::time::Duration;

use sheave_engine::{CloseReason, Event, Message, Received, SendOptions};

use super::{Association, Endpoint, Events, Listener, Mode};
use crate::error::{ConnectError, ReceiveError, SendError};
use crate::target::Target;
use crate::wait::{self, Deadline};

/// Waits on the calling thread until a poll function is ready; `None` if it is not within
/// `timeout`. Without a timeout it waits for as long as it takes; with one of zero it polls once.
pub fn wait_until<T>(
    timeout: Option<Duration>,
    poll: impl FnMut(&Context<'_>) -> Poll<T>,
) -> Option<T> {
    wait::until(timeout.map_or(Deadline::Never, Deadline::after), poll)
}

/// Polling.
impl<M: Mode> Endpoint<M> {
    /// Starts to set up an association and returns at once.
    /// [`poll_established`](Association::poll_established) tells when it is there; dropping it gives
    /// the attempt up.
    ///
    /// Messages can be sent at once. What [`EarlyData`](crate::options::EarlyData) allows of them
    /// leaves with the handshake, which saves a round trip, as TCP Fast Open does; an attempt that
    /// fails loses them. Streams beyond those that the peer then grants are reported as
    /// [`Event::SendFailed`](crate::Event::SendFailed).
    ///
    /// # Errors
    /// The target cannot be tried.
    pub fn start_connect(&self, target: Target) -> Result<Association<M>, ConnectError> {
        self.inner().connect(target).map(Association::new)
    }

    /// Starts to close the endpoint with all its listeners and associations and returns at once:
    /// gracefully within `timeout`, what remains then is aborted.
    pub fn start_close(&self, timeout: Duration) {
        self.inner().close(timeout);
    }

    /// Ready with the number of associations that were aborted once the endpoint is closed.
    pub fn poll_closed(&self, context: &Context<'_>) -> Poll<usize> {
        self.inner().poll_closed(context)
    }
}

/// Polling.
impl<M: Mode> Listener<M> {
    /// Takes the next association; `None` once the endpoint is closed.
    pub fn poll_accept(&self, context: &Context<'_>) -> Poll<Option<Association<M>>> {
        let accepted = self.inner().poll_accept(context);
        accepted.map(|handle| handle.map(Association::new))
    }

    /// Ready while [`poll_accept`](Self::poll_accept) is; takes nothing.
    pub fn poll_acceptable(&self, context: &Context<'_>) -> Poll<()> {
        self.inner().poll_acceptable(context)
    }
}

/// Polling.
impl<M: Mode> Association<M> {
    /// Ready when it is established, or has failed to be.
    pub fn poll_established(&self, context: &Context<'_>) -> Poll<Result<(), ConnectError>> {
        self.handle().poll_established(context)
    }

    /// Ready when the peer has answered and messages can leave, or the attempt has failed: where
    /// [`EarlyData`](crate::options::EarlyData) allows, a round trip before it is established.
    pub fn poll_answered(&self, context: &Context<'_>) -> Poll<Result<(), ConnectError>> {
        self.handle().poll_answered(context)
    }

    /// Sends the message in `pending`; while there is no room, it stays there.
    pub fn poll_send(
        &self,
        context: &Context<'_>,
        pending: &mut Option<Message>,
        options: SendOptions,
    ) -> Poll<Result<(), SendError>> {
        self.handle().poll_send(Some(context), pending, options)
    }

    /// Takes the next message, or part of a large one; `None` at the graceful end.
    pub fn poll_receive(
        &self,
        context: &Context<'_>,
    ) -> Poll<Result<Option<Received>, ReceiveError>> {
        self.handle().poll_receive(Some(context))
    }

    /// Takes the next whole message of at most `limit` bytes; `None` at the graceful end.
    pub fn poll_receive_whole(
        &self,
        context: &Context<'_>,
        limit: usize,
    ) -> Poll<Result<Option<Message>, ReceiveError>> {
        self.handle().poll_receive_whole(Some(context), limit)
    }

    /// Takes the next whole message like [`poll_receive_whole`](Self::poll_receive_whole), with the place
    /// of its first chunk among what the peer sends.
    pub fn poll_receive_joined(
        &self,
        context: &Context<'_>,
        limit: usize,
    ) -> Poll<Result<Option<Received>, ReceiveError>> {
        self.handle().poll_receive_joined(Some(context), limit)
    }

    /// Ready while [`poll_receive`](Self::poll_receive) is, at the end, too; takes nothing.
    pub fn poll_readable(&self, context: &Context<'_>) -> Poll<()> {
        self.handle().poll_readable(context)
    }

    /// Ready once the association is gone, with the reason.
    pub fn poll_ended(&self, context: &Context<'_>) -> Poll<CloseReason> {
        self.handle().poll_ended(context)
    }
}

/// Polling.
impl<M: Mode> Events<M> {
    /// Takes the next event; `None` after [`Event::Closed`] was taken.
    pub fn poll_event(&self, context: &Context<'_>) -> Poll<Option<Event>> {
        self.subscription().poll_next(Some(context))
    }

    /// Ready while [`poll_event`](Self::poll_event) is; takes nothing.
    pub fn poll_waiting(&self, context: &Context<'_>) -> Poll<()> {
        self.subscription().poll_waiting(context)
    }
}
