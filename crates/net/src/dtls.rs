//! SCTP over DTLS (RFC 8261): settings, certificates and fingerprints; the settings with the cargo
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
//! A peer is reached at one address and one UDP port: an association over DTLS has one path
//! (RFC 8261 §6.1). Packets are as long as the path allows less [`RECORD_OVERHEAD`], and go without a
//! CRC32c where the peer agrees (RFC 9653), since every record is authenticated. Several
//! associations with one peer share a connection.

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

/// Bytes that the longest record adds to a packet: those of DTLS 1.2 with AES-GCM.
pub const RECORD_OVERHEAD: u16 = 37;

/// The reason in the ABORT by which a port with DTLS answers an association without it.
pub const WANTS_DTLS: &str = "SCTP is taken within DTLS alone here (RFC 8261)";

/// The reason why there is no DTLS connection with a peer, or no more.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DtlsError {
    /// The peer has another certificate than those that are trusted.
    WrongCertificate {
        /// The fingerprint of the one it has.
        found: Fingerprint,
    },
    /// No answer came, or the handshake stopped half-way: no DTLS there, another pre-shared key,
    /// or a peer that refuses our certificate.
    NoHandshake,
    /// The peer's port takes SCTP without DTLS.
    NoDtls,
    /// The peer closed the connection.
    ClosedByPeer,
    /// The two ends have no cipher suite and no kind of certificate in common: as a rule the peer's
    /// certificate has an RSA key, and ECDSA (P-256, P-384) alone is taken.
    NothingInCommon,
    /// The two ends have no version in common, or a message of the handshake was wrong.
    Refused(String),
    /// The endpoint has no address of the family of the peer's.
    NoAddress,
    /// The endpoint has as many connections as it may.
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
