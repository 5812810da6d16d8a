//! Errors, one type for each call that can fail, and reasons.

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use sheave_engine::{self as engine, CloseReason, Message, PeerAddress};
use sheave_wire::StreamId;

use crate::dtls::DtlsError;

pub use sheave_engine::{
    AddressChangeError, ConnectError as TargetError, ExportError, ImportError as ImportRefusal,
    KeyError, Obstacle, OptionError, PathError, ReconfigurationError, StreamError,
};

/// The reason why an endpoint could not be bound.
#[derive(Debug)]
pub enum BindError {
    /// Raw IP sockets need `CAP_NET_RAW`, and this process lacks it.
    NoPermission,
    /// The machine has no usable address.
    NoAddress,
    /// An address or its UDP port cannot be bound.
    Address {
        /// The address.
        ip: IpAddr,
        /// The UDP port asked for; `None` for raw IP.
        port: Option<u16>,
        /// The system's error.
        error: io::Error,
    },
    /// More shards than one over raw IP, or more than 1024.
    Shards,
    /// DTLS over raw IP, or with shards: their packets are told apart by tags, which DTLS encrypts.
    Dtls,
    /// Another request to the system failed.
    System {
        /// The operation.
        what: &'static str,
        /// The system's error.
        error: io::Error,
    },
}

/// The reason why a port cannot be listened on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListenError {
    /// Port 0 cannot be listened on.
    PortZero,
    /// The endpoint already listens on the port, at one of the addresses at least.
    InUse,
    /// The endpoint does not have the address.
    NotLocal(IpAddr),
    /// An option is out of range.
    Option(OptionError),
    /// The endpoint was closed.
    EndpointClosed,
}

/// The reason why an exported association does not go on here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportError {
    /// The bytes or the options do not do for this endpoint.
    Refused(engine::ImportError),
    /// The endpoint was closed.
    EndpointClosed,
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => error.fmt(f),
            Self::EndpointClosed => f.write_str("the endpoint is closed"),
        }
    }
}

impl std::error::Error for ImportError {}

impl From<engine::ImportError> for ImportError {
    fn from(error: engine::ImportError) -> Self {
        Self::Refused(error)
    }
}

/// The reason why an association was not set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectError {
    /// The target cannot be reached from this endpoint, or an option is out of range.
    Target(TargetError),
    /// The address needs another carrier than this endpoint's: give a UDP port to peers of a UDP
    /// endpoint, and none to peers of a raw IP endpoint.
    Carrier(PeerAddress),
    /// No association was made; the reason says who ended the attempt.
    Failed(CloseReason),
    /// There is no DTLS connection with the peer.
    Dtls(DtlsError),
    /// Nothing came of it in the time allowed; the attempt was given up.
    Deadline(Duration),
    /// The endpoint was closed.
    EndpointClosed,
}

/// The reason why a message was not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SendError {
    /// No room came free in the time allowed (at once for `try_send`). The message comes back.
    Full(Message),
    /// The stream was not granted to us: raise the option
    /// [`outbound_streams`](crate::Options::outbound_streams) here, or
    /// [`max_inbound_streams`](crate::Options::max_inbound_streams) at the peer.
    InvalidStream {
        /// The stream asked for; they count from 0.
        stream: StreamId,
        /// Streams that there are.
        streams: u16,
    },
    /// SCTP has no empty messages.
    Empty,
    /// Larger than the option [`max_message_size`](crate::Options::max_message_size).
    TooLarge {
        /// Bytes of the message.
        size: usize,
        /// Bytes that a message may have.
        limit: usize,
    },
    /// A shutdown has begun, here or at the peer.
    ShuttingDown,
    /// No message can be sent with that key ([`SendOptions::key`](crate::SendOptions::key)).
    Key(KeyError),
    /// The association is gone.
    Closed(CloseReason),
}

/// The reason why no message was received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReceiveError {
    /// Nothing arrived in the time allowed (at once for `try_receive`).
    NotYet,
    /// A message came that is larger than the limit given; it is discarded.
    TooLarge {
        /// The limit, bytes.
        limit: usize,
    },
    /// The association ended, and not gracefully.
    Closed(CloseReason),
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPermission => f.write_str(
                "raw IP (protocol 132) needs root or CAP_NET_RAW; without it use UDP \
                 encapsulation, which needs no privilege",
            ),
            Self::NoAddress => f.write_str("this machine has no usable IP address"),
            Self::Address { ip, port, error } => match port {
                Some(port) => write!(f, "cannot bind UDP port {port} of {ip}: {error}"),
                None => write!(f, "cannot bind {ip}: {error}"),
            },
            Self::Shards => f.write_str(
                "packets can be spread over at most 1024 shards, and over UDP only: every raw IP \
                 socket sees every packet",
            ),
            Self::Dtls => f.write_str("DTLS goes over UDP, and with one endpoint to a port"),
            Self::System { what, error } => write!(f, "cannot {what}: {error}"),
        }
    }
}

impl std::error::Error for BindError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Address { error, .. } | Self::System { error, .. } => Some(error),
            Self::NoPermission | Self::NoAddress | Self::Shards | Self::Dtls => None,
        }
    }
}

impl fmt::Display for ListenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PortZero => f.write_str("port 0 cannot be listened on"),
            Self::InUse => f.write_str("the port is already listened on"),
            Self::NotLocal(ip) => write!(f, "{ip} is not an address of the endpoint"),
            Self::Option(error) => error.fmt(f),
            Self::EndpointClosed => f.write_str("the endpoint was closed"),
        }
    }
}

impl std::error::Error for ListenError {}

impl From<engine::ListenError> for ListenError {
    fn from(error: engine::ListenError) -> Self {
        match error {
            engine::ListenError::PortZero => Self::PortZero,
            engine::ListenError::InUse => Self::InUse,
            engine::ListenError::Option(error) => Self::Option(error),
        }
    }
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Target(error) => error.fmt(f),
            Self::Carrier(address) => match address.encapsulation {
                Some(_) => write!(f, "{address} cannot be reached from a raw IP endpoint"),
                None => write!(
                    f,
                    "{address} has no UDP port, and this endpoint speaks SCTP over UDP"
                ),
            },
            // RFC 9260 §8.4: the answer to an INIT for a port without a listener has no cause.
            Self::Failed(CloseReason::AbortedByPeer { cause: None, .. }) => f.write_str(
                "no association: the peer answered with an ABORT without a cause, as SCTP does where \
                 nobody listens at the SCTP port",
            ),
            Self::Failed(reason) => write!(f, "no association: {}", reason),
            Self::Dtls(error) => error.fmt(f),
            Self::Deadline(after) => write!(f, "no answer within {after:?}"),
            Self::EndpointClosed => f.write_str("the endpoint was closed"),
        }
    }
}

impl std::error::Error for ConnectError {}

impl From<TargetError> for ConnectError {
    fn from(error: TargetError) -> Self {
        Self::Target(error)
    }
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full(_) => f.write_str(
                "the send buffer is full: wait until the peer has taken more, or raise \
                 `send_buffer`",
            ),
            Self::InvalidStream { stream, streams } => write!(
                f,
                "stream {} of {streams}, which count from 0: raise `outbound_streams`, or \
                 `max_inbound_streams` at the peer",
                stream.0
            ),
            Self::Empty => f.write_str("a message must have at least one byte"),
            Self::TooLarge { size, limit } => write!(
                f,
                "a message of {size} bytes where {limit} are allowed: raise `max_message_size`"
            ),
            Self::ShuttingDown => f.write_str("the association is shutting down"),
            Self::Key(error) => error.fmt(f),
            Self::Closed(reason) => write!(f, "the association is closed: {}", reason),
        }
    }
}

impl std::error::Error for SendError {}

impl fmt::Display for ReceiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotYet => f.write_str("nothing arrived in the time allowed"),
            Self::TooLarge { limit } => write!(
                f,
                "a message was larger than the {limit} bytes that `receive_whole` was to take"
            ),
            Self::Closed(reason) => write!(f, "the association is closed: {}", reason),
        }
    }
}

impl std::error::Error for ReceiveError {}
