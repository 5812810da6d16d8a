//! Encryption of packets in DTLS chunks (draft-ietf-tsvwg-sctp-dtls-chunk-04): options, the agreement of both ends,
//! and the cipher that a key manager brings.

mod agreement;
mod cipher;

use alloc::vec::Vec;

use sheave_wire::{DtlsContext, Ppid, StreamId, dtls};

pub(crate) use self::agreement::{Disagreement, KeyParameter, KeyParameters, MAX_PARAMETER_LEN};
pub use self::agreement::{KeyAgreement, KeyRole};
pub use self::cipher::{CipherLimits, Forged, RecordCipher, TAG_LEN};

/// Whether packets are encrypted in DTLS chunks, for which a key manager gives the keys
/// (draft-ietf-tsvwg-sctp-dtls-chunk-04 §5.1). Experimental.
///
/// From the moment that both ends have agreed on it, an association refuses user data
/// ([`SendError::BufferFull`](crate::SendError::BufferFull)) and drops what it is sent, but for messages of key
/// managers, until [`Shielded::enforce`](crate::Shielded::enforce). Stream 0 with the payload protocol identifier
/// 4242 belongs to key managers; users' messages there are refused
/// ([`SendError::InvalidStream`](crate::SendError::InvalidStream)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Protection {
    /// The parameter is not sent, and DTLS chunks are of an unknown type.
    #[default]
    Off,
    /// Associations with peers that cannot are set up without (loose mode).
    Loose,
    /// Peers that cannot are refused (strict mode).
    Strict,
}

/// The roles in which an end can agree on keys (§4.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeyRoles {
    /// The client's.
    Client,
    /// The server's.
    Server,
    /// Either; the larger tie breaker is the server's.
    #[default]
    Either,
}

/// Whether an association can be set up again, under keys that were kept, by an end that has lost its state
/// (§5.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ProtectedRestart {
    /// No: such an end waits until its peer has given up.
    #[default]
    Off,
    /// Yes, where both ends say so and have restart keys.
    On,
}

/// Methods of key management, the best in front: numbers of their registry (§9.1).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeyMethods(pub Vec<u8>);

impl Default for KeyMethods {
    fn default() -> Self {
        Self([dtls::METHOD_PRE_SHARED].into())
    }
}

/// The name of a key context in its association (§3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyContext {
    /// Whether it serves the association, or its restart.
    pub kind: DtlsContext,
    /// The epoch: 3 for the first, one more for each that follows.
    pub epoch: u64,
}

impl KeyContext {
    /// The first key context of an association.
    pub const FIRST: Self = Self::primary(dtls::FIRST_EPOCH);

    /// The key context of that epoch that serves the association.
    #[must_use]
    pub const fn primary(epoch: u64) -> Self {
        Self {
            kind: DtlsContext::Primary,
            epoch,
        }
    }

    /// The key context of that epoch that serves a restart.
    #[must_use]
    pub const fn restart(epoch: u64) -> Self {
        Self {
            kind: DtlsContext::Restart,
            epoch,
        }
    }
}

/// Whether messages on that stream with that identifier belong to key managers (§9.6).
pub(crate) fn is_of_key_managers(stream: StreamId, ppid: Ppid) -> bool {
    ppid == Ppid(dtls::PPID) && stream == StreamId(0)
}

/// A change in the protection of an association.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProtectionChange {
    /// The first packet that is protected by these keys has arrived: the peer has them.
    FirstReceived(KeyContext),
    /// Protected packets alone are sent and taken from here on.
    Enforced,
    /// New keys are due: seven eighths of the records that these keys may protect are sent, or all
    /// of [their bytes](crate::CipherLimits::bytes).
    NearLimit(KeyContext),
    /// Keys that open nothing any more: as many forged records have come as they allow.
    Spent(KeyContext),
    /// The peer does not protect packets; told in loose mode.
    Unavailable,
    /// The peer's key manager has sent messages, which
    /// [`Shielded::receive`](crate::Shielded::receive) returns.
    Message,
    /// The time set by [`Shielded::set_timer`](crate::Shielded::set_timer) has come.
    TimerExpired,
}

/// Counters of an association's protection (§7.7.9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ProtectionStats {
    /// Packets sent in DTLS chunks.
    pub sent: u64,
    /// Packets taken out of DTLS chunks.
    pub received: u64,
    /// Packets dropped since they were not protected.
    pub unprotected: u64,
    /// Records dropped since they were not authentic.
    pub forged: u64,
    /// Records dropped since they came before, or too late for the replay window.
    pub replayed: u64,
    /// DTLS chunks dropped unopened: not alone in their packet, ill-formed, or of unknown keys.
    pub unreadable: u64,
}

/// Counters of one key context (§6.9 to §6.11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct KeyStats {
    /// Records sealed.
    pub sealed: u64,
    /// Records opened.
    pub opened: u64,
    /// Records that were not authentic.
    pub forged: u64,
}

/// The reason why keys were not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProtectionError {
    /// The two ends have not agreed on DTLS chunks.
    NotAgreed,
    /// Primary keys begin with epoch 3, each next being one more (§6.4).
    Epoch,
    /// Keys of the same context whose epoch ends in the same two bits are still there.
    Taken,
    /// There are no keys of that name.
    Unknown,
    /// Protection is enforced only where there are keys in both directions.
    NoKeys,
    /// The association is not established, or its shutdown has gone too far for messages.
    Closing,
}
