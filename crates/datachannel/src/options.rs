use sheave_engine::{
    Interleaving, Options, PartialReliability, PeerRequests, Reconfiguration, StreamScheduler,
};

/// The limits of the data channels of one association.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelOptions {
    /// Bytes of a message to the peer at most, as its `max-message-size` says (RFC 8841 §6); 0: any.
    /// The default, 64 KiB, is that of a peer that says nothing.
    pub max_send_size: usize,
    /// Bytes of a message from the peer at most, as our own `max-message-size` says; 0: any. A
    /// longer one closes its channel. By default 256 KiB.
    pub max_receive_size: usize,
    /// Bytes of unfinished messages at most, of all channels together: a message that is larger than
    /// the half of the engine's receive buffer comes in parts, which are put together here. A
    /// message for which there is no room closes its channel. By default 16 MiB.
    pub max_unfinished: usize,
    /// Channels at a time at most, those that are closing included: further ones are refused. By
    /// default 4096; a channel takes some 300 bytes and its label.
    pub max_channels: usize,
    /// Bytes of the labels and protocols of the peer's channels at most, all channels together;
    /// channels beyond are refused. By default 1 MiB.
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

/// The options of an association that carries data channels: those given, with all that RFC 8831 §5
/// and §6 want of SCTP switched on.
///
/// Streams can be reset and added, messages given up and interleaved; bandwidth is shared by weight,
/// and there are as many streams as there can be.
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

/// Whether a message of `bytes` is within a limit, of which 0 is none.
pub(crate) const fn is_within(bytes: usize, limit: usize) -> bool {
    limit == 0 || bytes <= limit
}
