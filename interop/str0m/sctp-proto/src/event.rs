use std::net::{IpAddr, SocketAddr};
use std::time::Instant;

use bytes::Bytes;

use crate::{AssociationError, StreamId};

/// News of an association.
#[non_exhaustive]
#[derive(Debug)]
pub enum Event {
    /// It is up.
    Connected,
    /// It did not come up.
    HandshakeFailed {
        /// The reason.
        reason: AssociationError,
    },
    /// It has ended.
    AssociationLost {
        /// The reason.
        reason: AssociationError,
    },
    /// News of one of its streams.
    Stream(StreamEvent),
    /// Never told: for matches that name it.
    DatagramReceived,
}

/// News of a stream.
#[non_exhaustive]
#[derive(Debug, PartialEq, Eq)]
pub enum StreamEvent {
    /// A message can be read, after there was none.
    Readable {
        /// The stream.
        id: StreamId,
    },
    /// Never told: the send buffer has no limit that a user of data channels meets.
    Writable {
        /// The stream.
        id: StreamId,
    },
    /// The peer has reset the stream, and all of before is read.
    Finished {
        /// The stream.
        id: StreamId,
    },
    /// Both ends have reset the stream, whose id is free again.
    ResetComplete {
        /// The stream.
        id: StreamId,
    },
    /// The peer does not let the stream be reset.
    ResetFailed {
        /// The stream.
        id: StreamId,
        /// The reason.
        reason: StreamResetError,
    },
    /// Never told: SCTP has no such request.
    Stopped {
        /// The stream.
        id: StreamId,
        /// The code of a reason.
        error_code: u16,
    },
    /// The bytes buffered have fallen to the threshold.
    BufferedAmountLow {
        /// The stream.
        id: StreamId,
    },
}

/// The reason why a stream was not reset.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamResetError {
    /// The peer does not want it.
    Denied,
    /// It stayed busy, or broke the rules.
    Failed,
}

/// A packet on its way from the endpoint to the association.
#[derive(Debug)]
pub struct AssociationEvent {
    pub(crate) now: Instant,
    pub(crate) packet: Bytes,
}

/// Never made: an association has nothing to tell its endpoint.
#[derive(Clone, Copy, Debug)]
pub enum EndpointEvent {}

/// ECN bits, which DTLS does not carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnCodepoint {
    /// ECT(0).
    Ect0 = 0b10,
    /// ECT(1).
    Ect1 = 0b01,
    /// Congestion experienced.
    Ce = 0b11,
}

/// The content of a [`Transmit`].
#[derive(Debug)]
pub enum Payload {
    /// Never made: for matches that name it.
    PartialDecode(Bytes),
    /// Packets, in order.
    RawEncode(Vec<Bytes>),
}

/// Packets to be sent.
#[derive(Debug)]
pub struct Transmit {
    /// The time of making.
    pub now: Instant,
    /// The address that [`Endpoint::connect`](crate::Endpoint::connect) was given.
    pub remote: SocketAddr,
    /// None: DTLS does not carry them.
    pub ecn: Option<EcnCodepoint>,
    /// None: the carrier knows.
    pub local_ip: Option<IpAddr>,
    /// The packets.
    pub payload: Payload,
}
