use core::fmt;

use bytes::{BufMut, Bytes};

use super::framing::TooLong;
use super::stack::ConnectionId;
use super::tcb::ConnectionStats;
use super::{Phase, Stack, Tuple};

/// The reason why bytes were not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendError {
    /// This end has already finished sending.
    Finished,
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this end has finished sending")
    }
}

impl core::error::Error for SendError {}

/// Access to a connection of a [`Stack`].
#[derive(Debug)]
pub struct Connection<'a> {
    stack: &'a mut Stack,
    id: ConnectionId,
}

impl<'a> Connection<'a> {
    pub(super) const fn new(stack: &'a mut Stack, id: ConnectionId) -> Self {
        Self { stack, id }
    }

    /// Accepts as many bytes as fit the send buffer and returns the number; if not all fit,
    /// [`Event::Writable`](super::Event::Writable) follows. Data is held until the handshake
    /// completes.
    ///
    /// # Errors
    /// [`SendError::Finished`] after [`shutdown`](Self::shutdown).
    pub fn send(&mut self, bytes: &[u8]) -> Result<usize, SendError> {
        self.send_bytes(&Bytes::copy_from_slice(bytes))
    }

    /// Works like [`send`](Self::send), without copying.
    ///
    /// # Errors
    /// Same as [`send`](Self::send).
    pub fn send_bytes(&mut self, bytes: &Bytes) -> Result<usize, SendError> {
        self.stack.send(self.id, bytes)
    }

    /// Appends at most `max` received bytes to `out`; returns the number.
    pub fn receive(&mut self, out: &mut impl BufMut, max: usize) -> usize {
        self.stack.receive(self.id, out, max)
    }

    /// Reads received bytes, and returns the first complete message; each message follows its
    /// [length](super::length_prefix). Bytes read here are not returned by
    /// [`receive`](Self::receive).
    ///
    /// # Errors
    /// [`TooLong`] if the next message exceeds `max`.
    pub fn receive_message(&mut self, max: usize) -> Result<Option<Bytes>, TooLong> {
        self.stack.receive_message(self.id, max)
    }

    /// Drops at most `max` received bytes and returns the number, for callers that only count.
    pub fn discard(&mut self, max: usize) -> usize {
        self.stack.discard(self.id, max)
    }

    /// Finishes sending: data already accepted is sent, then a FIN.
    pub fn shutdown(&mut self) {
        self.stack.shutdown(self.id);
    }

    /// Aborts the connection with a RST; it no longer exists afterwards.
    pub fn abort(self) {
        self.stack.abort(self.id);
    }

    /// Addresses and ports of both ends.
    pub fn tuple(&self) -> Option<Tuple> {
        Some(self.stack.tcb(self.id)?.tuple())
    }

    /// The phase.
    pub fn phase(&self) -> Phase {
        self.stack
            .tcb(self.id)
            .map_or(Phase::Closed, super::tcb::Tcb::phase)
    }

    /// Bytes that [`send`](Self::send) would accept.
    pub fn room(&self) -> usize {
        self.stack.tcb(self.id).map_or(0, |tcb| tcb.sender().room())
    }

    /// Bytes that can be received.
    pub fn readable(&self) -> usize {
        self.stack
            .tcb(self.id)
            .and_then(|tcb| tcb.receiver())
            .map_or(0, super::receiver::Receiver::readable)
    }

    /// The current statistics of the connection.
    pub fn stats(&self) -> Option<ConnectionStats> {
        Some(self.stack.tcb(self.id)?.stats())
    }
}
