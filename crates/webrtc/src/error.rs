use std::fmt;

use sheave_engine::{ConnectError, OptionError};

use crate::DescriptionError;

/// The reason why a [`PeerConnection`](crate::PeerConnection) could not be created.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NewError {
    /// The system's random source failed.
    NoRandomness,
    /// The DTLS settings are invalid, or the key log file cannot be opened.
    Dtls(String),
    /// An address cannot be a candidate.
    BadAddress(std::net::SocketAddr),
    /// An option of the association is out of range.
    Association(OptionError),
}

/// The reason why a description could not be created or accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NegotiationError {
    /// Offer and answer were already exchanged.
    Done,
    /// An answer arrived without an offer.
    NoOffer,
    /// The answer is our own offer, according to its ICE credentials.
    OwnOffer,
    /// Both ends are ICE-lite, so neither would start checks.
    BothLite,
    /// The DTLS roles of both ends are incompatible.
    SetupConflict,
    /// The DTLS settings are invalid.
    Dtls(String),
    /// The association cannot be started.
    Association(ConnectError),
    /// The text is not a valid description.
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
