use sheave_wire::StreamId;

use crate::{ChannelId, ClosedReason, Fault, Message};

/// An event of the data channels of an association.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChannelEvent {
    /// A channel of ours opened: the peer acknowledged it, or, for a negotiated channel, the
    /// association was established.
    Opened {
        /// The channel.
        channel: ChannelId,
    },
    /// The peer opened a channel.
    Incoming {
        /// The channel.
        channel: ChannelId,
    },
    /// A message arrived.
    Message {
        /// The channel.
        channel: ChannelId,
        /// The message.
        message: Message,
    },
    /// The bytes buffered on a channel fell to its low-water mark
    /// ([`set_low_water`](crate::DataChannels::set_low_water)): the W3C's `bufferedamountlow`.
    BufferLow {
        /// The channel.
        channel: ChannelId,
    },
    /// A message refused because the send buffer was full or the channel not ready can be sent
    /// again.
    Writable,
    /// A channel started to close without a request by this end.
    Closing {
        /// The channel.
        channel: ChannelId,
    },
    /// A channel closed; its id is no longer valid.
    Closed {
        /// The channel.
        channel: ChannelId,
        /// The reason.
        reason: ClosedReason,
    },
    /// The peer's attempt to open a channel, or to use a stream without one, was refused.
    Refused {
        /// The stream.
        stream: StreamId,
        /// The rule that the peer broke.
        fault: Fault,
    },
}
