//! Chunk authentication (RFC 4895): options, keys, errors.

mod chunk_set;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use sheave_wire::ChunkType;

pub use self::chunk_set::ChunkSet;

/// Whether chunks are authenticated with shared keys (RFC 4895).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Authentication {
    /// No authentication: the verification tag alone protects chunks; AUTH is an unknown chunk.
    #[default]
    Off,
    /// Each end authenticates the chunk types that the other one requests, if both have this on.
    On(Box<AuthenticationOptions>),
}

/// The options of authentication: chunk types, keys, algorithms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AuthenticationOptions {
    /// The chunk types that the peer must authenticate. INIT, INIT ACK, SHUTDOWN COMPLETE and AUTH
    /// are not allowed (RFC 4895 §3.2). Default: ASCONF and ASCONF ACK.
    pub chunks: ChunkSet,
    /// The algorithms that the peer may use, in order of preference; SHA-1 is mandatory (§3.3).
    /// Default: SHA-256, then SHA-1.
    pub algorithms: Vec<HmacAlgorithm>,
    /// The endpoint pair shared keys, each with a unique id. If empty, the empty key with id 0 is
    /// used, which protects only against attackers that did not see the handshake (§6.1). Default:
    /// none.
    pub keys: Vec<SharedKey>,
    /// Id of the key used for sending at first; default 0.
    pub active: KeyId,
    /// Treatment of peers without authentication; default `Accepted`.
    pub others: Unauthenticated,
}

impl Default for AuthenticationOptions {
    fn default() -> Self {
        Self {
            chunks: ChunkSet::of([ChunkType::ASCONF, ChunkType::ASCONF_ACK]),
            algorithms: [HmacAlgorithm::Sha256, HmacAlgorithm::Sha1].into(),
            keys: Vec::new(),
            active: KeyId(0),
            others: Unauthenticated::Accepted,
        }
    }
}

impl Authentication {
    /// The defaults of [`AuthenticationOptions`].
    #[must_use]
    pub fn on() -> Self {
        Self::On(Box::default())
    }

    /// The defaults with one shared key, of id 1, and these chunk types.
    #[must_use]
    pub fn with_key(secret: impl Into<Vec<u8>>, chunks: ChunkSet) -> Self {
        let key = SharedKey::new(KeyId(1), secret);
        Self::On(Box::new(AuthenticationOptions {
            chunks,
            active: key.id(),
            keys: [key].into(),
            ..AuthenticationOptions::default()
        }))
    }

    pub(crate) fn options(&self) -> Option<&AuthenticationOptions> {
        match self {
            Self::Off => None,
            Self::On(options) => Some(options),
        }
    }

    /// An error in the options, if there is one.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let options = self.options()?;
        let algorithms = &options.algorithms;
        if !algorithms.contains(&HmacAlgorithm::Sha1) || algorithms.len() > 2 {
            return Some("SHA-1 must be among the algorithms, and each there once (RFC 4895 §3.3)");
        }
        let mut ids: Vec<KeyId> = options.keys.iter().map(SharedKey::id).collect();
        ids.sort_unstable();
        if ids.windows(2).any(|pair| pair.first() == pair.last()) {
            return Some("each key id must be there once");
        }
        let known = ids.contains(&options.active) || ids.is_empty() && options.active == KeyId(0);
        (!known).then_some("the active key must be one of the keys")
    }
}

/// Treatment of a peer that does not authenticate the requested chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Unauthenticated {
    /// The association is set up without authentication, and the user is informed
    /// ([`AuthenticationChange::Unavailable`]).
    #[default]
    Accepted,
    /// The association is refused.
    Refused,
}

/// The HMAC algorithm of an AUTH chunk (RFC 4895 §3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HmacAlgorithm {
    /// HMAC-SHA-1, mandatory for every implementation.
    Sha1,
    /// HMAC-SHA-256.
    Sha256,
}

impl HmacAlgorithm {
    /// The algorithm's number on the wire.
    pub(crate) const fn id(self) -> u16 {
        match self {
            Self::Sha1 => 1,
            Self::Sha256 => 3,
        }
    }

    pub(crate) const fn from_id(id: u16) -> Option<Self> {
        match id {
            1 => Some(Self::Sha1),
            3 => Some(Self::Sha256),
            _ => None,
        }
    }

    /// Length of the HMAC, bytes.
    pub(crate) const fn len(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
        }
    }
}

/// A change of authentication (RFC 6458 §6.1.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AuthenticationChange {
    /// The peer does not authenticate; its chunks are accepted unauthenticated.
    Unavailable,
    /// The peer has started to send with this key.
    NewKey(KeyId),
    /// A deactivated key is no longer in use: all messages sent with it are acknowledged or
    /// abandoned.
    FreeKey(KeyId),
}

/// The reason why the keys of an association were not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyError {
    /// The association does not authenticate.
    Unavailable,
    /// The association has no key with that id.
    Unknown,
    /// The key is active; activate another one first.
    Active,
    /// The key was deactivated; it can only be deleted.
    Deactivated,
    /// Messages sent with the key are still unacknowledged.
    InUse,
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unavailable => "the association does not authenticate",
            Self::Unknown => "there is no key of that id",
            Self::Active => "the key is the active one",
            Self::Deactivated => "the key was deactivated",
            Self::InUse => "messages that were sent with the key are not yet acknowledged",
        })
    }
}

impl core::error::Error for KeyError {}

/// Id of an endpoint pair shared key; both ends must use the same id for a secret (RFC 4895 §6.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyId(pub u16);

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An endpoint pair shared key; never printed.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SharedKey {
    pub(crate) id: KeyId,
    pub(crate) secret: Box<[u8]>,
}

impl SharedKey {
    /// Creates a key with that id.
    #[must_use]
    pub fn new(id: KeyId, secret: impl Into<Vec<u8>>) -> Self {
        let secret = secret.into().into();
        Self { id, secret }
    }

    /// The id of the key.
    #[must_use]
    pub const fn id(&self) -> KeyId {
        self.id
    }
}

impl fmt::Debug for SharedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedKey({}, {} bytes)", self.id, self.secret.len())
    }
}
