use std::fmt;
use std::path::{Path, PathBuf};

use super::{Fingerprint, Identity};

/// DTLS settings of an endpoint.
#[derive(Clone, Debug)]
pub struct Dtls {
    pub(crate) authentication: Authentication,
    pub(crate) version: DtlsVersion,
    pub(crate) key_log: Option<PathBuf>,
}

/// Authentication of the two ends: certificates or a pre-shared key.
#[derive(Clone)]
pub(crate) enum Authentication {
    Certificate {
        identity: Identity,
        trusted: Trusted,
    },
    PreSharedKey {
        identity: Vec<u8>,
        key: Vec<u8>,
    },
}

/// The peer certificates that are accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trusted {
    /// Any certificate whose private key the peer proves to have.
    Any,
    /// Only these.
    Pinned(Vec<Fingerprint>),
}

impl Trusted {
    pub(crate) fn accepts(&self, found: &Fingerprint) -> bool {
        match self {
            Self::Any => true,
            Self::Pinned(pinned) => pinned.contains(found),
        }
    }
}

/// DTLS versions to offer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DtlsVersion {
    /// DTLS 1.3 if the peer supports it, otherwise 1.2.
    #[default]
    Newest,
    /// Only DTLS 1.2 (RFC 6347).
    V1_2,
    /// Only DTLS 1.3 (RFC 9147).
    V1_3,
}

impl Dtls {
    /// Authenticates with this certificate, and accepts any peer unless
    /// [`trusting`](Self::trusting) restricts them: right for a public server, wrong for a client.
    #[must_use]
    pub fn with_certificate(identity: Identity) -> Self {
        Self::new(Authentication::Certificate {
            identity,
            trusted: Trusted::Any,
        })
    }

    /// Authenticates with a pre-shared key and its identity (RFC 4279); limited to DTLS 1.2.
    #[must_use]
    pub fn with_pre_shared_key(identity: impl Into<Vec<u8>>, key: impl Into<Vec<u8>>) -> Self {
        Self::new(Authentication::PreSharedKey {
            identity: identity.into(),
            key: key.into(),
        })
    }

    fn new(authentication: Authentication) -> Self {
        Self {
            authentication,
            version: DtlsVersion::Newest,
            key_log: None,
        }
    }

    /// Accepts only peers with these fingerprints. Does nothing with a pre-shared key, which
    /// authenticates both ends.
    #[must_use]
    pub fn trusting(mut self, peers: impl IntoIterator<Item = Fingerprint>) -> Self {
        if let Authentication::Certificate { trusted, .. } = &mut self.authentication {
            *trusted = Trusted::Pinned(peers.into_iter().collect());
        }
        self
    }

    /// Sets the DTLS versions to offer.
    #[must_use]
    pub fn with_version(mut self, version: DtlsVersion) -> Self {
        self.version = version;
        self
    }

    /// Appends every connection's secrets to a file in SSLKEYLOGFILE format (RFC 9850), with which
    /// Wireshark decrypts a capture. Anyone who can read the file can read the traffic.
    #[must_use]
    pub fn logging_keys_to(mut self, path: impl AsRef<Path>) -> Self {
        self.key_log = Some(path.as_ref().to_owned());
        self
    }
}

impl fmt::Debug for Authentication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Certificate { identity, trusted } => f
                .debug_struct("Certificate")
                .field("identity", identity)
                .field("trusted", trusted)
                .finish(),
            Self::PreSharedKey { .. } => f.write_str("PreSharedKey"),
        }
    }
}
