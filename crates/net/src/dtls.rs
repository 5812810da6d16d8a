//! SCTP over DTLS (RFC 8261): settings, certificates and fingerprints; the settings need the cargo
//! feature `dtls`.
//!
//! ```no_run
//! use sheave::dtls::{Dtls, Identity};
//! use sheave::prelude::*;
//!
//! # #[cfg(feature = "dtls")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // The server tells its fingerprint to whoever may connect.
//! let identity = Identity::generate()?;
//! println!("{}", identity.fingerprint());
//! let server = Endpoint::bind(Config::dtls([], 9899, Dtls::with_certificate(identity)))?;
//!
//! // The client pins it.
//! let trusted = "AB:CD:…".parse()?;
//! let dtls = Dtls::with_certificate(Identity::generate()?).trusting([trusted]);
//! let client = Endpoint::bind(Config::dtls([], 0, dtls))?;
//! client.connect(Target::over_udp(["192.0.2.7".parse()?], 9899, 5001))?;
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "dtls"))]
//! # fn main() {}
//! ```
//!
//! An association over DTLS has a single path, to one address and UDP port (RFC 8261 §6.1). The
//! path MTU shrinks by [`RECORD_OVERHEAD`]. Packets carry no CRC32c if the peer agrees (RFC 9653),
//! since DTLS authenticates every record. Several associations with one peer share a connection.

mod fingerprint;
#[cfg(feature = "dtls")]
mod settings;

use std::fmt;

#[cfg(feature = "dtls")]
pub use crate::carrier::dtls::{Identity, IdentityError};
pub use fingerprint::{Fingerprint, FingerprintError};
#[cfg(feature = "dtls")]
pub(crate) use settings::{Authentication, Trusted};
#[cfg(feature = "dtls")]
pub use settings::{Dtls, DtlsVersion};

/// A DTLS connection without sockets, for programs that carry its datagrams themselves.
#[cfg(feature = "dtls")]
pub mod session {
    pub use crate::carrier::dtls::session::{Limit, Output, ROOM, Role, Session, Settings};
}

/// Maximum record overhead, bytes: that of DTLS 1.2 with AES-GCM.
pub const RECORD_OVERHEAD: u16 = 37;

/// Reason in the ABORT that a DTLS port sends in answer to SCTP without DTLS.
pub const WANTS_DTLS: &str = "SCTP is taken within DTLS alone here (RFC 8261)";

/// The reason why a DTLS connection could not be set up, or ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DtlsError {
    /// The peer's certificate is not trusted.
    WrongCertificate {
        /// Fingerprint of the peer's certificate.
        found: Fingerprint,
    },
    /// No answer, or the handshake stalled: the peer has no DTLS, has another pre-shared key, or
    /// refuses our certificate.
    NoHandshake,
    /// The peer's port expects SCTP without DTLS.
    NoDtls,
    /// The peer closed the connection.
    ClosedByPeer,
    /// The ends share no cipher suite or certificate type. Usually the peer's certificate has an
    /// RSA key, and only ECDSA (P-256, P-384) is supported.
    NothingInCommon,
    /// The ends share no DTLS version, or a handshake message was invalid.
    Refused(String),
    /// The endpoint has no address of the peer's address family.
    NoAddress,
    /// The endpoint has reached its limit of connections.
    TooMany,
}

impl fmt::Display for DtlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongCertificate { found } => write!(
                f,
                "the peer's certificate is not the pinned one: its fingerprint is {found}"
            ),
            Self::NoHandshake => f.write_str(
                "no DTLS handshake: no answer, another pre-shared key, or our certificate is \
                 not trusted there",
            ),
            Self::NoDtls => f.write_str("the peer has no DTLS at that port"),
            Self::ClosedByPeer => f.write_str("the peer closed the DTLS connection"),
            Self::NothingInCommon => f.write_str(
                "no DTLS cipher suite or kind of certificate in common: ECDSA certificates (P-256, P-384) are \
                 taken, and the peer's is probably RSA",
            ),
            Self::Refused(reason) => write!(f, "the DTLS handshake failed: {reason}"),
            Self::NoAddress => f.write_str("no local address is of the family of the peer's"),
            Self::TooMany => f.write_str("too many DTLS connections"),
        }
    }
}

impl std::error::Error for DtlsError {}
