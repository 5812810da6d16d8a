//! Events of the engine, as notifications and changes of sockets (RFC 6458 §6).

use core::net::{IpAddr, SocketAddr};
use std::collections::{BTreeMap, VecDeque};

use bytes::Bytes;
use sheave_engine::{
    AssocId, Authentication, AuthenticationChange, CloseReason, Event, Extension, Message,
    PathChange, Received, ReconfigurationFailure, SendFailure, Time,
};
use sheave_wire::{Data, IData};

use super::Stack;
use crate::abi::System;
use crate::inbox::{Item, Piece};
use crate::notification::{self, AssocState, ChangeDetail, Description, Failed};
use crate::settings::EventType;
use crate::socket::{
    Association, Fate, Half, Held, Kind, Limited, Room, Side, Stage, StreamRequest,
};
use crate::{Abi, AssocId32, ConnectState, Errno, SocketId};

/// Entries of an inbox from which on notifications are dropped that a peer can cause at will.
const MOST_WAITING: usize = 4096;

/// The cause code of an ABORT that a user asked for (RFC 9260 §3.3.10.12).
const USER_INITIATED_ABORT: u16 = 12;

/// The flags of `SCTP_STREAM_RESET_EVENT` (RFC 6525 §6.1.1), of which those of failures are those of
/// `SCTP_ASSOC_RESET_EVENT` and `SCTP_STREAM_CHANGE_EVENT`, too (§6.1.2, §6.1.3).
mod reset_flags {
    use sheave_engine::StreamDirection;

    const INCOMING: u16 = 1;
    const OUTGOING: u16 = 2;
    pub(super) const DENIED: u16 = 4;
    pub(super) const FAILED: u16 = 8;

    pub(super) const fn of(direction: StreamDirection) -> u16 {
        match direction {
            StreamDirection::Incoming => INCOMING,
            StreamDirection::Outgoing => OUTGOING,
        }
    }
}

impl Stack {
    /// Takes in what the engine has to tell.
    pub(super) fn digest(&mut self, now: Time) {
        let mut later = VecDeque::new();
        while let Some((engine, event)) = self.endpoint.poll_event() {
            // As from Linux, programs hear that an association cannot start before they hear of its
            // messages, and of the messages of one that was up before they hear of its end; FreeBSD's
            // hear of messages first.
            let number = self.numbers.get(&engine);
            let stage = number
                .and_then(|number| self.assocs.get(number))
                .map(|found| found.stage);
            let is_linux = self.abi.system() == System::Linux;
            let opening = stage == Some(Stage::Opening);
            let ends = matches!(event, Event::Closed { .. }) && opening && is_linux;
            if let Event::Closed { reason, .. } = &event {
                self.note_end(engine, reason);
            }
            if matches!(event, Event::SendFailed { .. }) {
                later.push_back((engine, event));
                continue;
            }
            let others = later.iter().any(|(other, _)| *other != engine);
            // A peer's adaptation layer is told of before its want of authentication.
            let precedes = matches!(event, Event::PeerAdaptation { .. });
            if !(ends || precedes) || others {
                self.handle_all(now, &mut later);
            }
            self.handle_event(now, engine, event, &mut later);
        }
        self.handle_all(now, &mut later);
    }

    /// Notes the cause of an association's end, for what is told of its messages.
    fn note_end(&mut self, engine: AssocId, reason: &CloseReason) {
        let number = self.numbers.get(&engine);
        if let Some(association) = number.and_then(|number| self.assocs.get_mut(number)) {
            association.end_cause = match reason {
                CloseReason::Aborted => USER_INITIATED_ABORT,
                CloseReason::AbortedByPeer { cause, .. } => cause.unwrap_or(0),
                CloseReason::PeerFault { cause, .. } => *cause,
                _ => 0,
            };
        }
    }

    fn handle_all(&mut self, now: Time, events: &mut VecDeque<(AssocId, Event)>) {
        while let Some((engine, event)) = events.pop_front() {
            self.handle_event(now, engine, event, &mut VecDeque::new());
        }
    }

    /// `later`: what is told of behind others: messages that were not delivered behind the end of their
    /// association.
    fn handle_event(
        &mut self,
        now: Time,
        engine: AssocId,
        event: Event,
        later: &mut VecDeque<(AssocId, Event)>,
    ) {
        let number = match self.numbers.get(&engine) {
            Some(number) => *number,
            None => match self.welcome(now, engine) {
                Some(number) => number,
                None => return,
            },
        };
        // Messages came before what happened, but behind the beginning of their association.
        if !matches!(event, Event::Established { .. }) {
            self.mark_messages(now, number);
        }
        self.react(now, engine, number, event, later);
        self.mark_messages(now, number);
        if let Some(owner) = self.assocs.get(&number).and_then(|found| found.owner) {
            self.touch(owner);
            if let Some(Held::Waiting(listener)) = self.sockets.get(&owner).map(|own| own.held) {
                self.touch(listener);
            }
        }
    }

    /// An association that a peer has begun, for the socket that listens for it; `None`, and its
    /// end, where there is none or no place in its backlog.
    fn welcome(&mut self, now: Time, engine: AssocId) -> Option<AssocId32> {
        let assoc = self.endpoint.assoc(engine)?;
        let stats = assoc.stats();
        let paths = assoc.path_stats();
        let primary = paths.iter().find(|path| path.primary).or(paths.first())?;
        let peer = SocketAddr::new(primary.remote, stats.remote_port);
        let listener = self.listener_at(stats.local_port, primary.local);
        let Some((id, kind)) = listener else {
            self.endpoint.assoc(engine)?.abort(now, Bytes::new());
            return None;
        };
        let socket = self.sockets.get(&id)?;
        let settings = socket.defaults.clone();
        let owner = match kind {
            Kind::OneToOne => {
                let mut accepted = socket.offspring(kind);
                accepted.held = Held::Waiting(id);
                accepted.peer = Some(peer);
                accepted.source = Some(primary.local);
                self.enter(accepted)
            }
            _ => id,
        };
        let number = self.admit(Association {
            engine,
            owner: Some(owner),
            stage: Stage::Opening,
            begun_by: Side::Peers,
            settings,
            paths: BTreeMap::new(),
            local_port: stats.local_port,
            peer,
            outbound_streams: stats.outbound_streams,
            inbound_streams: stats.inbound_streams,
            data_header: Data::HEADER_LEN,
            room: Room::Free,
            limited: Limited::No,
            partial: Vec::new(),
            open: BTreeMap::new(),
            request: None,
            end_cause: 0,
            marks: 0,
            used_at: now,
        });
        self.sockets.get_mut(&owner)?.assocs.insert(number);
        if owner != id {
            self.sockets.get_mut(&id)?.pending.push_back(owner);
        }
        Some(number)
    }

    fn listener_at(&self, port: u16, ip: IpAddr) -> Option<(SocketId, Kind)> {
        let mut sockets = self.sockets.iter();
        let (id, socket) = sockets.find(|(_, socket)| {
            socket.listens_at.as_ref().is_some_and(|(own, addresses)| {
                *own == port && (addresses.is_empty() || addresses.contains(&ip))
            })
        })?;
        let limit = socket.backlog.map_or(0, |backlog| backlog as usize);
        // Linux, too, lets one more wait than the number says.
        let full = socket.kind == Kind::OneToOne && socket.pending.len() > limit;
        (!full).then_some((*id, socket.kind))
    }

    /// Marks in a socket's inbox what can be read of an association.
    pub(super) fn mark_messages(&mut self, now: Time, number: AssocId32) {
        let Some(association) = self.assocs.get_mut(&number) else {
            return;
        };
        let Some(socket) = association
            .owner
            .and_then(|owner| self.sockets.get_mut(&owner))
        else {
            return;
        };
        let Some(mut assoc) = self.endpoint.assoc(association.engine) else {
            return;
        };
        let more = assoc.unread().saturating_sub(association.marks);
        if socket.reading == Half::Shut {
            // Nobody reads what comes now.
            if association.marks == 0 {
                while assoc.receive(now).is_some() {}
            }
            return;
        }
        if more > 0 {
            association.marks += more;
            association.used_at = now;
            socket.inbox.mark(number, more);
        }
    }

    /// A part of a large message, which counts as none that can be read: it is taken out at once,
    /// one at a time.
    pub(super) fn take_part(&mut self, now: Time, number: AssocId32) {
        let Some(association) = self.assocs.get(&number).filter(|found| found.marks == 0) else {
            return;
        };
        let Some(owner) = association.owner.filter(|owner| {
            let socket = self.sockets.get(owner);
            socket.is_some_and(|socket| !socket.inbox.has_messages_of(number))
        }) else {
            return;
        };
        let engine = association.engine;
        let Some(piece) = self.take_piece(now, number, engine) else {
            return;
        };
        if let Some(socket) = self.sockets.get_mut(&owner) {
            socket.inbox.push(Item::Message(piece));
        }
        self.touch(owner);
    }

    fn react(
        &mut self,
        now: Time,
        engine: AssocId,
        number: AssocId32,
        event: Event,
        later: &mut VecDeque<(AssocId, Event)>,
    ) {
        let abi = self.abi;
        match event {
            Event::Established {
                outbound_streams,
                inbound_streams,
            } => {
                self.on_established(now, number, (outbound_streams, inbound_streams));
                // The engine tells of it only where this end has authentication (RFC 6458 §6.1.8), be
                // it for changes of addresses alone.
                let association = self.assocs.get(&number);
                let lacks = association.is_some_and(|found| found.settings.auth_supported == 0);
                let assoc = self.endpoint.assoc(engine);
                let is_told = assoc.is_some_and(|assoc| {
                    assoc.options().authentication != Authentication::Off
                        && !assoc.agrees_on(Extension::Authentication)
                });
                if lacks && !is_told {
                    let change = AuthenticationChange::Unavailable;
                    later.push_back((engine, Event::Authentication(change)));
                }
            }
            Event::Restarted => {
                self.return_open(number);
                let streams = self.refresh_streams(number);
                let supports = self.supports(number);
                self.notify(number, EventType::AssocChange, |abi| {
                    let detail = ChangeDetail::Supports(&supports);
                    notification::assoc_change(abi, number, AssocState::Restarted, streams, detail)
                });
            }
            Event::Readable => self.take_part(now, number),
            Event::Writable => {
                if let Some(association) = self.assocs.get_mut(&number) {
                    association.room = Room::Free;
                }
            }
            Event::Drained => self.notify(number, EventType::SenderDry, |abi| {
                notification::plain(abi, number, EventType::SenderDry)
            }),
            Event::Answered { .. }
            | Event::StreamBufferLow { .. }
            | Event::AddressChanged { .. } => {}
            Event::AddressChangeRefused { .. } => {}
            Event::Path { remote, change } => self.on_path(now, number, remote, change),
            Event::SendFailed {
                message,
                context,
                failure,
            }
            | Event::Abandoned {
                message,
                context,
                failure,
                ..
            } => self.notify_failed(number, &message, context, failure),
            Event::PeerError { cause, detail } => {
                self.notify(number, EventType::RemoteError, |abi| {
                    notification::remote_error(abi, number, cause, &detail)
                });
            }
            Event::PartialDeliveryAborted { stream } => {
                let association = self.assocs.get_mut(&number);
                let ssn = association.map_or(0, |found| found.end_part(stream));
                if let Some(socket) = self.owner_of(number) {
                    socket.inbox.end(number);
                }
                self.notify(number, EventType::PartialDelivery, |abi| {
                    notification::partial_delivery_aborted(abi, number, stream.0, ssn)
                });
            }
            Event::StreamsReset { direction, streams } => {
                let flags = reset_flags::of(direction);
                self.notify(number, EventType::StreamReset, |abi| {
                    notification::stream_reset(abi, number, flags, &streams)
                });
            }
            Event::AssociationReset {
                next_tsn,
                peer_next_tsn,
            } => self.notify(number, EventType::AssocReset, |abi| {
                notification::assoc_reset(abi, number, Ok((next_tsn, peer_next_tsn)))
            }),
            Event::StreamsChanged {
                outbound_streams,
                inbound_streams,
            } => {
                self.refresh_streams(number);
                self.notify(number, EventType::StreamChange, |abi| {
                    let streams = (outbound_streams, inbound_streams);
                    notification::stream_change(abi, number, 0, streams)
                });
            }
            Event::ReconfigurationFailed { failure } => {
                let outcome = match failure {
                    ReconfigurationFailure::Denied => reset_flags::DENIED,
                    _ => reset_flags::FAILED,
                };
                self.on_request_failed(number, outcome);
            }
            Event::PeerAdaptation { indication } => {
                self.notify(number, EventType::Adaptation, |abi| {
                    notification::adaptation(abi, number, indication)
                });
            }
            Event::Authentication(change) => {
                let numbers = abi.notifications();
                let (key, indication) = match change {
                    AuthenticationChange::NewKey(key) => (key.0, numbers.new_key),
                    AuthenticationChange::FreeKey(key) => (key.0, numbers.free_key),
                    AuthenticationChange::Unavailable => (0, numbers.no_authentication),
                };
                self.notify(number, EventType::Authentication, |abi| {
                    notification::authentication(abi, number, key, indication)
                });
            }
            Event::PeerShutdown => {
                self.notify(number, EventType::Shutdown, |abi| {
                    notification::plain(abi, number, EventType::Shutdown)
                });
                if let Some(socket) = self.owner_of(number)
                    && socket.fate == Fate::Alive
                {
                    socket.fate = Fate::HalfClosed;
                }
            }
            Event::Closed { reason, unread } => {
                self.return_open(number);
                let (stage, error) = self.on_closed(number, &reason, unread);
                self.handle_all(now, later);
                self.dismiss(number, stage, error);
            }
        }
    }

    /// Tells that a request about streams came to nothing, in the event that is for such requests.
    fn on_request_failed(&mut self, number: AssocId32, outcome: u16) {
        let Some(association) = self.assocs.get_mut(&number) else {
            return;
        };
        let streams = (association.outbound_streams, association.inbound_streams);
        match association.request.take() {
            Some(StreamRequest::ResetStreams(direction, streams)) => {
                let flags = reset_flags::of(direction) | outcome;
                self.notify(number, EventType::StreamReset, |abi| {
                    notification::stream_reset(abi, number, flags, &streams)
                });
            }
            Some(StreamRequest::ResetAssociation) => {
                self.notify(number, EventType::AssocReset, |abi| {
                    notification::assoc_reset(abi, number, Err(outcome))
                });
            }
            Some(StreamRequest::AddStreams) => {
                self.notify(number, EventType::StreamChange, |abi| {
                    notification::stream_change(abi, number, outcome, streams)
                });
            }
            None => {}
        }
    }

    fn owner_of(&mut self, number: AssocId32) -> Option<&mut crate::socket::Socket> {
        let owner = self.assocs.get(&number)?.owner?;
        self.sockets.get_mut(&owner)
    }

    fn on_established(&mut self, now: Time, number: AssocId32, streams: (u16, u16)) {
        let Some(association) = self.assocs.get_mut(&number) else {
            return;
        };
        association.stage = Stage::Up;
        association.used_at = now;
        (association.outbound_streams, association.inbound_streams) = streams;
        let assoc = self.endpoint.assoc(association.engine);
        if assoc.is_some_and(|assoc| assoc.agrees_on(Extension::Interleaving)) {
            association.data_header = IData::HEADER_LEN;
        }
        if let Some(socket) = self.owner_of(number) {
            if socket.connect == ConnectState::InProgress {
                socket.connect = ConnectState::Established;
            }
            socket.fate = Fate::Alive;
        }
        self.begin_as_set(now, number);
        self.refresh_peer(number);
        let supports = self.supports(number);
        self.notify(number, EventType::AssocChange, |abi| {
            let detail = ChangeDetail::Supports(&supports);
            notification::assoc_change(abi, number, AssocState::Up, streams, detail)
        });
        self.confirm_peer(now, number);
    }

    /// The numbers of what both ends of an association have, where programs are told of it.
    fn supports(&mut self, number: AssocId32) -> Vec<u8> {
        let known = self.abi.notifications().supports.iter();
        let Some(assoc) = self.engine_assoc(number) else {
            return Vec::new();
        };
        known
            .filter(|(extension, _)| extension.is_none_or(|one| assoc.agrees_on(one)))
            .map(|(_, number)| *number)
            .collect()
    }

    /// FreeBSD tells the end that was called of the address that the caller has shown to be its own.
    fn confirm_peer(&mut self, now: Time, number: AssocId32) {
        let Some(association) = self.assocs.get(&number) else {
            return;
        };
        if self.abi.system() == System::FreeBsd && association.begun_by == Side::Peers {
            let ip = association.peer.ip();
            self.on_path(now, number, ip, PathChange::Confirmed);
        }
    }

    /// Goes on with values that single paths and messages have, and without those of the handshake.
    fn begin_as_set(&mut self, now: Time, number: AssocId32) {
        self.tune_paths(now, number);
        let owner = self.assocs.get(&number).and_then(|found| found.owner);
        if let Some(owner) = owner {
            // The options of a socket and its associations are in range.
            let _ = self.retune(now, owner, number);
        }
    }

    fn on_path(&mut self, now: Time, number: AssocId32, remote: IpAddr, change: PathChange) {
        if change == PathChange::Added {
            self.tune_paths(now, number);
        }
        if change == PathChange::Primary {
            self.refresh_peer(number);
        }
        let Some(association) = self.assocs.get(&number) else {
            return;
        };
        // RFC 7829 §7.3: only where it is asked for.
        if change == PathChange::PotentiallyFailed
            && association.settings.expose_potentially_failed != 2
        {
            return;
        }
        let address = SocketAddr::new(remote, association.peer.port());
        let shown = self
            .owner_of(number)
            .map_or(address, |socket| socket.present(address));
        self.notify(number, EventType::PeerAddrChange, |abi| {
            notification::address_change(abi, number, shown, change)
        });
    }

    /// The peer's primary address, as the engine has it now.
    fn refresh_peer(&mut self, number: AssocId32) {
        let Some(association) = self.assocs.get_mut(&number) else {
            return;
        };
        let Some(assoc) = self.endpoint.assoc(association.engine) else {
            return;
        };
        if let Some(primary) = assoc.path_stats().iter().find(|path| path.primary) {
            association.peer.set_ip(primary.remote);
            let peer = association.peer;
            if let Some(socket) = self.owner_of(number)
                && socket.kind != Kind::OneToMany
            {
                socket.peer = Some(peer);
            }
        }
    }

    fn refresh_streams(&mut self, number: AssocId32) -> (u16, u16) {
        let Some(association) = self.assocs.get_mut(&number) else {
            return (0, 0);
        };
        if let Some(assoc) = self.endpoint.assoc(association.engine) {
            let stats = assoc.stats();
            association.outbound_streams = stats.outbound_streams;
            association.inbound_streams = stats.inbound_streams;
        }
        (association.outbound_streams, association.inbound_streams)
    }

    /// Tells of the end of an association. Returns how far it had come, and the error that it means.
    fn on_closed(
        &mut self,
        number: AssocId32,
        reason: &CloseReason,
        unread: Vec<Received>,
    ) -> (Stage, Option<Errno>) {
        let abi = self.abi;
        let Some(association) = self.assocs.get(&number) else {
            return (Stage::Opening, None);
        };
        let stage = association.stage;
        let streams = (association.outbound_streams, association.inbound_streams);
        let pieces = unread
            .into_iter()
            .map(|received| piece(number, association, received))
            .collect();
        if let Some(socket) = self.owner_of(number) {
            socket.inbox.fill_in(number, pieces);
        }
        let state = match (stage, reason) {
            (Stage::Opening, _) => AssocState::CannotStart,
            (Stage::Up, CloseReason::Graceful) => AssocState::ShutdownComplete,
            (Stage::Up, _) => AssocState::Lost,
        };
        let cause = match (stage, reason) {
            // What ICMP tells is no chunk.
            (
                _,
                CloseReason::AbortedByPeer {
                    cause: None,
                    detail,
                    ..
                },
            ) if !detail.is_empty() => ChangeDetail::None,
            (_, CloseReason::AbortedByPeer { cause, causes, .. }) => {
                ChangeDetail::Abort(*cause, causes)
            }
            (Stage::Up, CloseReason::PeerFault { cause, .. }) => ChangeDetail::Own(*cause),
            (Stage::Up, CloseReason::Aborted) if abi.system() == System::Linux => {
                ChangeDetail::Own(USER_INITIATED_ABORT)
            }
            _ => ChangeDetail::None,
        };
        let streams = match (state, abi.system()) {
            // Linux names none of an association that is gone.
            (_, System::Linux) => (0, 0),
            (AssocState::CannotStart, System::FreeBsd) => (streams.0, 0),
            _ => streams,
        };
        self.notify(number, EventType::AssocChange, |abi| {
            notification::assoc_change(abi, number, state, streams, cause)
        });
        let error = match (stage, reason) {
            (_, CloseReason::Graceful) => None,
            (_, CloseReason::TimedOut) => Some(Errno::ETIMEDOUT),
            (Stage::Opening, _) => Some(Errno::ECONNREFUSED),
            (Stage::Up, CloseReason::AbortedByPeer { .. }) => Some(Errno::ECONNRESET),
            (Stage::Up, _) => Some(Errno::ECONNABORTED),
        };
        (stage, error)
    }

    /// Forgets an association that is gone.
    fn dismiss(&mut self, number: AssocId32, stage: Stage, error: Option<Errno>) {
        let Some(association) = self.assocs.remove(&number) else {
            return;
        };
        self.numbers.remove(&association.engine);
        let Some(owner) = association.owner else {
            return;
        };
        self.touch(owner);
        let Some(socket) = self.sockets.get_mut(&owner) else {
            return;
        };
        socket.assocs.remove(&number);
        if stage == Stage::Opening {
            socket.connect = ConnectState::Failed(error.unwrap_or(Errno::ECONNREFUSED));
        }
        if (stage, error) == (Stage::Up, None) {
            socket.ended += 1;
        }
        match (socket.kind, stage, error) {
            (Kind::OneToMany, ..) => {}
            // It may try again.
            (_, Stage::Opening, error) => socket.error = error,
            (_, Stage::Up, None) => socket.fate = Fate::Ended,
            (_, Stage::Up, error) => {
                socket.fate = Fate::Lost;
                socket.error = error;
            }
        }
    }

    /// Tells of a message that was not delivered, in the words of old programs and of new ones (RFC 6458
    /// §6.1.4, §6.1.11).
    pub(super) fn notify_failed(
        &mut self,
        number: AssocId32,
        message: &Message,
        context: u64,
        failure: SendFailure,
    ) {
        let association = self.assocs.get(&number);
        let failed = Failed {
            message,
            description: Description::unpack(context),
            failure,
            cause: association.map_or(0, |found| found.end_cause),
        };
        self.notify(number, EventType::SendFailed, |abi| {
            notification::send_failed(abi, number, failed)
        });
        self.notify(number, EventType::SendFailedEvent, |abi| {
            notification::send_failed_event(abi, number, failed)
        });
    }

    /// Puts a notification into the inbox of an association's socket, if it is wanted there.
    pub(super) fn notify(
        &mut self,
        number: AssocId32,
        kind: EventType,
        make: impl FnOnce(Abi) -> Bytes,
    ) {
        let abi = self.abi;
        let Some(association) = self.assocs.get_mut(&number) else {
            return;
        };
        if !association.settings.wants(kind) {
            return;
        }
        let peer = association.peer;
        if let Some(socket) = association
            .owner
            .and_then(|owner| self.sockets.get_mut(&owner))
        {
            if socket.notices == Half::Shut {
                return;
            }
            let is_full = socket.inbox.entries() >= MOST_WAITING && kind != EventType::AssocChange;
            let stopped = EventType::NotificationsStopped;
            let bytes = match (is_full, association.settings.wants(stopped)) {
                (false, _) => make(abi),
                // A program that does not read loses what it could do without.
                (true, false) => return,
                // RFC 6458 §6.1.10
                (true, true) => {
                    association.settings.stop_events();
                    notification::plain(abi, number, stopped)
                }
            };
            socket.inbox.push(Item::Notification {
                assoc: number,
                peer,
                bytes,
                offset: 0,
            });
        }
    }
}

pub(super) fn piece(number: AssocId32, association: &Association, received: Received) -> Piece {
    Piece {
        assoc: number,
        peer: association.peer,
        cumulative: received.origin.tsn,
        received,
        context: association.settings.context,
        offset: 0,
    }
}
