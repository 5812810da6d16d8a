//! Packets encrypted on every path: DTLS chunks (draft-ietf-tsvwg-sctp-dtls-chunk-04) with keys from
//! TLS 1.3 (draft-porfiri-tsvwg-sctp-dtls-handshake-01). Needs the cargo feature `secure`.
//! Experimental: both are drafts, whose numbers may change.
//!
//! ```no_run
//! use sheave::prelude::*;
//! use sheave::secure::{Identity, Secure, Trust};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Both ends authenticate, each by a certificate that the other's authorities have signed.
//! let identity = Identity::from_files("chain.pem", "key.pem")?;
//! let trust = Trust::default().authorities_in("authorities.pem")?;
//! let secure = Secure::new(identity, trust);
//! let endpoint = Endpoint::bind(Config::udp([], 0).secure(secure))?;
//! let target = Target::over_udp(["192.0.2.7".parse()?], 9899, 5001).expecting(["peer.example"])?;
//! let association = endpoint.connect(target)?;
//! # Ok(())
//! # }
//! ```
//!
//! `connect` and `accept` return associations whose packets are protected already; user data never
//! leaves in plain text. An association that cannot be protected is aborted:
//! [`ConnectError::Secure`](crate::error::ConnectError::Secure) names the fault, and at an endpoint
//! that listens [`Endpoint::refused`](crate::Endpoint::refused). Keys change
//! ([`Rekeying`]) without notice to the application; if that fails, the association is aborted.
//!
//! An endpoint with protection sets up protected associations alone. They cannot be handed over to
//! another endpoint, and authenticate no chunks (RFC 4895), which their options must not demand. The
//! payload protocol identifier 4242 on stream 0 belongs to key management.

mod text;

use std::time::Duration;

pub(crate) use self::text::SecureText;

pub use sheave_secure::{
    BadFingerprint, BadLine, BadName, CipherSuite, Decoder, Fault, Fingerprint, Identity,
    IdentityError, KeyLog, KeyManagement, KeyProgress, KeySource, Names, Refusal, Rekeying,
    RestartStore, SharedSecret, TlsSettings, Trust,
};

/// Protection settings of an endpoint.
#[derive(Clone, Debug)]
pub struct Secure {
    pub(crate) source: KeySource,
    pub(crate) names: Names,
}

impl Secure {
    /// Authenticates with `identity`, and accepts the peers that `trust` accepts.
    #[must_use]
    pub fn new(identity: Identity, trust: Trust) -> Self {
        Self::with(TlsSettings::new(identity, trust))
    }

    /// Takes settings of key management, or a [`SharedSecret`].
    #[must_use]
    pub fn with(source: impl Into<KeySource>) -> Self {
        Self {
            source: source.into(),
            names: Names::default(),
        }
    }

    /// Accepts only peers whose certificate holds one of these names, or whose fingerprint is
    /// trusted. [`Target::expecting`](crate::Target::expecting) does so for one association.
    #[must_use]
    pub fn expecting(mut self, names: Names) -> Self {
        self.names = names;
        self
    }

    /// Limits the time of the handshake that protects an association; default 30 s.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self {
            source: self.source.with_patience(patience),
            ..self
        }
    }

    /// Key management with these settings, for an engine that is driven by a
    /// [`PollLoop`](crate::poll_loop::PollLoop).
    #[must_use]
    pub fn key_management(&self) -> KeyManagement {
        KeyManagement::new(self.source.clone(), self.names.clone())
    }

    /// Fingerprint of the own certificate, which peers may trust instead of an authority; of a
    /// secret, a name that does not tell it.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        self.source.fingerprint()
    }
}
