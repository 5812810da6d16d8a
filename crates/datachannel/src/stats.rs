/// Counters of a channel: those of `RTCDataChannelStats` of the W3C, and one of ours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChannelStats {
    /// Messages handed in: `messagesSent`.
    pub messages_sent: u64,
    /// Bytes of these messages: `bytesSent`.
    pub bytes_sent: u64,
    /// Messages handed over: `messagesReceived`.
    pub messages_received: u64,
    /// Bytes of these messages: `bytesReceived`.
    pub bytes_received: u64,
    /// Messages of ours that were given up, as the channel's reliability says.
    pub messages_abandoned: u64,
}

impl ChannelStats {
    /// The counters that the W3C knows, by its names.
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

/// Counters of all channels of an association: those of `RTCPeerConnectionStats` of the W3C, and
/// ours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConnectionStats {
    /// Channels that have been open: `dataChannelsOpened`.
    pub data_channels_opened: u64,
    /// Channels that have been open and are so no longer: `dataChannelsClosed`.
    pub data_channels_closed: u64,
    /// Channels and messages that were refused since the peer broke a rule.
    pub faults: u64,
    /// Messages that came on a stream that was being closed.
    pub messages_discarded: u64,
}

impl ConnectionStats {
    /// The counters that the W3C knows, by its names.
    #[must_use]
    pub const fn entries(&self) -> [(&'static str, u64); 2] {
        [
            ("dataChannelsOpened", self.data_channels_opened),
            ("dataChannelsClosed", self.data_channels_closed),
        ]
    }
}
