//! Handover of an association to another endpoint, in this process or another, unnoticed by the
//! peer.
//!
//! [`Endpoint::export`](crate::Endpoint::export) removes a quiet association from its endpoint and
//! returns its state as bytes; [`Endpoint::import`](crate::Endpoint::import) resumes it from them
//! elsewhere. An association is quiet if nothing is in flight in either direction as far as this
//! end knows ([`Obstacle`] lists the conditions); the bytes never contain user data. Packets that
//! the peer sends between export and import are lost, and the peer retransmits them.
//!
//! **The bytes are secret.** They contain the association's shared keys (RFC 4895) and its
//! verification tags, its only protection against attackers who cannot see its packets. They are
//! not authenticated either: import only bytes from a trusted process.
//!
//! # Exported state
//!
//! Ports, tags, the extensions in force, TSNs and the SSNs or MIDs of all streams, the peer's
//! receive window, both ends' addresses with UDP ports; for each path its state, errors, MTU,
//! round-trip times, congestion window and threshold; the numbers of RE-CONFIG and ASCONF requests
//! with the answers that the peer may request again; the key vectors and shared keys; the ECN echo
//! that the peer has not yet answered.
//!
//! An association protected by DTLS chunks cannot be exported ([`Obstacle::Protected`]): its keys
//! are ciphers created by a key manager, and two ends must not use the same nonce.
//!
//! Not exported: the [`Options`](crate::Options), which the importer supplies and which must enable
//! the extensions in force; timers, which restart; counters, which restart at 0; priorities,
//! weights and low-water marks of streams; state of congestion control and loss detection beyond
//! window and threshold; an MTU search, which restarts from the MTU in use.
//!
//! Also not exported is the state needed for long-delayed packets of the peer: the TSNs retired by
//! a TSN reset, and the unordered messages that the peer skipped. No useful data can be lost, since
//! before an export everything sent is acknowledged and everything received is read. However, a
//! packet that the network delays from before the reset or skip until after the import is accepted
//! like any other: a FORWARD TSN skips, and a fragment is held until the association ends. Export
//! an association some seconds after a reset or a skip, not immediately. (SACKs for TSNs from
//! before a reset are ignored: if RE-CONFIG is in force, a reset is assumed to have happened.)
//!
//! # Format
//!
//! Numbers are in network byte order. A *list* is a 16-bit count followed by that many entries. An
//! *optional* field is a byte 0, or a byte 1 and the field. *Bytes* are a 32-bit length followed by
//! that many bytes. An *address* is a byte 4 or 6 followed by 4 or 16 bytes. *Numbers* are a list
//! of stream id (16 bits) and number (32 bits), omitting numbers that are 0.
//!
//! | field | bits |
//! |---|---|
//! | `"SHVH"` | 32 |
//! | version, 1 | 8 |
//! | local port, remote port | 16, 16 |
//! | local tag, peer's tag | 32, 32 |
//! | extensions in force, extensions announced to the peer | 32, 32 |
//! | next TSN, outbound streams | 32, 16 |
//! | peer's window, its largest window so far | 32, 32 |
//! | next SSN or MID of each stream, next MID of unordered messages | numbers, numbers |
//! | cumulative TSN received, inbound streams | 32, 16 |
//! | next expected SSN or MID of each stream | numbers |
//! | our addresses | list of addresses |
//! | paths: local address, remote address, optional UDP port (16), state (8: 0 unconfirmed, 1 active, 2 potentially failed, 3 inactive), errors (32), MTU (16), window (64), threshold (64), optional SRTT (64, ns), RTTVAR (64, ns), RTO (64, ns) | list |
//! | index of the primary path in that list | 8 |
//! | RE-CONFIG: our next number (32), the expected one (32), answers, with that to a request in progress last (list of number (32), result (32), optional pair of TSNs), optional number of the reset that we requested (32), streams that we requested (16) | optional |
//! | ASCONF: our next serial number (32), the expected one (32), last answer (optional bytes) | optional |
//! | authentication: our key vector, the peer's (bytes, bytes), active key (16), optional key of the peer's last packet (16), keys (list of id (16), 1 if deactivated (8), secret (bytes)) | optional |
//! | TSN of the ECN echo | optional 32 |
//!
//! Nothing follows. An importer reads only the versions it knows.
//!
//! # Stability
//!
//! Processes of different releases may exchange associations, so these never change:
//!
//! - The first five bytes, mark and version, in every version. An importer that does not know the
//!   version rejects the rest unread.
//! - Everything in the table above, within version 1. Any changed field makes a new version.
//! - The bit of each extension, counted from 0, the lowest. A bit is never reused, even after its
//!   extension is removed. Bits not named here are zero. An importer rejects an association with an
//!   extension in force that its own [`Options`](crate::Options) do not enable, and therefore any
//!   that it does not know.
//!
//! | bit | extension |
//! |---|---|
//! | 0 | go-back-N acknowledgement |
//! | 1 | chunk checksum |
//! | 2 | ECN |
//! | 3 | zero checksum, by DTLS (RFC 9653) |
//! | 4 | zero checksum, packets that stay in memory |
//! | 5 | RE-CONFIG (RFC 6525) |
//! | 6 | partial reliability (RFC 3758) |
//! | 10 | authentication (RFC 4895) |
//! | 11 | address changes (RFC 5061) |
//! | 12 | NR-SACK |
//! | 13 | packet drop reports |
//! | 16 | I-DATA (RFC 8260) |
//! | 17 | I-FORWARD-TSN (RFC 8260) |
//! | 18 | a first window of early data; announced, never in force |
//!
//! Cookies use the same bits without this guarantee: only the process that made a cookie reads it.

pub(crate) mod codec;
mod obstacle;
mod read;
mod state;
mod write;

use core::fmt;
use core::net::IpAddr;

use alloc::vec::Vec;

pub use self::obstacle::Obstacle;
pub(crate) use self::state::{
    AddressSerials, Credentials, Key, KeyStanding, Numbers, PathStanding, Receiving, Requests,
    RtoStanding, Sending, State,
};
use crate::OptionError;

/// The reason an association was not exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportError {
    /// There is no such association.
    Unknown,
    /// The association is not quiet; lists the obstacles.
    NotReady(Vec<Obstacle>),
}

/// The reason an association was not imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportError {
    /// The bytes are not an exported association.
    NotExported,
    /// The bytes have a version that this release does not read.
    Version(u8),
    /// The bytes end too early.
    Truncated,
    /// The bytes contradict themselves, or hold impossible values.
    Malformed(&'static str),
    /// The association's tag belongs to another shard.
    WrongShard {
        /// Index of the tag's shard.
        tagged: u16,
        /// Index of this shard.
        here: u16,
    },
    /// The association uses an address that this endpoint does not have.
    NotLocal(IpAddr),
    /// The endpoint already has an association with this tag, or with this peer and ports.
    InUse,
    /// `max_associations` is reached.
    TooManyAssociations,
    /// An extension in force is disabled by the given options.
    Extensions,
    /// The given options reject unauthenticated peers, and this peer does not authenticate.
    Unauthenticated,
    /// The given options demand protection, whose keys are never handed over.
    Unprotected,
    /// A given option is out of range.
    Option(OptionError),
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("there is no such association"),
            Self::NotReady(obstacles) => {
                f.write_str("the association is not quiet: ")?;
                for (place, obstacle) in obstacles.iter().enumerate() {
                    let comma = if place == 0 { "" } else { ", " };
                    write!(f, "{comma}{obstacle}")?;
                }
                Ok(())
            }
        }
    }
}

impl core::error::Error for ExportError {}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotExported => f.write_str("this is no exported association"),
            Self::Version(version) => write!(f, "version {version} is not known here"),
            Self::Truncated => f.write_str("the exported association is cut short"),
            Self::Malformed(what) => write!(f, "the exported association is malformed: {what}"),
            Self::WrongShard { tagged, here } => {
                write!(
                    f,
                    "the association belongs to shard {tagged}, this is {here}"
                )
            }
            Self::NotLocal(ip) => write!(f, "{ip} is not an address of this endpoint"),
            Self::InUse => f.write_str("an association of that tag or with that peer exists"),
            Self::TooManyAssociations => f.write_str("max_associations is reached"),
            Self::Extensions => f.write_str("the options lack an extension that is in force"),
            Self::Unauthenticated => f.write_str("the peer does not authenticate"),
            Self::Unprotected => f.write_str("its packets are not protected"),
            Self::Option(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for ImportError {}

#[cfg(test)]
mod tests;
