use alloc::boxed::Box;
use alloc::vec::Vec;
use core::net::IpAddr;

use bytes::Bytes;
use sheave_wire::{StreamId, Tsn, Vtag};

use crate::assoc::extensions::authentication::Vectors;
use crate::assoc::extensions::reconfiguration::ReConfigAnswer;
use crate::value::extension::ExtensionSet;
use crate::value::ids::PathIndex;
use crate::{KeyId, PathState, PeerAddress};

/// A number per stream; omitted if 0.
pub(crate) type Numbers = Vec<(StreamId, u32)>;

/// The state of an association while nothing is in flight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// Our port and the peer's.
    pub(crate) ports: (u16, u16),
    /// Our tag and the peer's.
    pub(crate) tags: (Vtag, Vtag),
    /// Extensions in force.
    pub(crate) extensions: ExtensionSet,
    /// Extensions announced to the peer.
    pub(crate) announced: ExtensionSet,
    pub(crate) sending: Sending,
    pub(crate) receiving: Receiving,
    /// Our addresses known to the peer.
    pub(crate) local: Vec<IpAddr>,
    pub(crate) paths: Vec<PathStanding>,
    pub(crate) primary: PathIndex,
    pub(crate) requests: Option<Requests>,
    pub(crate) address_serials: Option<AddressSerials>,
    pub(crate) credentials: Option<Credentials>,
    /// The TSN of the ECNE that the peer has not yet answered.
    pub(crate) echo: Option<Tsn>,
}

/// The state of the sending side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sending {
    pub(crate) next_tsn: Tsn,
    pub(crate) streams: u16,
    pub(crate) peer_rwnd: u32,
    pub(crate) widest_rwnd: u32,
    /// The next SSNs or MIDs.
    pub(crate) ordered: Numbers,
    /// The next MIDs of unordered messages.
    pub(crate) unordered: Numbers,
}

/// The state of the receiving side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Receiving {
    pub(crate) cumulative_tsn: Tsn,
    pub(crate) streams: u16,
    /// The next expected SSNs or MIDs.
    pub(crate) ordered: Numbers,
}

/// The state of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathStanding {
    pub(crate) local: IpAddr,
    pub(crate) remote: PeerAddress,
    pub(crate) state: PathState,
    pub(crate) errors: u32,
    pub(crate) pmtu: u16,
    pub(crate) cwnd: u64,
    pub(crate) ssthresh: u64,
    pub(crate) rto: RtoStanding,
}

/// A path's round-trip times, nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RtoStanding {
    pub(crate) srtt: Option<u64>,
    pub(crate) rttvar: u64,
    pub(crate) rto: u64,
}

/// Numbers of stream requests, and the answers that the peer may request again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Requests {
    pub(crate) next: u32,
    pub(crate) expected: u32,
    /// At most two answers, newest first, and "in progress" for a request that will be repeated.
    pub(crate) answers: Vec<ReConfigAnswer>,
    pub(crate) invited_reset: Option<u32>,
    pub(crate) invited_streams: u16,
}

/// Serial numbers and the last answer of address changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AddressSerials {
    pub(crate) next: u32,
    pub(crate) due: u32,
    pub(crate) answer: Option<Bytes>,
}

/// Keys and key vectors of both ends. `Debug` omits the secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Credentials {
    pub(crate) vectors: Vectors,
    pub(crate) active: KeyId,
    /// The key that authenticated the peer's last packet.
    pub(crate) heard: Option<KeyId>,
    pub(crate) keys: Vec<Key>,
}

/// A shared key.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) id: KeyId,
    pub(crate) standing: KeyStanding,
    pub(crate) secret: Box<[u8]>,
}

/// Whether a key may be used for sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyStanding {
    Usable,
    Deactivated,
}

impl core::fmt::Debug for Key {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Key({}, {:?})", self.id, self.standing)
    }
}
