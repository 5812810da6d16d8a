use core::fmt;

use bytes::{BufMut, Bytes};

use super::framing::TooLong;
use super::stack::ConnectionId;
use super::tcb::ConnectionStats;
use super::{Phase, Stack, Tuple};

/// The reason why bytes were not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendError {
    /// This end has said that it has no more to say.
    Finished,
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this end has finished sending")
    }
}

impl core::error::Error for SendError {}

/// A connection of a [`Stack`], to act on it.
#[derive(Debug)]
pub struct Connection<'a> {
    stack: &'a mut Stack,
    id: ConnectionId,
}

impl<'a> Connection<'a> {
    pub(super) const fn new(stack: &'a mut Stack, id: ConnectionId) -> Self {
        Self { stack, id }
    }

    /// Takes as many bytes as the send buffer has room for and tells how many; where that is less
    /// than all, [`Event::Writable`](super::Event::Writable) follows. Before the handshake is over
    /// they wait.
    ///
    /// # Errors
    /// [`SendError::Finished`] after [`shutdown`](Self::shutdown).
    pub fn send(&mut self, bytes: &[u8]) -> Result<usize, SendError> {
        self.send_bytes(&Bytes::copy_from_slice(bytes))
    }

    /// Takes bytes like [`send`](Self::send), without copying them.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    pub fn send_bytes(&mut self, bytes: &Bytes) -> Result<usize, SendError> {
        self.stack.send(self.id, bytes)
    }

    /// Moves at most `max` bytes that have come to the end of `out` and tells how many.
    pub fn receive(&mut self, out: &mut impl BufMut, max: usize) -> usize {
        self.stack.receive(self.id, out, max)
    }

    /// Reads all that has come, and hands out the first message that is complete: each stands behind its
    /// [length](super::length_prefix). What it reads, [`receive`](Self::receive) does not give.
    ///
    /// # Errors
    /// [`TooLong`] where the next message is longer than `max`.
    pub fn receive_message(&mut self, max: usize) -> Result<Option<Bytes>, TooLong> {
        self.stack.receive_message(self.id, max)
    }

    /// Drops at most `max` bytes that have come and tells how many: for who only counts.
    pub fn discard(&mut self, max: usize) -> usize {
        self.stack.discard(self.id, max)
    }

    /// Says that nothing more will be sent: what was taken still is, and then a FIN.
    pub fn shutdown(&mut self) {
        self.stack.shutdown(self.id);
    }

    /// Ends the connection at once, with a RST. The connection exists no more afterwards.
    pub fn abort(self) {
        self.stack.abort(self.id);
    }

    /// The two ends.
    #[must_use]
    pub fn tuple(&self) -> Option<Tuple> {
        Some(self.stack.tcb(self.id)?.tuple())
    }

    /// The phase.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.stack
            .tcb(self.id)
            .map_or(Phase::Closed, super::tcb::Tcb::phase)
    }

    /// Bytes that [`send`](Self::send) would take.
    #[must_use]
    pub fn room(&self) -> usize {
        self.stack.tcb(self.id).map_or(0, |tcb| tcb.sender().room())
    }

    /// Bytes that can be received.
    #[must_use]
    pub fn readable(&self) -> usize {
        self.stack
            .tcb(self.id)
            .and_then(|tcb| tcb.receiver())
            .map_or(0, super::receiver::Receiver::readable)
    }

    /// The current statistics of the connection.
    #[must_use]
    pub fn stats(&self) -> Option<ConnectionStats> {
        Some(self.stack.tcb(self.id)?.stats())
    }
}
