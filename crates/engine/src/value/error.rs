use alloc::string::String;
use core::fmt;
use core::net::IpAddr;

use crate::{KeyError, Message};

/// A protocol violation by the peer, for which the association is aborted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PeerFault {
    /// The cause code in the ABORT (RFC 9260 §3.3.10).
    pub(crate) cause: u16,
    /// The broken rule, in words.
    pub(crate) rule: &'static str,
}

impl PeerFault {
    pub(crate) const NO_USER_DATA: Self = Self {
        cause: 9,
        rule: "a DATA chunk has no user data",
    };
    pub(crate) const BAD_FRAGMENT_BITS: Self =
        Self::violation("the B and E bits of neighbouring fragments contradict each other");
    pub(crate) const MIXED_FRAGMENTS: Self =
        Self::violation("fragments of one message differ in stream, SSN or U bit");
    pub(crate) const REUSED_SSN: Self =
        Self::violation("two messages of one stream have the same SSN");
    pub(crate) const SKIPPED_SSN: Self =
        Self::violation("the buffer is full of messages whose SSN never becomes due");

    /// Cause "Protocol Violation" (RFC 9260 §3.3.10.13).
    pub(crate) const fn violation(rule: &'static str) -> Self {
        Self { cause: 13, rule }
    }
}

/// An option with an invalid value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionError {
    /// The option's name, as in [`Options`](crate::Options).
    pub option: String,
    /// The value, as text.
    pub value: String,
    /// Remedy: the valid range, or the condition to meet.
    pub reason: String,
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}: {}", self.option, self.value, self.reason)
    }
}

impl core::error::Error for OptionError {}

/// The reason why a port cannot be listened on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListenError {
    /// Port 0 cannot be listened on.
    PortZero,
    /// The port is already listened on.
    InUse,
    /// An option is out of range.
    Option(OptionError),
}

/// The reason why an association cannot be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectError {
    /// No peer address was given, or none has the family of a local address.
    NoAddress,
    /// The peer's port is 0.
    PortZero,
    /// An address that no association can use: unspecified, broadcast or multicast.
    UnusableAddress(IpAddr),
    /// The endpoint does not own a local address.
    NotLocal(IpAddr),
    /// The requested local port is taken, or all ephemeral ports towards that peer are.
    PortInUse,
    /// The endpoint has reached its limit of associations.
    TooManyAssociations,
    /// An option is out of range.
    Option(OptionError),
    /// The INIT chunk from the signalling is invalid.
    BadInit,
}

/// The reason why a message was not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SendError {
    /// The send buffer is full: wait for [`Event::Writable`](crate::Event::Writable), then send the
    /// returned message again.
    BufferFull(Message),
    /// The peer did not grant the stream.
    InvalidStream,
    /// SCTP has no empty messages (RFC 9260 §6.2, cause "No User Data").
    Empty,
    /// The message is longer than the option `max_message_size`.
    TooLarge,
    /// A shutdown has begun (RFC 9260 §9.2).
    ShuttingDown,
    /// The key does not exist or cannot send ([`SendOptions::key`](crate::SendOptions::key)).
    Key(KeyError),
}

/// The reason why a message would be refused; does not hold the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Objection {
    BufferFull,
    InvalidStream,
    Empty,
    TooLarge,
    ShuttingDown,
    Key(KeyError),
}

impl Objection {
    /// Converts to the user's error, returning the message if sending can be retried.
    #[cold]
    pub(crate) fn to(self, message: Message) -> SendError {
        match self {
            Self::BufferFull => SendError::BufferFull(message),
            Self::InvalidStream => SendError::InvalidStream,
            Self::Empty => SendError::Empty,
            Self::TooLarge => SendError::TooLarge,
            Self::ShuttingDown => SendError::ShuttingDown,
            Self::Key(error) => SendError::Key(error),
        }
    }
}

/// The reason why a graceful shutdown was not started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShutdownError {
    /// A shutdown is already under way.
    AlreadyShuttingDown,
}

/// The reason why a request about a path was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathError {
    /// The association has no path to that address.
    Unknown,
    /// The peer has not yet proved that it owns the address.
    Unconfirmed,
}

/// The reason why a request about a stream was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamError {
    /// The stream id is not less than the number of outbound streams.
    Unknown,
}

macro_rules! display {
    ($error:ty, $($variant:pat => $text:expr),+ $(,)?) => {
        impl fmt::Display for $error {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { $($variant => f.write_str($text)),+ }
            }
        }
        impl core::error::Error for $error {}
    };
}

display!(ShutdownError, Self::AlreadyShuttingDown => "a shutdown is already under way");
display!(StreamError,
    Self::Unknown => "the stream id is not below the number of outbound streams",
);
display!(PathError,
    Self::Unknown => "the association has no path to that address",
    Self::Unconfirmed => "the peer has not confirmed that address yet",
);

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BufferFull(_) => "the send buffer is full",
            Self::InvalidStream => {
                "the stream id is not below the number of outbound streams: raise `outbound_streams`"
            }
            Self::Empty => "a message must have at least one byte",
            Self::TooLarge => "the message is larger than `max_message_size`",
            Self::ShuttingDown => "the association is shutting down",
            Self::Key(error) => return error.fmt(f),
        })
    }
}

impl core::error::Error for SendError {}

impl fmt::Display for ListenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PortZero => f.write_str("port 0 cannot be listened on"),
            Self::InUse => f.write_str("the port is already listened on"),
            Self::Option(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for ListenError {}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAddress => f.write_str("no peer address of a family that is bound locally"),
            Self::PortZero => f.write_str("the peer's port is 0"),
            Self::UnusableAddress(ip) => write!(f, "{ip} cannot be an association's address"),
            Self::NotLocal(ip) => write!(f, "{ip} is not an address of this endpoint"),
            Self::PortInUse => f.write_str("no free local port towards that peer"),
            Self::TooManyAssociations => f.write_str(
                "the endpoint has as many associations as it may: raise `max_associations`",
            ),
            Self::Option(error) => error.fmt(f),
            Self::BadInit => {
                f.write_str("an INIT chunk from the signalling is broken, used or the peer's own")
            }
        }
    }
}

impl core::error::Error for ConnectError {}
