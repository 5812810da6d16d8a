//! The state of a socket, and of an association as programs see it.

use core::net::{IpAddr, SocketAddr};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use sheave_engine::{
    Assoc, AssocId, Message, Part, Received, ReconfigurationError, SendOptions, StreamDirection,
    Time,
};
use sheave_wire::{Data, StreamId};

use crate::inbox::{Inbox, Piece};
use crate::settings::{AssocSettings, PathSettings, SocketSettings};
use crate::timestamps::Unread;
use crate::{AssocId32, ConnectState, Domain, Errno, SocketId};

/// The kind of a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    OneToOne,
    OneToMany,
    /// Peeled off a one-to-many socket: has one association but keeps much of the one-to-many
    /// style.
    PeeledOff,
}

/// A port and its addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Binding {
    pub(crate) port: u16,
    /// Empty: all addresses of the socket's families.
    pub(crate) addresses: Vec<IpAddr>,
}

impl Binding {
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.addresses.is_empty()
            || other.addresses.is_empty()
            || self.addresses.iter().any(|ip| other.addresses.contains(ip))
    }
}

/// State of a one-to-one socket's association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// No association yet.
    None,
    Alive,
    /// The peer has shut down its sending side.
    HalfClosed,
    /// Gone after the peer's shutdown.
    Ended,
    /// Like `Ended`, but before the socket was accepted: Linux keeps such an association.
    EndedWaiting,
    /// Gone after the program's shutdown.
    Left,
    /// Gone after an error.
    Lost,
}

/// Whether a half of a connection is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    Open,
    Shut,
}

/// The holder of the socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// In the accept queue of this listening socket.
    Waiting(SocketId),
    ByProgram,
}

#[derive(Clone, Debug)]
pub(crate) struct Socket {
    pub(crate) domain: Domain,
    pub(crate) kind: Kind,
    pub(crate) held: Held,
    pub(crate) own: SocketSettings,
    pub(crate) defaults: AssocSettings,
    pub(crate) binding: Option<Binding>,
    pub(crate) backlog: Option<u32>,
    /// The port and addresses last passed to the engine for listening.
    pub(crate) listens_at: Option<(u16, Vec<IpAddr>)>,
    pub(crate) pending: VecDeque<SocketId>,
    pub(crate) assocs: BTreeSet<AssocId32>,
    pub(crate) inbox: Inbox,
    pub(crate) reading: Half,
    pub(crate) writing: Half,
    /// Whether notifications are still delivered.
    pub(crate) notices: Half,
    pub(crate) error: Option<Errno>,
    /// The error of a connection attempt that continues anyway; only `SO_ERROR` returns it.
    pub(crate) soft_error: Option<Errno>,
    pub(crate) connect: ConnectState,
    pub(crate) fate: Fate,
    /// Number of associations that ended gracefully.
    pub(crate) ended: u32,
    /// The peer of the current or last association.
    pub(crate) peer: Option<SocketAddr>,
    /// The first source address of the first association.
    pub(crate) source: Option<IpAddr>,
}

impl Socket {
    pub(crate) fn new(
        domain: Domain,
        kind: Kind,
        own: SocketSettings,
        defaults: AssocSettings,
    ) -> Self {
        Self {
            domain,
            kind,
            held: Held::ByProgram,
            own,
            defaults,
            binding: None,
            backlog: None,
            listens_at: None,
            pending: VecDeque::new(),
            assocs: BTreeSet::new(),
            inbox: Inbox::default(),
            reading: Half::Open,
            writing: Half::Open,
            notices: Half::Open,
            error: None,
            soft_error: None,
            connect: ConnectState::Idle,
            fate: Fate::None,
            ended: 0,
            peer: None,
            source: None,
        }
    }

    /// Whether the socket is bound to all addresses.
    pub(crate) fn is_bound_to_all(&self) -> bool {
        let binding = self.binding.as_ref();
        binding.is_some_and(|binding| binding.addresses.is_empty())
    }

    /// Whether the socket only accepts associations and has none itself.
    pub(crate) fn only_listens(&self) -> bool {
        self.kind == Kind::OneToOne && self.backlog.is_some()
    }

    /// Whether the program has shut down this listening socket, so that it accepts no more
    /// associations.
    pub(crate) fn has_stopped(&self) -> bool {
        self.only_listens() && self.reading == Half::Shut
    }

    /// A new socket for one association of this socket.
    pub(crate) fn offspring(&self, kind: Kind) -> Self {
        let mut socket = Self::new(self.domain, kind, self.own.clone(), self.defaults.clone());
        socket.binding.clone_from(&self.binding);
        socket
    }

    /// An address in the form that the program expects (RFC 6458 §8.1.15).
    pub(crate) fn present(&self, address: SocketAddr) -> SocketAddr {
        match (self.domain, address.ip()) {
            (Domain::V6, IpAddr::V4(ip)) if self.own.mapped_v4 != 0 => {
                SocketAddr::new(ip.to_ipv6_mapped().into(), address.port())
            }
            _ => address,
        }
    }

    /// Whether the socket can use addresses of this family.
    pub(crate) const fn takes(&self, ip: &IpAddr) -> bool {
        match (self.domain, ip) {
            (Domain::V4, ip) => ip.is_ipv4(),
            (Domain::V6, IpAddr::V4(_)) => self.own.v6_only == 0,
            (Domain::V6, IpAddr::V6(_)) => true,
        }
    }

    /// Whether `other`, which wants `wanted`, conflicts with this socket's `held` at the same port.
    /// As in Linux, the wildcard overlaps every address, but an IPv6-only socket does not conflict
    /// with IPv4 addresses.
    pub(crate) fn clashes(&self, held: &Binding, other: &Self, wanted: &Binding) -> bool {
        // Linux checks the holder's flag, unless only the other socket is IPv6.
        let asked = match self.domain {
            Domain::V6 => self,
            Domain::V4 => other,
        };
        if asked.domain == Domain::V4 || asked.own.v6_only == 0 {
            return held.overlaps(wanted);
        }
        let mut v6 = wanted.clone();
        v6.addresses.retain(IpAddr::is_ipv6);
        let has_v6 = wanted.addresses.is_empty() || !v6.addresses.is_empty();
        self.domain == other.domain && has_v6 && held.overlaps(&v6)
    }

    /// Whether a peer can have this address.
    pub(crate) fn reaches(&self, ip: &IpAddr) -> bool {
        let ip = ip.to_canonical();
        let is_broadcast = matches!(ip, IpAddr::V4(ip) if ip.is_broadcast());
        self.takes(&ip) && !ip.is_unspecified() && !ip.is_multicast() && !is_broadcast
    }

    /// The association of a socket that has exactly one.
    pub(crate) fn only_assoc(&self) -> Option<AssocId32> {
        self.assocs
            .first()
            .copied()
            .filter(|_| self.kind != Kind::OneToMany)
    }
}

/// Whether an association is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Opening,
    Up,
}

/// The end that started an association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Ours,
    Peers,
}

/// Whether the send buffer has room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    Free,
    /// A message was refused for lack of room.
    Full,
}

/// Whether the fragment size was ever limited below what packets allow (RFC 6458 §8.1.16).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limited {
    No,
    Yes,
}

/// A message whose end the program has not passed yet (RFC 6458 §8.1.26).
#[derive(Clone, Debug)]
pub(crate) struct OpenMessage {
    /// The attributes from the first part, without payload.
    pub(crate) described: Message,
    pub(crate) options: SendOptions,
    pub(crate) bytes: Vec<u8>,
}

/// A request to reset or add streams (RFC 6525 §6.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StreamRequest {
    /// Resets streams of one direction; an empty list means all.
    ResetStreams(StreamDirection, Vec<StreamId>),
    ResetAssociation,
    AddStreams(StreamDirection, u16),
}

impl StreamRequest {
    /// Sends the request to the peer.
    pub(crate) fn make(&self, now: Time, mut assoc: Assoc<'_>) -> Result<(), ReconfigurationError> {
        match self {
            Self::ResetStreams(direction, streams) => assoc.reset_streams(now, streams, *direction),
            Self::ResetAssociation => assoc.reset_tsns(now),
            Self::AddStreams(direction, count) => assoc.add_streams(now, *count, *direction),
        }
    }
}

/// An association of the engine, as programs see it.
#[derive(Clone, Debug)]
pub(crate) struct Association {
    pub(crate) engine: AssocId,
    /// `None` after its socket was closed.
    pub(crate) owner: Option<SocketId>,
    pub(crate) stage: Stage,
    pub(crate) begun_by: Side,
    pub(crate) settings: AssocSettings,
    /// Path parameters set for single addresses of the peer.
    pub(crate) paths: BTreeMap<IpAddr, PathSettings>,
    pub(crate) local_port: u16,
    /// Potentially failed addresses of the peer.
    pub(crate) suspects: BTreeSet<IpAddr>,
    /// The peer's primary address.
    pub(crate) peer: SocketAddr,
    pub(crate) outbound_streams: u16,
    pub(crate) inbound_streams: u16,
    /// Size of a DATA or I-DATA chunk header and of a packet's protection, bytes.
    pub(crate) data_header: usize,
    pub(crate) room: Room,
    pub(crate) limited: Limited,
    /// Partly delivered messages: stream and SSN or MID.
    pub(crate) partial: Vec<(StreamId, u32)>,
    /// Messages without an end yet, at most one per stream.
    pub(crate) open: BTreeMap<StreamId, OpenMessage>,
    /// The last stream request, which the peer may still refuse (RFC 6525).
    pub(crate) request: Option<StreamRequest>,
    /// The second half of that request, sent after the first is answered.
    pub(crate) next_request: Option<StreamRequest>,
    /// Code of the error cause that ended the association, or 0.
    pub(crate) end_cause: u16,
    /// Messages that the inbox marks stand for.
    pub(crate) unread: Unread,
    /// Time of the last send or read.
    pub(crate) used_at: Time,
}

impl Association {
    /// A new association with as many streams as the settings ask for.
    pub(crate) fn new(
        engine: AssocId,
        owner: SocketId,
        begun_by: Side,
        local_port: u16,
        peer: SocketAddr,
        settings: AssocSettings,
        now: Time,
    ) -> Self {
        Self {
            engine,
            owner: Some(owner),
            stage: Stage::Opening,
            begun_by,
            paths: BTreeMap::new(),
            local_port,
            suspects: BTreeSet::new(),
            peer,
            outbound_streams: settings.init.outbound_streams,
            inbound_streams: settings.init.inbound_streams,
            settings,
            data_header: Data::HEADER_LEN,
            room: Room::Free,
            limited: Limited::No,
            partial: Vec::new(),
            open: BTreeMap::new(),
            request: None,
            next_request: None,
            end_cause: 0,
            unread: Unread::default(),
            used_at: now,
        }
    }

    /// Wraps a received message, or a part of one, for the inbox.
    pub(crate) const fn piece(
        &self,
        number: AssocId32,
        received: Received,
        arrived: Time,
    ) -> Piece {
        Piece {
            assoc: number,
            peer: self.peer,
            cumulative: received.origin.tsn,
            received,
            context: self.settings.context,
            arrived,
            offset: 0,
        }
    }

    /// Tracks which messages are being delivered in parts.
    pub(crate) fn note_part(&mut self, received: &Received) {
        let name = (received.message.stream, received.origin.ssn_or_mid);
        match received.part {
            Part::Whole => {}
            Part::First => self.partial.push(name),
            Part::Middle => {}
            Part::Last => self.partial.retain(|other| *other != name),
        }
    }

    /// Whether more parts of a message will follow.
    pub(crate) fn is_in_parts(&self, message: (StreamId, u32)) -> bool {
        self.partial.contains(&message)
    }

    /// Ends the partial delivery on a stream and returns the SSN or MID of its message.
    pub(crate) fn end_part(&mut self, stream: StreamId) -> u32 {
        let at = self.partial.iter().position(|(other, _)| *other == stream);
        at.map_or(0, |at| self.partial.swap_remove(at).1)
    }
}
