use std::future::poll_fn;

use sheave_engine::{CloseReason, Message, Received, SendOptions};

use super::{Association, graceful};
use crate::error::{ReceiveError, SendError};
use crate::handle::Async;

/// `async` calls.
impl Association<Async> {
    /// Sends a message; waits while the send buffer is full.
    ///
    /// # Cancellation
    /// Dropping the future before it is ready drops the message unsent. To keep the message, use
    /// [`try_send`](Self::try_send), which returns it.
    ///
    /// # Errors
    /// The message can never be sent, or the association is closing or closed.
    pub async fn send(&self, message: Message) -> Result<(), SendError> {
        self.send_with(message, SendOptions::default()).await
    }

    /// Sends a message with its own options; cancellation works as for `send`.
    ///
    /// # Errors
    /// The errors of `send`.
    pub async fn send_with(&self, message: Message, options: SendOptions) -> Result<(), SendError> {
        let mut pending = Some(message);
        poll_fn(|context| self.handle.poll_send(Some(context), &mut pending, options)).await
    }

    /// Receives the next message, or part of a large one, like the blocking call.
    ///
    /// # Cancellation
    /// Safe, in `select!` as well: dropping the future loses no message.
    ///
    /// # Errors
    /// The association did not end gracefully; messages that had arrived completely were returned
    /// first.
    pub async fn receive(&self) -> Result<Option<Received>, ReceiveError> {
        poll_fn(|context| self.handle.poll_receive(Some(context))).await
    }

    /// Receives the next whole message, joining the parts of a large one. Use either this or
    /// `receive` on an association.
    ///
    /// # Cancellation
    /// Safe: parts already taken are kept for the next call.
    ///
    /// # Errors
    /// The errors of `receive`, and [`ReceiveError::TooLarge`] for a message of more than `limit`
    /// bytes; the next call returns the message after it.
    pub async fn receive_whole(&self, limit: usize) -> Result<Option<Message>, ReceiveError> {
        poll_fn(|context| self.handle.poll_receive_whole(Some(context), limit)).await
    }

    /// Closes gracefully; ready when the peer has received every message. Messages from the peer
    /// can still be received afterwards. If the peer sends more than the receive buffer holds,
    /// another task must receive meanwhile.
    ///
    /// # Cancellation
    /// The shutdown starts at the first poll and continues if the future is dropped; another call
    /// waits for its end.
    ///
    /// # Errors
    /// The association did not end gracefully; some messages may not have been delivered. The
    /// reason implements [`Error`](std::error::Error), for `?`.
    pub async fn shutdown(&self) -> Result<(), CloseReason> {
        self.start_shutdown();
        graceful(poll_fn(|context| self.handle.poll_ended(context)).await)
    }
}
