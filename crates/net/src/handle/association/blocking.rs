use std::task::Context;
use std::time::Duration;

use sheave_engine::{CloseReason, Message, Received, SendOptions};

use super::{Association, graceful};
use crate::error::{ReceiveError, SendError};
use crate::handle::Blocking;
use crate::wait::{self, Deadline};

/// Calls that wait on the calling thread.
impl Association<Blocking> {
    /// Sends a message; waits while the send buffer is full. It has been delivered when
    /// [`shutdown`](Self::shutdown) succeeds or [`Event::Drained`](crate::Event::Drained) comes.
    ///
    /// # Errors
    /// The message can never be sent, or the association closes or is closed.
    pub fn send(&self, message: Message) -> Result<(), SendError> {
        self.send_with(message, SendOptions::default())
    }

    /// Sends like [`send`](Self::send), with options for this message.
    ///
    /// # Errors
    /// As `send`.
    pub fn send_with(&self, message: Message, options: SendOptions) -> Result<(), SendError> {
        self.send_until(message, options, Deadline::Never)
    }

    /// Sends like [`send_with`](Self::send_with), waiting at most `timeout` for room.
    ///
    /// # Errors
    /// As `send`, and [`SendError::Full`].
    pub fn send_timeout(
        &self,
        message: Message,
        options: SendOptions,
        timeout: Duration,
    ) -> Result<(), SendError> {
        self.send_until(message, options, Deadline::after(timeout))
    }

    /// Waits for the next message, or part of a large one. `None` is the graceful end: everything
    /// that the peer sent has been returned.
    ///
    /// A peer that is gone without a word is noticed when something goes unanswered: data, a
    /// request, or the next heartbeat ([`Options::heartbeats`](crate::Options::heartbeats)). After
    /// [`Options::dead_peer_timeout`](crate::Options::dead_peer_timeout) of silence from then on,
    /// 20 s unless set otherwise, the association ends; that its paths fail is told long before, in
    /// events.
    ///
    /// # Errors
    /// The association ended otherwise; what had arrived in full was returned first.
    pub fn receive(&self) -> Result<Option<Received>, ReceiveError> {
        self.handle
            .read_forever(|context| self.handle.poll_receive(Some(context)))
    }

    /// Receives like [`receive`](Self::receive), waiting at most `timeout`.
    ///
    /// # Errors
    /// As `receive`, and [`ReceiveError::NotYet`].
    pub fn receive_timeout(&self, timeout: Duration) -> Result<Option<Received>, ReceiveError> {
        let poll = |context: &Context<'_>| self.handle.poll_receive(Some(context));
        let answer = self.handle.read_until(Deadline::after(timeout), poll);
        answer.unwrap_or(Err(ReceiveError::NotYet))
    }

    /// Waits for the next whole message and joins the parts of a large one. Use either this or
    /// [`receive`](Self::receive) on an association.
    ///
    /// # Errors
    /// As `receive`, and [`ReceiveError::TooLarge`] for a message of more than `limit` bytes; the
    /// next call returns the message after it.
    pub fn receive_whole(&self, limit: usize) -> Result<Option<Message>, ReceiveError> {
        self.handle
            .read_forever(|context| self.handle.poll_receive_whole(Some(context), limit))
    }

    /// Closes gracefully and waits until it is done: the peer has everything that was sent.
    /// Messages from the peer can still be received afterwards. Where the peer still sends more
    /// than the receive buffer holds, another thread must receive meanwhile.
    ///
    /// # Errors
    /// The association ended in another way; what was sent may not all have been delivered. The
    /// reason is an [`Error`](std::error::Error), for `?`.
    pub fn shutdown(&self) -> Result<(), CloseReason> {
        self.start_shutdown();
        graceful(wait::forever(|context| self.handle.poll_ended(context)))
    }

    /// Shuts down like [`shutdown`](Self::shutdown), aborting what is not closed within `timeout`.
    ///
    /// # Errors
    /// As `shutdown`; [`CloseReason::Aborted`] when the time was over.
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
