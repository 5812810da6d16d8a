use std::time::Duration;

use crate::{Association, Message, ReceiveError, Received, SendError, SendOptions};

/// The sending half of an association.
#[derive(Clone, Debug)]
pub struct Sender {
    association: Association,
}

/// The receiving half of an association.
#[derive(Clone, Debug)]
pub struct Receiver {
    association: Association,
}

impl Sender {
    pub(crate) fn new(association: Association) -> Self {
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
    pub fn send(&self, message: Message) -> Result<(), SendError> {
        self.association.send(message)
    }

    /// As [`Association::send_with`].
    ///
    /// # Errors
    /// As there.
    pub fn send_with(&self, message: Message, options: SendOptions) -> Result<(), SendError> {
        self.association.send_with(message, options)
    }

    /// As [`Association::send_timeout`].
    ///
    /// # Errors
    /// As there.
    pub fn send_timeout(
        &self,
        message: Message,
        options: SendOptions,
        timeout: Duration,
    ) -> Result<(), SendError> {
        self.association.send_timeout(message, options, timeout)
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
    pub(crate) fn new(association: Association) -> Self {
        Self { association }
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
    pub fn receive(&self) -> Result<Option<Received>, ReceiveError> {
        self.association.receive()
    }

    /// As [`Association::receive_timeout`].
    ///
    /// # Errors
    /// As there.
    pub fn receive_timeout(&self, timeout: Duration) -> Result<Option<Received>, ReceiveError> {
        self.association.receive_timeout(timeout)
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
    pub fn receive_whole(&self, limit: usize) -> Result<Option<Message>, ReceiveError> {
        self.association.receive_whole(limit)
    }
}
