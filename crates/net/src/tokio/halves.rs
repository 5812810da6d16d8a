use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;

use super::Association;
use crate::{Message, ReceiveError, Received, SendError, SendOptions};

/// The sending half of an association.
#[derive(Clone, Debug)]
pub struct Sender {
    association: Association,
}

/// The receiving half of an association. It is also a [`Stream`] of what it receives, which ends
/// where [`receive`](Self::receive) returns `None`, or after its error.
#[derive(Clone, Debug)]
pub struct Receiver {
    association: Association,
    end: End,
}

/// Whether the stream has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Ahead,
    Reached,
}

impl Sender {
    pub(super) fn new(association: Association) -> Self {
        Self { association }
    }

    /// The whole association, for everything that is not sending.
    #[must_use]
    pub fn association(&self) -> &Association {
        &self.association
    }

    /// As [`Association::send`].
    ///
    /// # Errors
    /// As there.
    pub async fn send(&self, message: Message) -> Result<(), SendError> {
        self.association.send(message).await
    }

    /// As [`Association::send_with`].
    ///
    /// # Errors
    /// As there.
    pub async fn send_with(&self, message: Message, options: SendOptions) -> Result<(), SendError> {
        self.association.send_with(message, options).await
    }

    /// As [`Association::try_send`].
    ///
    /// # Errors
    /// As there.
    pub fn try_send(&self, message: Message, options: SendOptions) -> Result<(), SendError> {
        self.association.try_send(message, options)
    }
}

impl Receiver {
    pub(super) fn new(association: Association) -> Self {
        Self {
            association,
            end: End::Ahead,
        }
    }

    /// The whole association, for everything that is not receiving.
    #[must_use]
    pub fn association(&self) -> &Association {
        &self.association
    }

    /// As [`Association::receive`].
    ///
    /// # Errors
    /// As there.
    pub async fn receive(&self) -> Result<Option<Received>, ReceiveError> {
        self.association.receive().await
    }

    /// As [`Association::try_receive`].
    ///
    /// # Errors
    /// As there.
    pub fn try_receive(&self) -> Result<Option<Received>, ReceiveError> {
        self.association.try_receive()
    }

    /// As [`Association::receive_whole`].
    ///
    /// # Errors
    /// As there.
    pub async fn receive_whole(&self, limit: usize) -> Result<Option<Message>, ReceiveError> {
        self.association.receive_whole(limit).await
    }
}

impl Stream for Receiver {
    type Item = Result<Received, ReceiveError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.end == End::Reached {
            return Poll::Ready(None);
        }
        let item = match self.association.poll_receive(context) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(outcome) => outcome.transpose(),
        };
        if !matches!(item, Some(Ok(_))) {
            self.end = End::Reached;
        }
        Poll::Ready(item)
    }
}
