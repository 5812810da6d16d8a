use core::fmt;

/// Whether streams may be reset and added during an association (RFC 6525).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reconfiguration {
    /// Streams cannot be reconfigured; the extension is not offered to the peer.
    #[default]
    Off,
    /// Streams can be reconfigured, if the peer agrees. This end may request anything, the peer
    /// only the given requests.
    On(PeerRequests),
}

/// The peer's requests that are granted; others are denied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PeerRequests(u8);

impl PeerRequests {
    /// The empty set.
    pub const NONE: Self = Self(0);
    /// Reset streams on which the peer sends (RFC 6525 §4.1).
    pub const RESET_INCOMING: Self = Self(1);
    /// Reset streams on which we send (§4.2).
    pub const RESET_OUTGOING: Self = Self(2);
    /// Reset all streams in both directions, and the TSNs (§4.3).
    pub const RESET_TSNS: Self = Self(4);
    /// Add streams on which the peer sends, up to
    /// [`max_inbound_streams`](crate::Options::max_inbound_streams) (§4.5).
    pub const ADD_INCOMING: Self = Self(8);
    /// Add streams on which we send (§4.6).
    pub const ADD_OUTGOING: Self = Self(16);
    /// Every request.
    pub const ALL: Self = Self(31);

    /// The union of both sets.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the set includes all of `other`.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// The direction of messages on a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StreamDirection {
    /// From us to the peer.
    Outgoing,
    /// From the peer to us.
    Incoming,
}

/// The reason why a request about streams was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReconfigurationError {
    /// An end has the option [`reconfiguration`](crate::Options::reconfiguration) off.
    Unavailable,
    /// The association is not established, or is shutting down.
    NotEstablished,
    /// Another request is outstanding.
    Busy,
    /// A stream id is not below the number of streams of that direction.
    UnknownStream,
    /// Too many stream ids for a packet, more streams than possible, or 0 streams to add.
    BadCount,
}

impl fmt::Display for ReconfigurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unavailable => "one of the two ends does not reconfigure streams",
            Self::NotEstablished => "the association is not established",
            Self::Busy => "another request about streams is under way",
            Self::UnknownStream => "a stream id is not below the number of streams",
            Self::BadCount => "too many streams, or none",
        })
    }
}

impl core::error::Error for ReconfigurationError {}

/// The reason why a request about streams failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReconfigurationFailure {
    /// The peer denied it.
    Denied,
    /// A stream does not exist at the peer.
    UnknownStream,
    /// The peer has a request of its own outstanding; a retry may succeed.
    PeerBusy,
    /// The peer answered "in progress" for longer than an unresponsive peer would be waited for. A
    /// reset of TSNs is waited for until the association ends.
    StillInProgress,
    /// The peer expected another request number.
    BadNumber,
    /// The peer answered with a result that RFC 6525 does not define for the request.
    BadResult,
}
