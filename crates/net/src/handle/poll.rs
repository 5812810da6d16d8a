//! Poll functions of the handles, for callers with their own event loop, which neither of the two
//! [modes](super::Mode) suits.
//!
//! Contexts work as in [`std::future::Future::poll`]: after [`Poll::Pending`], the waker is woken
//! when polling again may succeed. Several wakers may wait for the same condition. No function
//! blocks.

use std::task::{Context, Poll};
use std::time::Duration;

use sheave_engine::{CloseReason, Event, Message, Received, SendOptions};

use super::{Association, Endpoint, Events, Listener, Mode};
use crate::error::{ConnectError, ReceiveError, SendError};
use crate::target::Target;
use crate::wait::{self, Deadline};

/// Blocks the calling thread until a poll function is ready; `None` if it is not ready within
/// `timeout`. No timeout means no limit; a timeout of zero polls once.
pub fn wait_until<T>(
    timeout: Option<Duration>,
    poll: impl FnMut(&Context<'_>) -> Poll<T>,
) -> Option<T> {
    wait::until(timeout.map_or(Deadline::Never, Deadline::after), poll)
}

/// Poll functions.
impl<M: Mode> Endpoint<M> {
    /// Starts to set up an association and returns at once.
    /// [`poll_established`](Association::poll_established) reports success; dropping the
    /// association abandons the attempt.
    ///
    /// Messages can be sent at once. Those that [`EarlyData`](crate::options::EarlyData) allows
    /// leave with the handshake, which saves a round trip like TCP Fast Open; if the attempt fails,
    /// they are lost. Messages on streams that the peer then does not grant are reported as
    /// [`Event::SendFailed`](crate::Event::SendFailed).
    ///
    /// # Errors
    /// The target is invalid for this endpoint.
    pub fn start_connect(&self, target: Target) -> Result<Association<M>, ConnectError> {
        self.inner().connect(target).map(Association::new)
    }

    /// Starts to close the endpoint, its listeners and associations, and returns at once:
    /// gracefully within `timeout`, then by aborting the rest.
    pub fn start_close(&self, timeout: Duration) {
        self.inner().close(timeout);
    }

    /// Ready once the endpoint is closed, with the number of aborted associations.
    pub fn poll_closed(&self, context: &Context<'_>) -> Poll<usize> {
        self.inner().poll_closed(context)
    }
}

/// Poll functions.
impl<M: Mode> Listener<M> {
    /// Takes the next association; `None` once the endpoint is closed.
    pub fn poll_accept(&self, context: &Context<'_>) -> Poll<Option<Association<M>>> {
        let accepted = self.inner().poll_accept(context);
        accepted.map(|handle| handle.map(Association::new))
    }

    /// Ready while [`poll_accept`](Self::poll_accept) is; accepts nothing.
    pub fn poll_acceptable(&self, context: &Context<'_>) -> Poll<()> {
        self.inner().poll_acceptable(context)
    }
}

/// Poll functions.
impl<M: Mode> Association<M> {
    /// Ready when the association is established or set-up has failed.
    pub fn poll_established(&self, context: &Context<'_>) -> Poll<Result<(), ConnectError>> {
        self.handle().poll_established(context)
    }

    /// Ready when the peer has answered and messages can be sent, or the attempt has failed. With
    /// [`EarlyData`](crate::options::EarlyData), this is one round trip before the association is
    /// established.
    pub fn poll_answered(&self, context: &Context<'_>) -> Poll<Result<(), ConnectError>> {
        self.handle().poll_answered(context)
    }

    /// Sends the message in `pending`, where it stays while the send buffer is full.
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

    /// Takes the next whole message like [`poll_receive_whole`](Self::poll_receive_whole), with the
    /// position of its first chunk in the peer's sending order.
    pub fn poll_receive_joined(
        &self,
        context: &Context<'_>,
        limit: usize,
    ) -> Poll<Result<Option<Received>, ReceiveError>> {
        self.handle().poll_receive_joined(Some(context), limit)
    }

    /// Ready while [`poll_receive`](Self::poll_receive) is, including at the end; takes nothing.
    pub fn poll_readable(&self, context: &Context<'_>) -> Poll<()> {
        self.handle().poll_readable(context)
    }

    /// Ready once the association has ended, with the reason.
    pub fn poll_ended(&self, context: &Context<'_>) -> Poll<CloseReason> {
        self.handle().poll_ended(context)
    }
}

/// Poll functions.
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
