use sheave_wire::StreamId;

use crate::{ChannelId, ClosedReason, Fault, Message};

/// News of the data channels of an association.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChannelEvent {
    /// A channel of ours is open: the peer has acknowledged it, or, if it is negotiated, the
    /// association is up.
    Opened {
        /// The channel.
        channel: ChannelId,
    },
    /// The peer has opened a channel.
    Incoming {
        /// The channel.
        channel: ChannelId,
    },
    /// A message came.
    Message {
        /// The channel.
        channel: ChannelId,
        /// The message.
        message: Message,
    },
    /// The bytes buffered on a channel have fallen to its low-water mark
    /// ([`set_low_water`](crate::DataChannels::set_low_water)): `bufferedamountlow` of the W3C.
    BufferLow {
        /// The channel.
        channel: ChannelId,
    },
    /// A message that was refused for lack of room, or because its channel was not ready, may be
    /// tried again.
    Writable,
    /// A channel is being closed, though this end has not asked for it.
    Closing {
        /// The channel.
        channel: ChannelId,
    },
    /// A channel has ended; its id means nothing from here on.
    Closed {
        /// The channel.
        channel: ChannelId,
        /// The reason.
        reason: ClosedReason,
    },
    /// The peer's attempt to open a channel, or to use a stream that has none, was refused.
    Refused {
        /// The stream.
        stream: StreamId,
        /// The rule that the peer broke.
        fault: Fault,
    },
}
