//! Payload protocol identifiers of data channels (RFC 8831 §8).

use sheave_wire::Ppid;

use crate::Kind;

/// DCEP messages (RFC 8832 §8.1).
pub(crate) const CONTROL: Ppid = Ppid(50);
const TEXT: Ppid = Ppid(51);
const BINARY_PARTIAL: Ppid = Ppid(52);
const BINARY: Ppid = Ppid(53);
const TEXT_PARTIAL: Ppid = Ppid(54);
const TEXT_EMPTY: Ppid = Ppid(56);
const BINARY_EMPTY: Ppid = Ppid(57);

/// Content of an SCTP message, according to its payload protocol identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// A DCEP message.
    Control,
    /// A complete message, or the last part of a partial one.
    Whole(Kind),
    /// An empty message; since SCTP has none, one meaningless byte is sent instead.
    Empty(Kind),
    /// A part of an ordered message, with more to follow; deprecated (RFC 8831 §6.6).
    Partial(Kind),
}

impl Content {
    /// The content for an identifier; `None` if RFC 8831 does not define it.
    pub(crate) const fn of(ppid: Ppid) -> Option<Self> {
        Some(match ppid {
            CONTROL => Self::Control,
            TEXT => Self::Whole(Kind::Text),
            BINARY => Self::Whole(Kind::Binary),
            TEXT_EMPTY => Self::Empty(Kind::Text),
            BINARY_EMPTY => Self::Empty(Kind::Binary),
            TEXT_PARTIAL => Self::Partial(Kind::Text),
            BINARY_PARTIAL => Self::Partial(Kind::Binary),
            _ => return None,
        })
    }
}

/// The identifier for a non-empty message.
pub(crate) const fn whole(kind: Kind) -> Ppid {
    match kind {
        Kind::Text => TEXT,
        Kind::Binary => BINARY,
    }
}

/// The identifier for an empty message.
pub(crate) const fn empty(kind: Kind) -> Ppid {
    match kind {
        Kind::Text => TEXT_EMPTY,
        Kind::Binary => BINARY_EMPTY,
    }
}
