use std::fmt;

use sheave_engine::{ConnectError, OptionError};

use crate::DescriptionError;

/// The reason why a [`PeerConnection`](crate::PeerConnection) cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NewError {
    /// The system has no randomness.
    NoRandomness,
    /// The DTLS settings are refused, or the file for secrets cannot be opened.
    Dtls(String),
    /// An address is not one that a candidate can have.
    BadAddress(std::net::SocketAddr),
    /// An option of the association is out of range.
    Association(OptionError),
}

/// The reason why a description cannot be made or taken.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NegotiationError {
    /// Offer and answer have been exchanged already.
    Done,
    /// An answer came, and there was no offer.
    NoOffer,
    /// The answer is our own offer, by its ICE credentials.
    OwnOffer,
    /// Both ends are ICE-lite: neither would begin.
    BothLite,
    /// The two ends' DTLS roles exclude each other.
    SetupConflict,
    /// The DTLS settings are refused.
    Dtls(String),
    /// The association cannot be begun.
    Association(ConnectError),
    /// A text is no description.
    Description(DescriptionError),
}

impl fmt::Display for NewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRandomness => f.write_str("the system has no randomness"),
            Self::Dtls(reason) => write!(f, "DTLS: {reason}"),
            Self::BadAddress(address) => write!(f, "{address} cannot be a candidate"),
            Self::Association(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for NegotiationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done => f.write_str("offer and answer have been exchanged already"),
            Self::NoOffer => f.write_str("an answer needs an offer first"),
            Self::OwnOffer => f.write_str("the answer is our own offer, sent back"),
            Self::BothLite => {
                f.write_str("both ends are ICE-lite: one has to do connectivity checks")
            }
            Self::SetupConflict => f.write_str("both ends want the same DTLS role (a=setup)"),
            Self::Dtls(reason) => write!(f, "DTLS: {reason}"),
            Self::Association(error) => write!(f, "the association cannot be begun: {error}"),
            Self::Description(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NewError {}
impl std::error::Error for NegotiationError {}

impl From<DescriptionError> for NegotiationError {
    fn from(error: DescriptionError) -> Self {
        Self::Description(error)
    }
}
