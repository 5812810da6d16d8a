use std::fmt;
use std::path::{Path, PathBuf};

use super::{Fingerprint, Identity};

/// The settings of DTLS for an endpoint.
#[derive(Clone, Debug)]
pub struct Dtls {
    pub(crate) authentication: Authentication,
    pub(crate) version: DtlsVersion,
    pub(crate) key_log: Option<PathBuf>,
}

/// The way in which the two ends prove who they are.
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

/// Certificates of peers that are accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trusted {
    /// Every one, as long as the peer has its key.
    Any,
    /// These alone.
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

/// The versions of DTLS to speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DtlsVersion {
    /// 1.3 with a peer that has it, else 1.2.
    #[default]
    Newest,
    /// 1.2 alone (RFC 6347).
    V1_2,
    /// 1.3 alone (RFC 9147).
    V1_3,
}

impl Dtls {
    /// With this certificate; takes any peer until [`trusting`](Self::trusting) says which: as it
    /// is right for a server that anybody may use, and for no client.
    #[must_use]
    pub fn with_certificate(identity: Identity) -> Self {
        Self::new(Authentication::Certificate {
            identity,
            trusted: Trusted::Any,
        })
    }

    /// With a key that both ends were given, and a name for it (RFC 4279). DTLS 1.2 alone has that
    /// here.
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

    /// The same, with these peers alone. Does nothing with a pre-shared key, which authenticates
    /// both.
    #[must_use]
    pub fn trusting(mut self, peers: impl IntoIterator<Item = Fingerprint>) -> Self {
        if let Authentication::Certificate { trusted, .. } = &mut self.authentication {
            *trusted = Trusted::Pinned(peers.into_iter().collect());
        }
        self
    }

    /// The same, in that version alone.
    #[must_use]
    pub fn with_version(mut self, version: DtlsVersion) -> Self {
        self.version = version;
        self
    }

    /// The same, with the secrets of every connection appended to a file in the format of
    /// SSLKEYLOGFILE (RFC 9850), by which Wireshark decrypts a capture. Whoever reads the file
    /// reads the traffic.
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
