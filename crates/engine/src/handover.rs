//! An association that moves to another endpoint, of this process or of another, without a word to
//! the peer.
//!
//! [`Endpoint::export`](crate::Endpoint::export) takes a quiet association out of its endpoint and
//! returns what it knows as bytes; [`Endpoint::import`](crate::Endpoint::import) goes on with them
//! elsewhere. Quiet means that nothing is on its way in either direction as far as this end knows
//! ([`Obstacle`] lists what may stand in the way): user data never travels in the bytes. What the
//! peer sends between export and import is lost, and it sends it again.
//!
//! **The bytes are secret.** They hold the verification tags, which is all that protects an
//! association from those who cannot see its packets, and its shared keys (RFC 4895). They are not
//! authenticated either: import only what comes from a process that is trusted.
//!
//! # What is carried
//!
//! Ports, tags, the extensions in force, TSNs and the SSNs or MIDs of all streams, the peer's
//! receive window, both ends' addresses with UDP ports; of each path its state, errors, MTU, round
//! trip times, congestion window and threshold; the numbers of RE-CONFIG and ASCONF requests with
//! the answers that the peer may ask for again; the key vectors and shared keys; the ECN echo that
//! the peer has yet to answer.
//!
//! An association whose packets are protected by DTLS chunks does not leave ([`Obstacle::Protected`]): its keys are
//! ciphers that a key manager made, and a nonce must not be used by two ends.
//!
//! Not carried: the [`Options`](crate::Options), which the importer gives and which must switch on
//! what is in force; timers, which start anew; counters, which begin with 0; priorities, weights
//! and low-water marks of streams; what a congestion control or loss detection knows beyond window
//! and threshold; a search for the path's MTU, which begins anew from the MTU in use.
//!
//! Nor what a peer's packets of long before would need: which TSNs a reset of TSNs retired, and which
//! unordered messages the peer has skipped. Nothing that is of use can be lost by that, since all
//! that was sent is acknowledged, and all that arrived is read, before an association leaves. A packet
//! that the network has held back since before the reset or the skip, and brings after the move, is
//! taken as any other: a FORWARD TSN skips, a fragment is held until the association ends. An
//! association should move some seconds after a reset or a skip, not at once. (A SACK for TSNs of
//! before the reset is ignored: where RE-CONFIG is in force, a reset is expected to have been.)
//!
//! # Format
//!
//! Numbers are in network byte order. A *list* is a count of 16 bits and that many entries, an
//! *optional* field a byte 0, or a byte 1 and the field; *bytes* are a length of 32 bits and that
//! many bytes; an *address* is a byte 4 or 6 and 4 or 16 bytes; *numbers* are a list of stream id
//! (16 bits) and number (32 bits), those that are 0 left out.
//!
//! | field | bits |
//! |---|---|
//! | `"SHVH"` | 32 |
//! | version, 1 | 8 |
//! | local port, remote port | 16, 16 |
//! | local tag, peer's tag | 32, 32 |
//! | extensions in force, extensions that the peer was told of | 32, 32 |
//! | next TSN, outbound streams | 32, 16 |
//! | peer's window, its widest window so far | 32, 32 |
//! | next SSN or MID of each stream, next MID of unordered messages | numbers, numbers |
//! | cumulative TSN received, inbound streams | 32, 16 |
//! | SSN or MID due on each stream | numbers |
//! | our addresses | list of addresses |
//! | paths: local address, remote address, optional UDP port (16), state (8: 0 unconfirmed, 1 active, 2 potentially failed, 3 inactive), errors (32), MTU (16), window (64), threshold (64), optional SRTT (64, ns), RTTVAR (64, ns), RTO (64, ns) | list |
//! | place of the primary path in that list | 8 |
//! | RE-CONFIG: our next number (32), the one due (32), answers, that to a request in progress last (list of number (32), result (32), optional pair of TSNs), optional number of the reset that we asked for (32), streams that we asked for (16) | optional |
//! | ASCONF: our next serial number (32), the one due (32), last answer (optional bytes) | optional |
//! | authentication: our key vector, the peer's (bytes, bytes), active key (16), optional key last heard (16), keys (list of id (16), 1 if deactivated (8), secret (bytes)) | optional |
//! | TSN of the ECN echo | optional 32 |
//!
//! Nothing follows. Another version is another format: there is no reading of what is not known.
//!
//! # For ever
//!
//! Two processes of different releases may hand an association over, so these never change:
//!
//! - The first five bytes, mark and version, in every version. An importer that does not know the
//!   version refuses the rest unread.
//! - Everything in the table above within version 1. A change of any field is version 2.
//! - The bit of each extension, from the lowest, which is 0. A bit is never given to another
//!   extension, even when its own is gone. Bits without a name here are zero; an importer refuses an
//!   association with an extension in force that its own [`Options`](crate::Options) do not switch on,
//!   and so any that it does not know.
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
//! | 18 | a first window of early data; told, never in force |
//!
//! Cookies carry the same bits, but bind nobody: only the process that made a cookie reads it.

mod codec;
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

/// The reason why an association was not exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportError {
    /// There is no such association.
    Unknown,
    /// The association is not quiet: the obstacles.
    NotReady(Vec<Obstacle>),
}

/// The reason why an association was not imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportError {
    /// The bytes are no exported association.
    NotExported,
    /// The bytes are of a version that this one does not read.
    Version(u8),
    /// The bytes end too early.
    Truncated,
    /// The bytes contradict themselves, or hold impossible values.
    Malformed(&'static str),
    /// The association's tag leads packets to another shard.
    WrongShard {
        /// The index of the shard that the tag names.
        tagged: u16,
        /// The index of this one.
        here: u16,
    },
    /// The association lives on an address that is not this endpoint's.
    NotLocal(IpAddr),
    /// The endpoint has an association of that tag, or with that peer at those ports.
    InUse,
    /// `max_associations` is reached.
    TooManyAssociations,
    /// An extension is in force that the options given switch off.
    Extensions,
    /// The options given refuse peers that do not authenticate, and this one does not.
    Unauthenticated,
    /// An option given is out of range.
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
            Self::Option(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for ImportError {}

#[cfg(test)]
mod tests;
