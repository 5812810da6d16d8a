use std::fmt;

/// The reason why a call was refused.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The stream is there already.
    ErrStreamAlreadyExist,
    /// The stream's last user has gone, and its reset is not complete.
    ErrStreamResetPending,
    /// The peer has not granted the stream.
    ErrStreamCreateFailed,
    /// There is no such stream.
    ErrStreamNotExisted,
    /// The stream is closed, or the association ends.
    ErrStreamClosed,
    /// The message is longer than the peer takes.
    ErrOutboundPacketTooLarge,
    /// The buffer is shorter than the message.
    ErrShortBuffer,
    /// The association is not up.
    ErrShutdownNonEstablished,
    /// Streams cannot be reset while the association is not up.
    ErrResetPacketInStateNotExist,
    /// No room in the send buffer.
    ErrTryAgain,
    /// Another reason, in words.
    Other(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ErrStreamAlreadyExist => "the stream is there already",
            Self::ErrStreamResetPending => "the reset of the stream is not complete",
            Self::ErrStreamCreateFailed => "the peer has not granted the stream",
            Self::ErrStreamNotExisted => "there is no such stream",
            Self::ErrStreamClosed => "the stream is closed",
            Self::ErrOutboundPacketTooLarge => "the message is longer than the peer takes",
            Self::ErrShortBuffer => "the buffer is shorter than the message",
            Self::ErrShutdownNonEstablished | Self::ErrResetPacketInStateNotExist => {
                "the association is not established"
            }
            Self::ErrTryAgain => "the send buffer is full",
            Self::Other(words) => words,
        })
    }
}

impl std::error::Error for Error {}

/// The reason why an association ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AssociationError {
    /// The peer broke the protocol.
    TransportError,
    /// Either end aborted or closed it.
    AssociationClosed,
    /// The peer has lost its state, and began anew.
    Reset,
    /// The peer does not answer.
    TimedOut,
    /// This end aborted it.
    LocallyClosed,
}

impl fmt::Display for AssociationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TransportError => "the peer broke the protocol",
            Self::AssociationClosed => "closed",
            Self::Reset => "the peer began anew",
            Self::TimedOut => "the peer does not answer",
            Self::LocallyClosed => "closed by this end",
        })
    }
}

impl std::error::Error for AssociationError {}

impl From<&sheave_engine::CloseReason> for AssociationError {
    fn from(reason: &sheave_engine::CloseReason) -> Self {
        use sheave_engine::CloseReason;
        match reason {
            CloseReason::Graceful
            | CloseReason::AbortedByPeer { .. }
            | CloseReason::NoSuchPort
            | CloseReason::NoSuchProtocol => Self::AssociationClosed,
            CloseReason::Aborted | CloseReason::Exported => Self::LocallyClosed,
            CloseReason::PeerFault { .. } => Self::TransportError,
            CloseReason::TimedOut | CloseReason::StaleCookie => Self::TimedOut,
        }
    }
}
