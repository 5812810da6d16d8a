use std::task::Context;
use std::time::Duration;

use sheave_engine::{CloseReason, Message, Received, SendOptions};

use super::{Association, graceful};
use crate::error::{ReceiveError, SendError};
use crate::handle::Blocking;
use crate::wait::{self, Deadline};

/// Calls that block the calling thread.
impl Association<Blocking> {
    /// Queues a message for sending; waits while the send buffer is full. Delivery is confirmed
    /// when [`shutdown`](Self::shutdown) succeeds or [`Event::Drained`](crate::Event::Drained)
    /// comes.
    ///
    /// # Errors
    /// The message can never be sent, or the association is closing or closed.
    pub fn send(&self, message: Message) -> Result<(), SendError> {
        self.send_with(message, SendOptions::default())
    }

    /// Sends like [`send`](Self::send), with options for this message.
    ///
    /// # Errors
    /// The errors of `send`.
    pub fn send_with(&self, message: Message, options: SendOptions) -> Result<(), SendError> {
        self.send_until(message, options, Deadline::Never)
    }

    /// Sends like [`send_with`](Self::send_with), waiting at most `timeout` for room.
    ///
    /// # Errors
    /// The errors of `send`, and [`SendError::Full`].
    pub fn send_timeout(
        &self,
        message: Message,
        options: SendOptions,
        timeout: Duration,
    ) -> Result<(), SendError> {
        self.send_until(message, options, Deadline::after(timeout))
    }

    /// Waits for the next message, or part of a large one. Returns `None` at the graceful end,
    /// after all the peer's messages were returned.
    ///
    /// A peer that disappears silently is detected when data, a request, or the next heartbeat
    /// ([`Options::heartbeats`](crate::Options::heartbeats)) goes unanswered. The association ends
    /// after [`Options::dead_peer_timeout`](crate::Options::dead_peer_timeout) of silence from then
    /// on, 20 s by default; events report failing paths long before.
    ///
    /// # Errors
    /// The association did not end gracefully; messages that had arrived completely were returned
    /// first.
    pub fn receive(&self) -> Result<Option<Received>, ReceiveError> {
        self.handle
            .read_forever(|context| self.handle.poll_receive(Some(context)))
    }

    /// Receives like [`receive`](Self::receive), waiting at most `timeout`.
    ///
    /// # Errors
    /// The errors of `receive`, and [`ReceiveError::NotYet`].
    pub fn receive_timeout(&self, timeout: Duration) -> Result<Option<Received>, ReceiveError> {
        let poll = |context: &Context<'_>| self.handle.poll_receive(Some(context));
        let answer = self.handle.read_until(Deadline::after(timeout), poll);
        answer.unwrap_or(Err(ReceiveError::NotYet))
    }

    /// Waits for the next whole message and joins the parts of a large one. Use either this or
    /// [`receive`](Self::receive) on an association.
    ///
    /// # Errors
    /// The errors of `receive`, and [`ReceiveError::TooLarge`] for a message of more than `limit`
    /// bytes; the next call returns the message after it.
    pub fn receive_whole(&self, limit: usize) -> Result<Option<Message>, ReceiveError> {
        self.handle
            .read_forever(|context| self.handle.poll_receive_whole(Some(context), limit))
    }

    /// Receives like [`receive_whole`](Self::receive_whole), waiting at most `timeout`; parts that
    /// arrived are kept for the next call.
    ///
    /// # Errors
    /// The errors of `receive_whole`, and [`ReceiveError::NotYet`].
    pub fn receive_whole_timeout(
        &self,
        limit: usize,
        timeout: Duration,
    ) -> Result<Option<Message>, ReceiveError> {
        let poll = |context: &Context<'_>| self.handle.poll_receive_whole(Some(context), limit);
        let answer = self.handle.read_until(Deadline::after(timeout), poll);
        answer.unwrap_or(Err(ReceiveError::NotYet))
    }

    /// Closes gracefully and waits until the peer has received every message. Messages from the
    /// peer can still be received afterwards. If the peer sends more than the receive buffer holds,
    /// another thread must receive meanwhile.
    ///
    /// # Errors
    /// The association did not end gracefully; some messages may not have been delivered. The
    /// reason implements [`Error`](std::error::Error), for `?`.
    pub fn shutdown(&self) -> Result<(), CloseReason> {
        self.start_shutdown();
        graceful(wait::forever(|context| self.handle.poll_ended(context)))
    }

    /// Shuts down like [`shutdown`](Self::shutdown), but aborts after `timeout`.
    ///
    /// # Errors
    /// The errors of `shutdown`; [`CloseReason::Aborted`] if the timeout expired.
    pub fn shutdown_timeout(&self, timeout: Duration) -> Result<(), CloseReason> {
        self.start_shutdown();
        let deadline = Deadline::after(timeout);
        match wait::until(deadline, |context| self.handle.poll_ended(context)) {
            Some(reason) => graceful(reason),
            None => {
                self.abort("the shutdown took too long");
                graceful(self.close_reason().unwrap_or(CloseReason::Aborted))
            }
        }
    }

    fn send_until(
        &self,
        message: Message,
        options: SendOptions,
        deadline: Deadline,
    ) -> Result<(), SendError> {
        let mut pending = Some(message);
        let poll =
            |context: &Context<'_>| self.handle.poll_send(Some(context), &mut pending, options);
        match (wait::until(deadline, poll), pending) {
            (Some(outcome), _) => outcome,
            (None, Some(message)) => Err(SendError::Full(message)),
            (None, None) => Ok(()),
        }
    }
}
