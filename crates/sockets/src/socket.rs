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
    /// Of a one-to-many socket: it has one association, and keeps much of that style.
    PeeledOff,
}

/// A port, and the addresses at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Binding {
    pub(crate) port: u16,
    /// All addresses of the socket's families if there are none.
    pub(crate) addresses: Vec<IpAddr>,
}

impl Binding {
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.addresses.is_empty()
            || other.addresses.is_empty()
            || self.addresses.iter().any(|ip| other.addresses.contains(ip))
    }
}

/// The fate of the association of a one-to-one socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// There is none yet.
    None,
    Alive,
    /// The peer sends nothing more.
    HalfClosed,
    /// Gone after the peer's shutdown.
    Ended,
    /// Likewise, before the socket was accepted: Linux keeps such an association.
    EndedWaiting,
    /// Gone after a shutdown of the program's.
    Left,
    /// Gone by an error.
    Lost,
}

/// Whether a half of a socket is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    Open,
    Shut,
}

/// Whether a program has the socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// The association waits to be accepted at that socket.
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
    /// The addresses that the engine was told when it began to listen.
    pub(crate) listens_at: Option<(u16, Vec<IpAddr>)>,
    pub(crate) pending: VecDeque<SocketId>,
    pub(crate) assocs: BTreeSet<AssocId32>,
    pub(crate) inbox: Inbox,
    pub(crate) reading: Half,
    pub(crate) writing: Half,
    /// Whether notifications still come.
    pub(crate) notices: Half,
    pub(crate) error: Option<Errno>,
    /// An error of an attempt to connect that goes on all the same, for `SO_ERROR` alone.
    pub(crate) soft_error: Option<Errno>,
    pub(crate) connect: ConnectState,
    pub(crate) fate: Fate,
    /// Associations that came to a graceful end.
    pub(crate) ended: u32,
    /// The peer of the association that it has or had.
    pub(crate) peer: Option<SocketAddr>,
    /// The address of ours that its first association began with.
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

    /// Whether it is bound to all addresses there are.
    pub(crate) fn is_bound_to_all(&self) -> bool {
        let binding = self.binding.as_ref();
        binding.is_some_and(|binding| binding.addresses.is_empty())
    }

    /// Whether it takes associations for `accept` and has none of its own.
    pub(crate) fn only_listens(&self) -> bool {
        self.kind == Kind::OneToOne && self.backlog.is_some()
    }

    /// Whether the program has shut a listening socket down: it takes no association any more.
    pub(crate) fn has_stopped(&self) -> bool {
        self.only_listens() && self.reading == Half::Shut
    }

    /// A socket for one association of this one.
    pub(crate) fn offspring(&self, kind: Kind) -> Self {
        let mut socket = Self::new(self.domain, kind, self.own.clone(), self.defaults.clone());
        socket.binding.clone_from(&self.binding);
        socket
    }

    /// An address as the program shall see it (RFC 6458 §8.1.15).
    pub(crate) fn present(&self, address: SocketAddr) -> SocketAddr {
        match (self.domain, address.ip()) {
            (Domain::V6, IpAddr::V4(ip)) if self.own.mapped_v4 != 0 => {
                SocketAddr::new(ip.to_ipv6_mapped().into(), address.port())
            }
            _ => address,
        }
    }

    /// Whether an address of that kind can be used with this socket.
    pub(crate) const fn takes(&self, ip: &IpAddr) -> bool {
        match (self.domain, ip) {
            (Domain::V4, ip) => ip.is_ipv4(),
            (Domain::V6, IpAddr::V4(_)) => self.own.v6_only == 0,
            (Domain::V6, IpAddr::V6(_)) => true,
        }
    }

    /// Whether another socket cannot have the addresses that it wants at the port where this one holds
    /// some. All addresses overlap any, as in Linux, but those of IPv4 none of a socket for IPv6 alone.
    pub(crate) fn clashes(&self, held: &Binding, other: &Self, wanted: &Binding) -> bool {
        // Linux asks the holder, unless only the other one is of IPv6.
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

    /// Whether a peer can have that address.
    pub(crate) fn reaches(&self, ip: &IpAddr) -> bool {
        let ip = ip.to_canonical();
        let is_broadcast = matches!(ip, IpAddr::V4(ip) if ip.is_broadcast());
        self.takes(&ip) && !ip.is_unspecified() && !ip.is_multicast() && !is_broadcast
    }

    /// The one association of a socket that has but one.
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

/// The end that has begun an association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Ours,
    Peers,
}

/// Whether there is room for what is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    Free,
    /// A message was refused and waits.
    Full,
}

/// Whether chunks were ever kept shorter than packets allow (RFC 6458 §8.1.16).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limited {
    No,
    Yes,
}

/// A message of which a program has handed in the beginning (RFC 6458 §8.1.26).
#[derive(Clone, Debug)]
pub(crate) struct OpenMessage {
    /// As its first part was described, without bytes.
    pub(crate) described: Message,
    pub(crate) options: SendOptions,
    pub(crate) bytes: Vec<u8>,
}

/// A program's request about streams (RFC 6525 §6.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StreamRequest {
    /// Resets streams of one direction; all of them if none is named.
    ResetStreams(StreamDirection, Vec<StreamId>),
    ResetAssociation,
    AddStreams(StreamDirection, u16),
}

impl StreamRequest {
    /// Makes it of the peer.
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
    /// `None` once its socket was closed.
    pub(crate) owner: Option<SocketId>,
    pub(crate) stage: Stage,
    pub(crate) begun_by: Side,
    pub(crate) settings: AssocSettings,
    /// Parameters of paths that were set for an address of the peer.
    pub(crate) paths: BTreeMap<IpAddr, PathSettings>,
    pub(crate) local_port: u16,
    /// Addresses of the peer that are potentially failed.
    pub(crate) suspects: BTreeSet<IpAddr>,
    /// The peer's primary address.
    pub(crate) peer: SocketAddr,
    pub(crate) outbound_streams: u16,
    pub(crate) inbound_streams: u16,
    /// Bytes of the header of a chunk with data.
    pub(crate) data_header: usize,
    pub(crate) room: Room,
    pub(crate) limited: Limited,
    /// Messages of which parts were taken and more will come: the stream, and the SSN or MID.
    pub(crate) partial: Vec<(StreamId, u32)>,
    /// Messages without an end yet, each on a stream of its own.
    pub(crate) open: BTreeMap<StreamId, OpenMessage>,
    /// The last request about streams, which the peer may still refuse (RFC 6525).
    pub(crate) request: Option<StreamRequest>,
    /// The other half of that request, which is made once the first is answered.
    pub(crate) next_request: Option<StreamRequest>,
    /// The code of the cause for which it ended, 0 if there is none or it has not ended.
    pub(crate) end_cause: u16,
    /// The messages behind its marks in the inbox.
    pub(crate) unread: Unread,
    /// When something was last sent or read.
    pub(crate) used_at: Time,
}

impl Association {
    /// An association that opens, with as many streams as the settings ask for.
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

    /// A received message or a part of it, for the inbox.
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

    /// Notes which messages are being handed over in parts.
    pub(crate) fn note_part(&mut self, received: &Received) {
        let name = (received.message.stream, received.origin.ssn_or_mid);
        match received.part {
            Part::Whole => {}
            Part::First => self.partial.push(name),
            Part::Middle => {}
            Part::Last => self.partial.retain(|other| *other != name),
        }
    }

    /// Whether further parts of a message will come.
    pub(crate) fn is_in_parts(&self, message: (StreamId, u32)) -> bool {
        self.partial.contains(&message)
    }

    /// The SSN or MID of the message on a stream of which no further part will come.
    pub(crate) fn end_part(&mut self, stream: StreamId) -> u32 {
        let at = self.partial.iter().position(|(other, _)| *other == stream);
        at.map_or(0, |at| self.partial.swap_remove(at).1)
    }
}
