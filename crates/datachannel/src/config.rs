use alloc::string::String;
use core::time::Duration;

use sheave_engine::Delivery;
use sheave_wire::StreamId;

use crate::dcep::Open;
use crate::{Priority, Reliability};

/// The agreement of both ends on a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Negotiation {
    /// Announced to the peer on the channel's stream (RFC 8832); the id is the lowest that is free.
    #[default]
    InBand,
    /// Made elsewhere: both ends open the channel with this id, and nothing is announced (RFC 8831
    /// §6.5). A message that comes before this end has opened it is refused, and the stream reset
    /// (RFC 8832 §6): open it before packets are handled.
    External(StreamId),
}

/// The properties of a channel that is to be opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChannelConfig {
    /// The name of the channel, at most 65,535 bytes; others may have the same.
    pub label: String,
    /// The subprotocol, at most 65,535 bytes.
    pub protocol: String,
    /// Priority beside other channels.
    pub priority: Priority,
    /// Whether messages arrive in order.
    pub delivery: Delivery,
    /// Limit of the effort to deliver a message.
    pub reliability: Reliability,
    /// The agreement with the peer.
    pub negotiation: Negotiation,
}

impl ChannelConfig {
    /// A reliable and ordered channel of that name, announced in-band.
    #[must_use]
    pub fn new(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            ..Self::default()
        }
    }

    /// The same, with another subprotocol.
    #[must_use]
    pub fn with_protocol(mut self, protocol: impl Into<String>) -> Self {
        self.protocol = protocol.into();
        self
    }

    /// The same, with another priority.
    #[must_use]
    pub const fn with_priority(mut self, priority: Priority) -> Self {
        self.priority = priority;
        self
    }

    /// The same, with messages that arrive as they come.
    #[must_use]
    pub const fn unordered(mut self) -> Self {
        self.delivery = Delivery::Unordered;
        self
    }

    /// The same, with messages of which no part is sent again more than `most` times.
    #[must_use]
    pub const fn with_max_retransmissions(mut self, most: u32) -> Self {
        self.reliability = Reliability::Retransmissions(most);
        self
    }

    /// The same, with messages that are given up after `lifetime`.
    #[must_use]
    pub const fn with_lifetime(mut self, lifetime: Duration) -> Self {
        self.reliability = Reliability::Lifetime(lifetime);
        self
    }

    /// The same, with an id on which both ends agree elsewhere.
    #[must_use]
    pub const fn negotiated(mut self, stream: StreamId) -> Self {
        self.negotiation = Negotiation::External(stream);
        self
    }

    /// The announcement of the channel.
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
