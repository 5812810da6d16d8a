//! The state of an association as programs see it.

use core::net::{IpAddr, SocketAddr};
use std::collections::{BTreeMap, BTreeSet};

use sheave_engine::{
    Assoc, AssocId, Endpoint, Message, Part, Received, ReconfigurationError, SendOptions,
    StreamDirection, Time,
};
use sheave_wire::{Data, StreamId};

use crate::inbox::Piece;
use crate::settings::{AssocSettings, PathSettings, SocketSettings};
use crate::timestamps::Unread;
use crate::transport::Transport;
use crate::{AssocId32, Domain, Errno, SocketId};

/// Smallest fragment size that can be set, bytes: a 512-byte packet without IPv6 and SCTP headers.
const LEAST_FRAGMENT: u32 = 512 - 40 - 28;

/// Whether an association is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Opening,
    Up,
}

/// The kind of end of an association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Farewell {
    Graceful,
    Abortive,
}

/// The end that started an association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Ours,
    Peers,
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
    /// The socket's domain.
    pub(crate) domain: Domain,
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
        (owner, domain): (SocketId, Domain),
        begun_by: Side,
        local_port: u16,
        peer: SocketAddr,
        settings: AssocSettings,
        now: Time,
    ) -> Self {
        Self {
            engine,
            owner: Some(owner),
            domain,
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

    /// Whether the handshake is complete.
    pub(crate) fn is_up(&self) -> bool {
        self.stage == Stage::Up
    }

    /// Whether the peer has this address.
    pub(crate) fn has_address(&self, endpoint: &Endpoint, ip: IpAddr) -> bool {
        let paths = || endpoint.paths_of(self.engine);
        self.peer.ip() == ip || paths().iter().any(|path| path.remote == ip)
    }

    /// The parameters of a path.
    pub(crate) fn path(&self, remote: &IpAddr) -> PathSettings {
        *self.paths.get(remote).unwrap_or(&self.settings.path)
    }

    /// The number of the peer's addresses, and the sum of `pathmaxrxt` over their paths.
    pub(crate) fn path_retrans(&self, endpoint: &Endpoint) -> (usize, u32) {
        let paths = endpoint.paths_of(self.engine);
        let remotes: BTreeSet<IpAddr> = paths.iter().map(|path| path.remote).collect();
        let bears = |remote| u32::from(self.path(remote).max_retrans);
        (remotes.len(), remotes.iter().map(bears).sum())
    }

    /// The largest message that fits into one packet, bytes (RFC 6458 §8.1.16, §8.2.1). As kernels
    /// do, it leaves room for IPv6 headers on every IPv6 socket.
    pub(crate) fn fragmentation_point(&self, endpoint: &Endpoint) -> usize {
        let paths = endpoint.paths_of(self.engine);
        let least = paths.iter().map(|path| path.pmtu).min().unwrap_or(1500);
        let ip = match self.domain {
            Domain::V4 => 20,
            Domain::V6 => 40,
        };
        let udp = if self.settings.encapsulation == 0 {
            0
        } else {
            8
        };
        // The common header and the chunk header.
        let whole = usize::from(least).saturating_sub(ip + udp + 12 + self.data_header);
        match usize::try_from(self.settings.max_seg) {
            Ok(0) | Err(_) => whole,
            Ok(most) => whole.min(most),
        }
    }

    /// Passes the parameters of single paths to the engine.
    pub(crate) fn tune_paths(&self, now: Time, endpoint: &mut Endpoint) {
        let paths = endpoint.paths_of(self.engine);
        let Some(mut assoc) = endpoint.assoc(self.engine) else {
            return;
        };
        for path in paths {
            let tuning = match self.paths.get(&path.remote) {
                Some(own) => own.tuning(),
                None => self.settings.path.usual_tuning(),
            };
            // A path that is gone needs no parameters.
            let _ = assoc.retune_path(now, path.remote, tuning);
        }
    }

    /// Bytes of unfinished messages.
    pub(crate) fn kept(&self) -> usize {
        self.open.values().map(|open| open.bytes.len()).sum()
    }

    /// Numbers of outbound and inbound streams.
    pub(crate) const fn streams(&self) -> (u16, u16) {
        (self.outbound_streams, self.inbound_streams)
    }

    /// Updates the engine from the settings.
    pub(crate) fn retune(
        &mut self,
        now: Time,
        own: &SocketSettings,
        transport: &mut Transport,
    ) -> Result<(), Errno> {
        let Ok(mut assoc) = transport.assoc(self.engine) else {
            return Ok(());
        };
        let most = self.settings.max_seg;
        if most != 0 || self.limited == Limited::Yes {
            self.limited = Limited::Yes;
            // FreeBSD stores sizes that no chunk can have.
            let fits = (LEAST_FRAGMENT..=u16::MAX.into()).contains(&most);
            let most = u16::try_from(most).ok().filter(|_| fits);
            assoc.set_max_fragment(now, most);
        }
        let options = self.settings.options(assoc.options(), own);
        let options = transport.fit(options);
        let mut assoc = transport.assoc(self.engine)?;
        assoc.retune(now, &options).map_err(|_| Errno::EINVAL)
    }
}
