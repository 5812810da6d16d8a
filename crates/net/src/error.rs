//! Errors, one type per fallible call, and close reasons.

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use sheave_engine::{self as engine, CloseReason, Message, Options, PeerAddress, Protection};
use sheave_wire::StreamId;

use crate::dtls::DtlsError;
use crate::key_management::Fault;

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
        /// The requested UDP port; `None` for raw IP.
        port: Option<u16>,
        /// The system's error.
        error: io::Error,
    },
    /// More than one shard over raw IP, or more than 1024 shards.
    Shards,
    /// DTLS over raw IP, or with shards, which need the verification tags that DTLS encrypts.
    Dtls,
    /// Another system call failed.
    System {
        /// The operation.
        what: &'static str,
        /// The system's error.
        error: io::Error,
    },
}

/// The reason why an endpoint cannot listen on a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListenError {
    /// Listening on port 0 is not possible.
    PortZero,
    /// The endpoint already listens on the port at one or more of the addresses.
    InUse,
    /// The endpoint does not have the address.
    NotLocal(IpAddr),
    /// An option is out of range.
    Option(OptionError),
    /// The endpoint was closed.
    EndpointClosed,
}

/// The reason why an exported association could not be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportError {
    /// The engine rejected the bytes or the options.
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

/// The reason why an association could not be set up.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConnectError {
    /// The target cannot be reached from this endpoint, or an option is out of range.
    Target(TargetError),
    /// The address does not match the endpoint's carrier: addresses for a UDP endpoint need a UDP
    /// port, those for a raw IP endpoint must have none.
    Carrier(PeerAddress),
    /// The attempt failed; the reason says who ended it.
    Failed(CloseReason),
    /// No DTLS connection could be set up with the peer.
    Dtls(DtlsError),
    /// The association could not be [protected](crate::secure), and was aborted.
    #[cfg(feature = "secure")]
    Secure(Fault),
    /// The attempt took longer than this timeout and was abandoned.
    Deadline(Duration),
    /// The endpoint was closed.
    EndpointClosed,
}

/// The reason why a message was not accepted for sending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SendError {
    /// The send buffer stayed full for the timeout (zero for `try_send`). Returns the message.
    Full(Message),
    /// The stream was not granted: raise the option
    /// [`outbound_streams`](crate::Options::outbound_streams) here, or
    /// [`max_inbound_streams`](crate::Options::max_inbound_streams) at the peer.
    InvalidStream {
        /// The requested stream; ids start at 0.
        stream: StreamId,
        /// Number of outbound streams.
        streams: u16,
    },
    /// The message is empty, which SCTP does not allow.
    Empty,
    /// The message exceeds the option [`max_message_size`](crate::Options::max_message_size).
    TooLarge {
        /// Size of the message, bytes.
        size: usize,
        /// Maximum size, bytes.
        limit: usize,
    },
    /// A shutdown has begun, here or at the peer.
    ShuttingDown,
    /// The message cannot be sent with that key ([`SendOptions::key`](crate::SendOptions::key)).
    Key(KeyError),
    /// The association is gone.
    Closed(CloseReason),
}

/// The reason why no message was received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReceiveError {
    /// No message arrived within the timeout (zero for `try_receive`).
    NotYet,
    /// The message exceeded the given limit and was discarded.
    TooLarge {
        /// The limit, bytes.
        limit: usize,
    },
    /// The association did not end gracefully.
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
            #[cfg(feature = "secure")]
            Self::Secure(fault) => write!(f, "no protected association: {fault}"),
            Self::Deadline(after) => write!(f, "no answer within {after:?}"),
            Self::EndpointClosed => f.write_str("the endpoint was closed"),
        }
    }
}

impl std::error::Error for ConnectError {}

/// The options of an association of an endpoint that has no keys.
/// Errors: they ask for protection, so that both ends would wait for keys.
pub(crate) fn without_keys(options: Options) -> Result<Options, OptionError> {
    if options.protection == Protection::Off {
        return Ok(options);
    }
    Err(OptionError {
        option: "protection".into(),
        value: options.get("protection").unwrap_or_default(),
        reason: "needs keys: Config::secure, or --secure".into(),
    })
}

/// The error for an association that could not be protected.
pub(crate) fn unprotected(fault: Fault) -> ConnectError {
    #[cfg(feature = "secure")]
    return ConnectError::Secure(fault);
    #[cfg(not(feature = "secure"))]
    match fault {}
}

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
