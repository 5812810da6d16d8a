use sheave_engine::{
    Interleaving, Options, PartialReliability, PeerRequests, Reconfiguration, StreamScheduler,
};

/// Limits for the data channels of one association.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelOptions {
    /// Longest message to the peer in bytes, as in its `max-message-size` (RFC 8841 §6); 0 means no
    /// limit. The default, 64 KiB, applies to peers that state none.
    pub max_send_size: usize,
    /// Longest message from the peer in bytes, as in our `max-message-size`; 0 means no limit. A
    /// longer message closes its channel. Default 256 KiB.
    pub max_receive_size: usize,
    /// Most bytes of unfinished messages on all channels together. Messages larger than half of the
    /// engine's receive buffer arrive in parts and are reassembled here; a message that does not
    /// fit the limit closes its channel. Default 16 MiB.
    pub max_unfinished: usize,
    /// Most channels at a time, closing ones included; further ones are refused. Default 4096; a
    /// channel takes about 300 bytes plus its label.
    pub max_channels: usize,
    /// Most bytes of labels and protocols chosen by the peer, on all channels together; further
    /// channels are refused. Default 1 MiB.
    pub max_label_bytes: usize,
}

impl Default for ChannelOptions {
    fn default() -> Self {
        Self {
            max_send_size: 64 << 10,
            max_receive_size: 256 << 10,
            max_unfinished: 16 << 20,
            max_channels: 4096,
            max_label_bytes: 1 << 20,
        }
    }
}

/// Options for an association with data channels: the given ones, plus everything that RFC 8831 §5
/// and §6 require of SCTP.
///
/// Enables stream reconfiguration, partial reliability and interleaving, shares bandwidth by
/// weight, and requests the maximum number of streams.
#[must_use]
pub fn association_options(options: Options) -> Options {
    let requests = PeerRequests::RESET_INCOMING.union(PeerRequests::ADD_INCOMING);
    Options {
        reconfiguration: Reconfiguration::On(requests),
        partial_reliability: PartialReliability::On,
        interleaving: Interleaving::On,
        scheduler: StreamScheduler::WeightedFairQueueing,
        outbound_streams: u16::MAX,
        max_inbound_streams: u16::MAX,
        ..options
    }
}

/// Whether `bytes` are within a limit, where 0 means no limit.
pub(crate) const fn is_within(bytes: usize, limit: usize) -> bool {
    limit == 0 || bytes <= limit
}
