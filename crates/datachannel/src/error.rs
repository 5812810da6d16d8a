use core::fmt;

use sheave_engine::CloseReason;

use crate::{DcepError, Message};

/// A rule broken by the peer, for which a channel is refused or closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// An invalid control message.
    Dcep(DcepError),
    /// An unordered control message (RFC 8832 §6).
    UnorderedControl,
    /// An OPEN on a stream whose id the peer's role may not use (RFC 8832 §6).
    WrongParity,
    /// An OPEN on a stream that already has a channel (RFC 8832 §6).
    StreamInUse,
    /// An OPEN beyond [`max_channels`](crate::ChannelOptions::max_channels).
    TooManyChannels,
    /// An OPEN beyond [`max_label_bytes`](crate::ChannelOptions::max_label_bytes).
    TooManyLabels,
    /// A message on a stream without a channel (RFC 8832 §6).
    NoChannel,
    /// An unordered message on an ordered channel (RFC 8831 §6.6).
    Unordered,
    /// A payload protocol identifier that RFC 8831 §8 does not list.
    UnknownPpid(u32),
    /// A partial message that does not continue the previous one, or on a channel that is not
    /// reliable and ordered (RFC 8831 §6.6).
    MisplacedPart,
    /// A message beyond [`max_receive_size`](crate::ChannelOptions::max_receive_size).
    MessageTooLarge,
    /// A message in parts beyond [`max_unfinished`](crate::ChannelOptions::max_unfinished).
    TooMuchUnfinished,
}

/// The reason why a channel closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClosedReason {
    /// This end closed it.
    Local,
    /// The peer closed it.
    Peer,
    /// The peer refused it by resetting the stream before acknowledging the OPEN.
    Refused,
    /// The peer broke a rule.
    Fault(Fault),
    /// The OPEN could not be sent: the peer grants no stream with that id, or the label is too long
    /// for the engine.
    Unannounced,
    /// The peer restarted the association.
    Restarted,
    /// The association ended.
    Association(CloseReason),
}

/// The reason why a channel was not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpenError {
    /// The association has ended.
    Ended,
    /// The label or protocol exceeds 65,535 bytes.
    TooLong,
    /// The limit [`max_channels`](crate::ChannelOptions::max_channels) is reached, or no id is
    /// free.
    TooMany,
    /// The negotiated id is in use.
    InUse,
    /// 65,535 is no stream id.
    BadId,
}

/// The reason why a message was not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SendError {
    /// The channel does not exist, or no longer.
    NoChannel,
    /// The OPEN has not been sent yet: the association is not established, lacks streams, or its
    /// send buffer is full. The message is returned; retry after
    /// [`Opened`](crate::ChannelEvent::Opened) or [`Writable`](crate::ChannelEvent::Writable).
    NotReady(Message),
    /// The channel is closing.
    Closing,
    /// The message exceeds the peer's limit.
    TooLarge,
    /// The send buffer is full. The message is returned; retry after
    /// [`Writable`](crate::ChannelEvent::Writable).
    BufferFull(Message),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dcep(error) => return write!(f, "bad control message: {error}"),
            Self::UnknownPpid(ppid) => return write!(f, "payload protocol {ppid} is unknown"),
            Self::UnorderedControl => "a control message was sent unordered",
            Self::WrongParity => "the stream id is not the peer's to take",
            Self::StreamInUse => "the stream has a channel",
            Self::TooManyChannels => "there are too many channels",
            Self::TooManyLabels => "the labels of channels are too long",
            Self::NoChannel => "a message on a stream without a channel",
            Self::Unordered => "an unordered message on an ordered channel",
            Self::MisplacedPart => "a partial message where there can be none",
            Self::MessageTooLarge => "a message is too long",
            Self::TooMuchUnfinished => "unfinished messages are too long",
        })
    }
}

impl core::error::Error for Fault {}

impl fmt::Display for ClosedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local => f.write_str("this end closed it"),
            Self::Peer => f.write_str("the peer closed it"),
            Self::Refused => f.write_str("the peer refused it"),
            Self::Fault(fault) => write!(f, "the peer broke a rule: {fault}"),
            Self::Unannounced => f.write_str("it could not be announced"),
            Self::Restarted => f.write_str("the peer began the association anew"),
            Self::Association(reason) => write!(f, "the association ended: {reason}"),
        }
    }
}

impl core::error::Error for ClosedReason {}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ended => "the association has ended",
            Self::TooLong => "a label or a protocol has at most 65535 bytes",
            Self::TooMany => "there are too many channels",
            Self::InUse => "the id is taken",
            Self::BadId => "65535 is no stream id",
        })
    }
}

impl core::error::Error for OpenError {}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoChannel => "there is no such channel",
            Self::NotReady(_) => "the channel is not announced yet",
            Self::Closing => "the channel is being closed",
            Self::TooLarge => "the message is longer than the peer takes",
            Self::BufferFull(_) => "the send buffer is full",
        })
    }
}

impl core::error::Error for SendError {}
