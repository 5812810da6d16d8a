use std::future::poll_fn;

use sheave_engine::{CloseReason, Message, Received, SendOptions};

use super::{Association, graceful};
use crate::error::{ReceiveError, SendError};
use crate::handle::Async;

/// Calls that wait as tasks.
impl Association<Async> {
    /// Sends a message; waits while the send buffer is full.
    ///
    /// # Cancellation
    /// Dropping the future before it is ready drops the message, of which nothing was sent. To keep
    /// it, use [`try_send`](Self::try_send), which gives it back.
    ///
    /// # Errors
    /// The message can never be sent, or the association closes or is closed.
    pub async fn send(&self, message: Message) -> Result<(), SendError> {
        self.send_with(message, SendOptions::default()).await
    }

    /// Sends a message with options of its own; else as `send`, also when cancelled.
    ///
    /// # Errors
    /// As `send`.
    pub async fn send_with(&self, message: Message, options: SendOptions) -> Result<(), SendError> {
        let mut pending = Some(message);
        poll_fn(|context| self.handle.poll_send(Some(context), &mut pending, options)).await
    }

    /// The next message, or part of a large one; as the blocking call.
    ///
    /// # Cancellation
    /// Safe, in `select!` as well: dropping the future loses no message.
    ///
    /// # Errors
    /// The association ended otherwise than gracefully; messages that had arrived in full were
    /// returned first.
    pub async fn receive(&self) -> Result<Option<Received>, ReceiveError> {
        poll_fn(|context| self.handle.poll_receive(Some(context))).await
    }

    /// The next whole message; joins the parts of a large one. Use either this or `receive` on an
    /// association.
    ///
    /// # Cancellation
    /// Safe: the parts that were taken are kept for the next call.
    ///
    /// # Errors
    /// As `receive`, and [`ReceiveError::TooLarge`] for a message of more than `limit` bytes; the
    /// next call returns the message after it.
    pub async fn receive_whole(&self, limit: usize) -> Result<Option<Message>, ReceiveError> {
        poll_fn(|context| self.handle.poll_receive_whole(Some(context), limit)).await
    }

    /// Closes gracefully, and is done when the peer has everything that was sent. Messages from
    /// the peer can still be received afterwards. Where the peer still sends more than the
    /// receive buffer holds, another task must receive meanwhile.
    ///
    /// # Cancellation
    /// The shutdown, once begun by the first poll, goes on; another call waits for its end.
    ///
    /// # Errors
    /// The association ended in another way; what was sent may not all have been delivered. The
    /// reason is an [`Error`](std::error::Error), for `?`.
    pub async fn shutdown(&self) -> Result<(), CloseReason> {
        self.start_shutdown();
        graceful(poll_fn(|context| self.handle.poll_ended(context)).await)
    }
}
