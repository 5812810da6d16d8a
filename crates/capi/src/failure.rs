use std::fmt::Display;
use std::io;

use sheave::CloseReason;
use sheave::error::{
    BindError, ConnectError, KeyError, ListenError, OptionError, PathError, ReceiveError,
    ReconfigurationError, SendError, TargetError,
};

use crate::status::Status;

/// A failed call: the status for C and a message.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: Status,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(status: Status, message: impl Display) -> Self {
        Self {
            status,
            message: message.to_string(),
        }
    }

    /// The call timed out.
    pub(crate) fn again(what: &str) -> Self {
        Self::new(
            Status::Again,
            format_args!("no {what} within the time allowed"),
        )
    }

    pub(crate) fn argument(message: impl Display) -> Self {
        Self::new(Status::InvalidArgument, message)
    }

    pub(crate) fn option(key: &str, value: &str, reason: impl Display) -> Self {
        Self::new(
            Status::InvalidOption,
            format_args!("{key} = {value}: {reason}"),
        )
    }
}

impl From<BindError> for Failure {
    fn from(error: BindError) -> Self {
        let status = match &error {
            BindError::NoPermission => Status::NoPermission,
            BindError::Address { error, .. } if error.kind() == io::ErrorKind::AddrInUse => {
                Status::InUse
            }
            BindError::NoAddress | BindError::Address { .. } => Status::Address,
            BindError::Shards | BindError::Dtls => Status::InvalidArgument,
            BindError::System { .. } => Status::System,
        };
        Self::new(status, error)
    }
}

impl From<ListenError> for Failure {
    fn from(error: ListenError) -> Self {
        let status = match &error {
            ListenError::PortZero => Status::InvalidArgument,
            ListenError::InUse => Status::InUse,
            ListenError::NotLocal(_) => Status::Address,
            ListenError::Option(_) => Status::InvalidOption,
            ListenError::EndpointClosed => Status::Closed,
        };
        Self::new(status, error)
    }
}

impl From<ConnectError> for Failure {
    fn from(error: ConnectError) -> Self {
        let status = match &error {
            ConnectError::Target(target) => match target {
                TargetError::NoAddress
                | TargetError::UnusableAddress(_)
                | TargetError::NotLocal(_) => Status::Address,
                TargetError::PortZero | TargetError::BadInit => Status::InvalidArgument,
                TargetError::PortInUse => Status::InUse,
                TargetError::TooManyAssociations => Status::Limit,
                TargetError::Option(_) => Status::InvalidOption,
            },
            ConnectError::Carrier(_) => Status::Address,
            ConnectError::Deadline(_) => Status::Again,
            ConnectError::EndpointClosed => Status::Closed,
            _ => Status::ConnectFailed,
        };
        Self::new(status, error)
    }
}

impl From<SendError> for Failure {
    fn from(error: SendError) -> Self {
        let status = match &error {
            SendError::Full(_) => Status::Again,
            SendError::InvalidStream { .. } => Status::InvalidStream,
            SendError::Empty => Status::InvalidArgument,
            SendError::Key(error) => key_status(*error),
            SendError::TooLarge { .. } => Status::TooLarge,
            SendError::ShuttingDown => Status::ShuttingDown,
            SendError::Closed(_) => Status::Closed,
        };
        Self::new(status, error)
    }
}

impl From<ReceiveError> for Failure {
    fn from(error: ReceiveError) -> Self {
        match error {
            ReceiveError::NotYet => Self::again("message"),
            ReceiveError::TooLarge { limit } => Self::new(
                Status::TooLarge,
                format_args!("a message was larger than the limit of {limit} bytes"),
            ),
            ReceiveError::Closed(_) => Self::new(Status::Closed, error),
        }
    }
}

impl From<ReconfigurationError> for Failure {
    fn from(error: ReconfigurationError) -> Self {
        let status = match error {
            ReconfigurationError::Unavailable => Status::NotAgreed,
            ReconfigurationError::NotEstablished => Status::NotEstablished,
            ReconfigurationError::Busy => Status::Busy,
            ReconfigurationError::UnknownStream => Status::InvalidStream,
            ReconfigurationError::BadCount => Status::InvalidArgument,
        };
        Self::new(status, error)
    }
}

impl From<PathError> for Failure {
    fn from(error: PathError) -> Self {
        Self::new(Status::Address, error)
    }
}

impl From<KeyError> for Failure {
    fn from(error: KeyError) -> Self {
        Self::new(key_status(error), error)
    }
}

fn key_status(error: KeyError) -> Status {
    match error {
        KeyError::Unavailable => Status::NotAgreed,
        KeyError::Unknown | KeyError::Deactivated => Status::InvalidArgument,
        KeyError::Active | KeyError::InUse => Status::InUse,
    }
}

impl From<OptionError> for Failure {
    fn from(error: OptionError) -> Self {
        Self::new(Status::InvalidOption, error)
    }
}

impl From<CloseReason> for Failure {
    fn from(reason: CloseReason) -> Self {
        let status = match reason {
            CloseReason::Graceful => Status::End,
            _ => Status::Closed,
        };
        Self::new(status, reason)
    }
}
