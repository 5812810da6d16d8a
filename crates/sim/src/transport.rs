use bytes::Bytes;
use sheave_engine::Time;

use crate::Agent;

/// State of a connection from the user's perspective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// Not established: not started, listening, or in the handshake.
    Opening,
    /// Established: data can be sent.
    Open,
    /// Ended or ending: nothing more can be sent, but received data can still be read.
    Closed,
}

/// Whether a transport accepted a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Admission {
    /// The message was accepted and will be sent.
    Taken,
    /// The send buffer is full; no part of the message was accepted.
    Full,
}

/// A received message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Stream of the message; 0 if the transport has no streams.
    pub stream: u16,
    /// The message; without message boundaries, all bytes available.
    pub payload: Bytes,
}

/// A connection or an association with a common interface, so that workloads run over any
/// transport.
pub trait Transport: Agent {
    /// Connects or listens. Called once.
    fn open(&mut self, now: Time);

    /// The state of the connection.
    fn standing(&self) -> Standing;

    /// Queues a message on a stream; ignored by transports without streams.
    fn send(&mut self, now: Time, stream: u16, payload: Bytes) -> Admission;

    /// The next received message, in the transport's order of delivery.
    fn receive(&mut self, now: Time) -> Option<Arrival>;

    /// Bytes accepted but not acknowledged, including bookkeeping overhead; `None` if the transport
    /// does not report this.
    fn queued(&mut self) -> Option<usize> {
        None
    }

    /// Gives a stream a lower priority than all others, if the transport supports priorities.
    fn defer(&mut self, _now: Time, _stream: u16) {}

    /// Closes gracefully: accepted messages are still delivered.
    fn close(&mut self, now: Time);
}
