use alloc::string::String;
use core::time::Duration;

use sheave_engine::Delivery;
use sheave_wire::StreamId;

use crate::dcep::Open;
use crate::{Priority, Reliability};

/// Agreement of both ends on a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Negotiation {
    /// In-band: the OPEN goes to the peer on the channel's stream (RFC 8832), which is the lowest
    /// free one.
    #[default]
    InBand,
    /// Out of band: both ends open the channel with this id, without an OPEN (RFC 8831 §6.5). A
    /// message that arrives before this end has opened the channel is refused and the stream reset
    /// (RFC 8832 §6), so open the channel before handling packets.
    External(StreamId),
}

/// Properties of a channel to open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChannelConfig {
    /// Name of the channel, at most 65,535 bytes; need not be unique.
    pub label: String,
    /// The subprotocol, at most 65,535 bytes.
    pub protocol: String,
    /// Priority relative to other channels.
    pub priority: Priority,
    /// Whether messages arrive in order.
    pub delivery: Delivery,
    /// Limit of the effort to deliver a message.
    pub reliability: Reliability,
    /// The agreement with the peer.
    pub negotiation: Negotiation,
}

impl ChannelConfig {
    /// A reliable, ordered channel with that name, announced in-band.
    #[must_use]
    pub fn new(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            ..Self::default()
        }
    }

    /// Sets the subprotocol.
    #[must_use]
    pub fn with_protocol(mut self, protocol: impl Into<String>) -> Self {
        self.protocol = protocol.into();
        self
    }

    /// Sets the priority.
    #[must_use]
    pub const fn with_priority(mut self, priority: Priority) -> Self {
        self.priority = priority;
        self
    }

    /// Makes the channel unordered.
    #[must_use]
    pub const fn unordered(mut self) -> Self {
        self.delivery = Delivery::Unordered;
        self
    }

    /// Limits retransmissions of each part of a message to `most`.
    #[must_use]
    pub const fn with_max_retransmissions(mut self, most: u32) -> Self {
        self.reliability = Reliability::Retransmissions(most);
        self
    }

    /// Abandons messages after `lifetime`.
    #[must_use]
    pub const fn with_lifetime(mut self, lifetime: Duration) -> Self {
        self.reliability = Reliability::Lifetime(lifetime);
        self
    }

    /// Uses an id agreed on out of band.
    #[must_use]
    pub const fn negotiated(mut self, stream: StreamId) -> Self {
        self.negotiation = Negotiation::External(stream);
        self
    }

    /// The OPEN message of the channel.
    pub(crate) fn announcement(&self) -> Open<'_> {
        Open {
            delivery: self.delivery,
            reliability: self.reliability,
            priority: self.priority,
            label: &self.label,
            protocol: &self.protocol,
        }
    }
}

impl From<Open<'_>> for ChannelConfig {
    fn from(open: Open<'_>) -> Self {
        Self {
            label: open.label.into(),
            protocol: open.protocol.into(),
            priority: open.priority,
            delivery: open.delivery,
            reliability: open.reliability,
            negotiation: Negotiation::InBand,
        }
    }
}
