use core::fmt;

use sheave_engine::Delivery;
use sheave_wire::StreamId;

use crate::{ChannelConfig, ChannelStats, ClosedReason, Negotiation, Priority, Reliability};

/// Identifier of a channel: its stream and a generation, which distinguishes it from earlier
/// channels on the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChannelId {
    pub(crate) stream: StreamId,
    pub(crate) generation: u32,
}

impl ChannelId {
    /// The stream of the channel: `dataChannelIdentifier` of the W3C.
    #[must_use]
    pub const fn stream(self) -> StreamId {
        self.stream
    }
}

impl fmt::Display for ChannelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stream.0.fmt(f)
    }
}

/// The end that opened a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// We opened it in-band, or it is negotiated.
    Local,
    /// The peer opened it in-band.
    Peer,
}

/// State of a channel, as in the W3C API; a closed channel no longer exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelState {
    /// The peer has not acknowledged the channel yet.
    Connecting,
    /// Messages go both ways.
    Open,
    /// The channel is closing: messages can neither be sent nor received.
    Closing,
}

/// A data channel.
#[derive(Clone, Debug)]
pub struct Channel {
    pub(crate) id: ChannelId,
    pub(crate) origin: Origin,
    pub(crate) config: ChannelConfig,
    pub(crate) stage: Stage,
    /// Low-water mark of the send buffer, bytes.
    pub(crate) low_water: usize,
    pub(crate) refill: Refill,
    pub(crate) stats: ChannelStats,
}

/// Stage in the life of a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Connecting,
    Open,
    Closing(ClosedReason),
}

/// Whether anything was sent since the buffer was last low.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refill {
    None,
    Sent,
}

impl Channel {
    pub(crate) const fn new(id: ChannelId, origin: Origin, config: ChannelConfig) -> Self {
        Self {
            id,
            origin,
            config,
            stage: Stage::Connecting,
            low_water: 0,
            refill: Refill::None,
            stats: ChannelStats {
                messages_sent: 0,
                bytes_sent: 0,
                messages_received: 0,
                bytes_received: 0,
                messages_abandoned: 0,
            },
        }
    }

    /// The identifier.
    #[must_use]
    pub const fn id(&self) -> ChannelId {
        self.id
    }

    /// The end that opened the channel.
    #[must_use]
    pub const fn origin(&self) -> Origin {
        self.origin
    }

    /// The name.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.config.label
    }

    /// The subprotocol.
    #[must_use]
    pub fn protocol(&self) -> &str {
        &self.config.protocol
    }

    /// The priority beside other channels.
    #[must_use]
    pub const fn priority(&self) -> Priority {
        self.config.priority
    }

    /// Whether messages arrive in order.
    #[must_use]
    pub const fn delivery(&self) -> Delivery {
        self.config.delivery
    }

    /// The limit of the effort to deliver a message.
    #[must_use]
    pub const fn reliability(&self) -> Reliability {
        self.config.reliability
    }

    /// The agreement with the peer.
    #[must_use]
    pub const fn negotiation(&self) -> Negotiation {
        self.config.negotiation
    }

    /// The state.
    #[must_use]
    pub const fn state(&self) -> ChannelState {
        match self.stage {
            Stage::Connecting => ChannelState::Connecting,
            Stage::Open => ChannelState::Open,
            Stage::Closing(_) => ChannelState::Closing,
        }
    }

    /// Counters.
    #[must_use]
    pub const fn stats(&self) -> ChannelStats {
        self.stats
    }

    /// Order for a message sent now: until the peer has shown that it knows the channel, messages
    /// must not overtake the OPEN (RFC 8832 §6).
    pub(crate) fn delivery_now(&self) -> Delivery {
        match self.stage {
            Stage::Connecting => Delivery::Ordered,
            Stage::Open | Stage::Closing(_) => self.config.delivery,
        }
    }

    /// Length of label and protocol in bytes, if the peer chose them; otherwise 0.
    pub(crate) fn label_bytes(&self) -> usize {
        match self.origin {
            Origin::Local => 0,
            Origin::Peer => self.config.label.len() + self.config.protocol.len(),
        }
    }
}
