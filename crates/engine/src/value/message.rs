use core::net::IpAddr;
use core::time::Duration;

use bytes::Bytes;
use sheave_wire::{Ppid, StreamId, Tsn};

use crate::value::ids::PathIndex;
use crate::{KeyId, Reliability};

/// Whether a message waits for earlier ones of its stream (RFC 9260 §6.6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Delivery {
    /// In the order of sending within the stream.
    #[default]
    Ordered,
    /// Delivered once the message is complete.
    Unordered,
}

/// A user message: bytes with preserved boundaries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The stream of the message.
    pub stream: StreamId,
    /// The payload protocol identifier, passed on unchanged (RFC 9260 §3.3.1).
    pub ppid: Ppid,
    /// Whether delivery is ordered.
    pub delivery: Delivery,
    /// The payload; reference-counted, so fragments share memory.
    pub payload: Bytes,
}

impl Message {
    /// An ordered message on `stream` with payload protocol identifier 0.
    #[must_use]
    pub fn new(stream: StreamId, payload: impl Into<Bytes>) -> Self {
        Self {
            stream,
            ppid: Ppid(0),
            delivery: Delivery::Ordered,
            payload: payload.into(),
        }
    }

    /// Sets the payload protocol identifier.
    #[must_use]
    pub fn with_ppid(mut self, ppid: Ppid) -> Self {
        self.ppid = ppid;
        self
    }

    /// Makes the message unordered.
    #[must_use]
    pub fn unordered(mut self) -> Self {
        self.delivery = Delivery::Unordered;
        self
    }
}

/// The part of a user message that a [`Received`] holds.
///
/// Only messages too large for the receive buffer come in parts (partial delivery, RFC 9260 §6.9);
/// the parts of a message follow each other on its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// The whole message.
    Whole,
    /// The first part of a message; more follow.
    First,
    /// A part between the first and the last.
    Middle,
    /// The last part.
    Last,
}

/// A received message, or a part of a large one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// The message; for a part, the payload is the part's bytes.
    pub message: Message,
    /// The part of the message that this is.
    pub part: Part,
    /// The position of the message among those of the peer.
    pub origin: Origin,
}

impl Received {
    /// Creates a message without a peer, for tests.
    #[must_use]
    pub const fn new(message: Message, part: Part) -> Self {
        Self {
            message,
            part,
            origin: Origin {
                tsn: Tsn(0),
                ssn_or_mid: 0,
                path: PathIndex(0),
            },
        }
    }
}

/// The position of a received message among those of the peer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// TSN of the first chunk.
    pub tsn: Tsn,
    /// Stream sequence number (16 bits) or, with interleaving, message identifier (RFC 8260 §2.1).
    pub ssn_or_mid: u32,
    /// The path on which the first chunk arrived; see [`Assoc::source`](crate::Assoc::source).
    pub(crate) path: PathIndex,
}

/// Options of one message beyond its content (RFC 9260 §11.1.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SendOptions {
    /// An opaque value, returned in [`Event::SendFailed`](crate::Event::SendFailed) if the message
    /// cannot be delivered.
    pub context: u64,
    /// Whether the receiver is asked to acknowledge the last chunk at once.
    pub acknowledgement: Acknowledgement,
    /// Limit of the effort to deliver it (RFC 3758, RFC 7496).
    pub reliability: Reliability,
    /// The peer's address to send it to while that path is active, whatever path other messages leave on
    /// (RFC 9260 §11.1.5).
    pub destination: Option<IpAddr>,
    /// The paths that it leaves on.
    pub redundancy: Redundancy,
    /// The shared key that authenticates its DATA chunks in place of the active one, until they are
    /// acknowledged (RFC 6458 §5.3.8); ignored where the peer does not ask for DATA to be
    /// authenticated.
    pub key: Option<KeyId>,
}

impl SendOptions {
    /// Abandons the message after `lifetime`.
    #[must_use]
    pub const fn with_lifetime(mut self, lifetime: Duration) -> Self {
        self.reliability = Reliability::Timed(lifetime);
        self
    }

    /// Abandons the message if a chunk needs more than `most` retransmissions.
    #[must_use]
    pub const fn with_max_retransmissions(mut self, most: u8) -> Self {
        self.reliability = Reliability::Retransmissions(most);
        self
    }

    /// Authenticates the message with that shared key.
    #[must_use]
    pub const fn with_key(mut self, key: KeyId) -> Self {
        self.key = Some(key);
        self
    }

    /// The same, for a message that leaves on every active path.
    #[must_use]
    pub const fn on_every_path(mut self) -> Self {
        self.redundancy = Redundancy::EveryPath;
        self
    }

    /// The same, for a message that makes room for those with a smaller number.
    #[must_use]
    pub const fn with_priority(mut self, priority: u32) -> Self {
        self.reliability = Reliability::Priority(priority);
        self
    }
}

/// The paths that a message leaves on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Redundancy {
    /// Every active path if it is no longer than [`redundancy`](crate::Options::redundancy), else one.
    #[default]
    ByLength,
    /// A single path.
    OnePath,
    /// Every active path, under one TSN: the first copy to arrive counts. A message with a
    /// [`key`](SendOptions::key) of its own leaves on one path.
    EveryPath,
}

impl Redundancy {
    /// The choice for a message of `len` bytes, where those up to `most` leave on every path.
    pub(crate) fn decide(self, len: usize, most: Option<u32>) -> Self {
        let is_short = || most.is_some_and(|most| u32::try_from(len).is_ok_and(|len| len <= most));
        match self {
            Self::ByLength if is_short() => Self::EveryPath,
            Self::ByLength => Self::OnePath,
            chosen => chosen,
        }
    }
}

/// The urgency of a message's acknowledgement (RFC 9260 §3.3.1, the I bit).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Acknowledgement {
    /// By the receiver's delayed-SACK rule.
    #[default]
    Delayed,
    /// At once: the last chunk has the I bit.
    Immediate,
}
