use core::net::IpAddr;
use core::time::Duration;

use bytes::Bytes;
use sheave_wire::{Ppid, StreamId, Tsn};

use crate::value::ids::PathIndex;
use crate::{KeyId, Reliability};

/// Whether a message waits for earlier ones of its stream (RFC 9260 §6.6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Delivery {
    /// Delivered in the order of sending within its stream.
    #[default]
    Ordered,
    /// Delivered as soon as it is complete.
    Unordered,
}

/// A user message: bytes whose boundaries survive the journey.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The stream it belongs to.
    pub stream: StreamId,
    /// The payload protocol identifier, carried untouched (RFC 9260 §3.3.1).
    pub ppid: Ppid,
    /// Ordered or unordered within its stream.
    pub delivery: Delivery,
    /// The user's bytes; reference-counted, so that fragments are slices and not copies.
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

    /// The same message with another payload protocol identifier.
    #[must_use]
    pub fn with_ppid(mut self, ppid: Ppid) -> Self {
        self.ppid = ppid;
        self
    }

    /// The same message, to be delivered without waiting for earlier ones.
    #[must_use]
    pub fn unordered(mut self) -> Self {
        self.delivery = Delivery::Unordered;
        self
    }
}

/// The part of a user message that a [`Received`] holds.
///
/// Only a message too large for the receive buffer comes in parts (partial delivery,
/// RFC 9260 §6.9); the parts of one message follow each other on its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// The whole message.
    Whole,
    /// The first part of a message; more follow.
    First,
    /// Neither the first nor the last part.
    Middle,
    /// The last part.
    Last,
}

/// A message, or a part of a large one, as the receiver gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// The message; its payload is the part's bytes.
    pub message: Message,
    /// The part of the message that this is.
    pub part: Part,
    /// Its place among what the peer sends.
    pub origin: Origin,
}

impl Received {
    /// A message that did not come from a peer, as tests make them.
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

/// The place of a received message among what the peer sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The TSN of the message's first chunk.
    pub tsn: Tsn,
    /// The stream sequence number (16 bits), or where messages are interleaved the message identifier
    /// (RFC 8260 §2.1).
    pub ssn_or_mid: u32,
    /// The path that the first chunk came on: see [`Assoc::source`](crate::Assoc::source).
    pub(crate) path: PathIndex,
}

/// Options of one message beyond its content (RFC 9260 §11.1.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SendOptions {
    /// Handed back in [`Event::SendFailed`](crate::Event::SendFailed) if the message cannot be
    /// delivered; means nothing to the engine.
    pub context: u64,
    /// When the receiver is asked to acknowledge the message's last chunk.
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
    /// The same, for a message that is given up after `lifetime`.
    #[must_use]
    pub const fn with_lifetime(mut self, lifetime: Duration) -> Self {
        self.reliability = Reliability::Timed(lifetime);
        self
    }

    /// The same, for a message of which no chunk is sent again more than `most` times.
    #[must_use]
    pub const fn with_max_retransmissions(mut self, most: u8) -> Self {
        self.reliability = Reliability::Retransmissions(most);
        self
    }

    /// The same, for a message that is authenticated with that shared key.
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
    /// One path.
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
    /// The receiver's delayed-SACK rule decides.
    #[default]
    Delayed,
    /// At once: the I bit is set on the message's last chunk.
    Immediate,
}
