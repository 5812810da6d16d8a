use core::fmt;

use crate::{UnknownAction, dtls};

/// First byte of a chunk (RFC 9260 §3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkType(pub u8);

impl ChunkType {
    /// User data.
    pub const DATA: Self = Self(0);
    /// Initiation.
    pub const INIT: Self = Self(1);
    /// Initiation acknowledgement.
    pub const INIT_ACK: Self = Self(2);
    /// Selective acknowledgement.
    pub const SACK: Self = Self(3);
    /// Heartbeat request.
    pub const HEARTBEAT: Self = Self(4);
    /// Heartbeat acknowledgement.
    pub const HEARTBEAT_ACK: Self = Self(5);
    /// Abort.
    pub const ABORT: Self = Self(6);
    /// Shutdown.
    pub const SHUTDOWN: Self = Self(7);
    /// Shutdown acknowledgement.
    pub const SHUTDOWN_ACK: Self = Self(8);
    /// Operation error.
    pub const ERROR: Self = Self(9);
    /// State Cookie.
    pub const COOKIE_ECHO: Self = Self(10);
    /// Cookie acknowledgement.
    pub const COOKIE_ACK: Self = Self(11);
    /// Reserved for explicit congestion notification echo.
    pub const ECNE: Self = Self(12);
    /// Reserved for congestion window reduced.
    pub const CWR: Self = Self(13);
    /// Shutdown complete.
    pub const SHUTDOWN_COMPLETE: Self = Self(14);
    /// Authentication of the chunks that follow it (RFC 4895).
    pub const AUTH: Self = Self(15);
    /// The answer to an address change (RFC 5061).
    pub const ASCONF_ACK: Self = Self(128);
    /// User data whose messages may be interleaved (RFC 8260).
    pub const I_DATA: Self = Self(64);
    /// The chunks of a packet, encrypted (draft-ietf-tsvwg-sctp-dtls-chunk).
    pub const DTLS: Self = Self(dtls::CHUNK);
    /// A packet was lost or damaged (draft-stewart-sctp-pktdrprep).
    pub const PACKET_DROP: Self = Self(129);
    /// Selective acknowledgement without reneging (draft-natarajan-tsvwg-sctp-nrsack).
    pub const NR_SACK: Self = Self(16);
    /// Requests to reset or add streams, and answers to them (RFC 6525).
    pub const RE_CONFIG: Self = Self(130);
    /// Messages that the sender has abandoned, with I-DATA in use (RFC 8260).
    pub const I_FORWARD_TSN: Self = Self(194);
    /// Padding (RFC 4820 §3).
    pub const PAD: Self = Self(132);

    /// TSNs that the sender has abandoned (RFC 3758).
    pub const FORWARD_TSN: Self = Self(192);

    /// User data with a header checksum; private type, from the paper "chunk checksum".
    pub const CHECKED_DATA: Self = Self(158);
    /// A report of damaged chunks; private type, from the paper "chunk checksum".
    pub const CORRUPTION: Self = Self(159);

    /// A change of the sender's addresses (RFC 5061).
    pub const ASCONF: Self = Self(193);

    /// The types that are known here, in ascending order.
    pub fn known() -> impl Iterator<Item = Self> {
        let all = (0..=u8::MAX).map(Self);
        all.filter(|chunk_type| chunk_type.name().is_some())
    }

    /// Whether RFC 9260 defines the chunk's body, so that every association supports it. False for
    /// ECNE and CWR, which the RFC only reserves.
    #[inline]
    #[must_use]
    pub const fn is_basic(self) -> bool {
        matches!(self.0, 0..=11 | 14)
    }

    /// Treatment of the chunk by a receiver that does not know this type.
    #[must_use]
    pub const fn unknown_action(self) -> UnknownAction {
        UnknownAction::from_high_bits(self.0 >> 6)
    }

    const fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::DATA => "DATA",
            Self::INIT => "INIT",
            Self::INIT_ACK => "INIT ACK",
            Self::SACK => "SACK",
            Self::HEARTBEAT => "HEARTBEAT",
            Self::HEARTBEAT_ACK => "HEARTBEAT ACK",
            Self::ABORT => "ABORT",
            Self::SHUTDOWN => "SHUTDOWN",
            Self::SHUTDOWN_ACK => "SHUTDOWN ACK",
            Self::ERROR => "ERROR",
            Self::COOKIE_ECHO => "COOKIE ECHO",
            Self::COOKIE_ACK => "COOKIE ACK",
            Self::ECNE => "ECNE",
            Self::CWR => "CWR",
            Self::SHUTDOWN_COMPLETE => "SHUTDOWN COMPLETE",
            Self::AUTH => "AUTH",
            Self::ASCONF_ACK => "ASCONF ACK",
            Self::I_DATA => "I-DATA",
            Self::DTLS => "DTLS",
            Self::I_FORWARD_TSN => "I-FORWARD-TSN",
            Self::PACKET_DROP => "PACKET DROP",
            Self::NR_SACK => "NR-SACK",
            Self::RE_CONFIG => "RE-CONFIG",
            Self::PAD => "PAD",
            Self::FORWARD_TSN => "FORWARD TSN",
            Self::CHECKED_DATA => "CHECKED DATA",
            Self::CORRUPTION => "CORRUPTION",
            Self::ASCONF => "ASCONF",
            _ => return None,
        })
    }
}

/// Prints the RFC's name, or the number of an unknown type.
impl fmt::Display for ChunkType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "chunk type {}", self.0),
        }
    }
}
