/// Counters of a channel: the W3C's `RTCDataChannelStats`, and one of our own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChannelStats {
    /// Messages sent: `messagesSent`.
    pub messages_sent: u64,
    /// Bytes of messages sent: `bytesSent`.
    pub bytes_sent: u64,
    /// Messages received: `messagesReceived`.
    pub messages_received: u64,
    /// Bytes of messages received: `bytesReceived`.
    pub bytes_received: u64,
    /// Our messages that were abandoned under the channel's reliability.
    pub messages_abandoned: u64,
}

impl ChannelStats {
    /// The W3C's counters, by name.
    #[must_use]
    pub const fn entries(&self) -> [(&'static str, u64); 4] {
        [
            ("messagesSent", self.messages_sent),
            ("bytesSent", self.bytes_sent),
            ("messagesReceived", self.messages_received),
            ("bytesReceived", self.bytes_received),
        ]
    }

    pub(crate) const fn on_sent(&mut self, bytes: usize) {
        self.messages_sent += 1;
        self.bytes_sent += bytes as u64;
    }

    pub(crate) const fn on_received(&mut self, bytes: usize) {
        self.messages_received += 1;
        self.bytes_received += bytes as u64;
    }
}

/// Counters over all channels of an association: the W3C's `RTCPeerConnectionStats`, and our own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConnectionStats {
    /// Channels ever opened: `dataChannelsOpened`.
    pub data_channels_opened: u64,
    /// Opened channels that have closed: `dataChannelsClosed`.
    pub data_channels_closed: u64,
    /// Channels and messages refused because the peer broke a rule.
    pub faults: u64,
    /// Messages that arrived on a closing stream.
    pub messages_discarded: u64,
}

impl ConnectionStats {
    /// The W3C's counters, by name.
    #[must_use]
    pub const fn entries(&self) -> [(&'static str, u64); 2] {
        [
            ("dataChannelsOpened", self.data_channels_opened),
            ("dataChannelsClosed", self.data_channels_closed),
        ]
    }
}
