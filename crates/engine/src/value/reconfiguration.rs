use core::fmt;

/// Whether streams may be reset and added while the association lives (RFC 6525).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reconfiguration {
    /// Streams may not be reconfigured; the peer is not told of the extension.
    #[default]
    Off,
    /// Streams may be reconfigured, if the peer agrees: we may ask for anything, the peer for
    /// these.
    On(PeerRequests),
}

/// The requests of the peer that are granted; the others are denied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PeerRequests(u8);

impl PeerRequests {
    /// None.
    pub const NONE: Self = Self(0);
    /// To reset streams that the peer sends on (RFC 6525 §4.1).
    pub const RESET_INCOMING: Self = Self(1);
    /// To reset streams that we send on (§4.2).
    pub const RESET_OUTGOING: Self = Self(2);
    /// To reset all streams and the TSNs, both ways (§4.3).
    pub const RESET_TSNS: Self = Self(4);
    /// To add streams that the peer sends on, up to
    /// [`max_inbound_streams`](crate::Options::max_inbound_streams) (§4.5).
    pub const ADD_INCOMING: Self = Self(8);
    /// To add streams that we send on (§4.6).
    pub const ADD_OUTGOING: Self = Self(16);
    /// Every request.
    pub const ALL: Self = Self(31);

    /// The union of both sets.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all of `other` is in it.
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

/// The reason why a request about streams was not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReconfigurationError {
    /// The option [`reconfiguration`](crate::Options::reconfiguration) is off at one of the two
    /// ends.
    Unavailable,
    /// The association is not up yet, or is being shut down.
    NotEstablished,
    /// Another request is under way.
    Busy,
    /// A stream id is not below the number of streams of that direction.
    UnknownStream,
    /// More stream ids than fit a packet, or more streams than there can be; 0 streams to add.
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

/// The reason why a request about streams came to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReconfigurationFailure {
    /// The peer does not want it.
    Denied,
    /// To the peer a stream does not exist.
    UnknownStream,
    /// The peer has a request of its own under way; another attempt may succeed.
    PeerBusy,
    /// The peer has said "in progress" for longer than one that is silent would be waited for.
    StillInProgress,
    /// The peer awaited another request number.
    BadNumber,
    /// The peer answered with a result that RFC 6525 does not define for that request.
    BadResult,
}
