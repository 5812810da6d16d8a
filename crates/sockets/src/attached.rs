//! An association with its socket: what happens to it, and what its program learns of that.

mod end;
mod open;
mod paths;
mod send;
mod start;
mod streams;

use bytes::Bytes;
use sheave_engine::{Assoc, AuthenticationChange, Event, Message, SendFailure, Time};
use sheave_wire::StreamId;

use self::streams::reset_flags;
use crate::AssocId32;
use crate::abi::System;
use crate::association::Association;
use crate::changes::Changes;
use crate::inbox::{Item, Piece};
use crate::notification::{Description, Failed, Notice, Returned};
use crate::profile::Profile;
use crate::settings::EventType;
use crate::socket::{Half, Held, Socket};
use crate::transport::Transport;

/// Inbox length from which notifications that a peer can trigger at will are dropped.
const MOST_WAITING: usize = 4096;

pub(crate) struct Attached<'a> {
    pub(crate) number: AssocId32,
    pub(crate) association: &'a mut Association,
    /// `None` after it was closed.
    pub(crate) socket: Option<&'a mut Socket>,
    pub(crate) profile: &'a Profile,
    pub(crate) transport: &'a mut Transport,
    pub(crate) changes: &'a mut Changes,
}

impl Attached<'_> {
    /// The engine's handle; `None` once the association has ended.
    pub(crate) fn engine(&mut self) -> Option<Assoc<'_>> {
        self.transport.endpoint.assoc(self.association.engine)
    }

    fn system(&self) -> System {
        self.profile.system()
    }

    /// Reports that the socket may have changed.
    pub(crate) fn touch(&mut self) {
        if let Some(owner) = self.association.owner {
            self.changes.touch(owner);
        }
    }

    /// Handles an event other than the end; returns one that is to be handled after all others.
    pub(crate) fn react(&mut self, now: Time, event: Event) -> Option<Event> {
        match event {
            Event::Established {
                outbound_streams,
                inbound_streams,
            } => {
                self.on_established(now, (outbound_streams, inbound_streams));
                let unavailable = AuthenticationChange::Unavailable;
                return self
                    .lacks_authentication()
                    .then_some(Event::Authentication(unavailable));
            }
            Event::Restarted => self.on_restarted(),
            Event::Readable => self.mark_part(now),
            Event::Writable => self.empty(),
            Event::Drained => self.notify_plainly(EventType::SenderDry),
            Event::Answered { .. }
            | Event::Failover { .. }
            | Event::StreamBufferLow { .. }
            | Event::AddressChanged { .. }
            | Event::AddressChangeRefused { .. }
            // A program's own key managers come with the options of the draft's §7, which are not there yet.
            | Event::Protection(_)
            | Event::Closed { .. } => {}
            Event::Path { remote, change } => self.on_path(now, remote, change),
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
            } => self.notify_failed(&message, context, failure),
            Event::PeerError { cause, detail } => self.notify(EventType::RemoteError, |notice| notice.remote_error(cause, &detail)),
            Event::PartialDeliveryAborted { stream } => self.on_part_aborted(stream),
            Event::StreamsReset { direction, streams } => {
                self.notify_reset(reset_flags::of(direction), &streams);
                self.make_next_request(now);
            }
            Event::AssociationReset {
                next_tsn,
                peer_next_tsn,
            } => self.notify(EventType::AssocReset, |notice| notice.assoc_reset(Ok((next_tsn, peer_next_tsn)))),
            Event::StreamsChanged {
                outbound_streams,
                inbound_streams,
            } => {
                self.on_streams_changed((outbound_streams, inbound_streams));
                self.make_next_request(now);
            }
            Event::ReconfigurationFailed { failure } => {
                self.on_request_failed(failure);
                self.make_next_request(now);
            }
            Event::PeerAdaptation { indication } => self.notify(EventType::Adaptation, |notice| notice.adaptation(indication)),
            Event::Authentication(change) => self.on_authentication(change),
            Event::PeerShutdown => self.on_peer_shutdown(),
        }
        None
    }

    /// Reports an event's changes of readiness, also to the listening socket in whose queue the
    /// association waits.
    pub(crate) fn touch_all(&mut self) {
        self.touch();
        if let Some(Held::Waiting(listener)) = self.socket.as_ref().map(|own| own.held) {
            self.changes.touch(listener);
        }
    }

    fn on_part_aborted(&mut self, stream: StreamId) {
        let (number, ssn) = (self.number, self.association.end_part(stream));
        if let Some(socket) = &mut self.socket {
            socket.inbox.end(number);
        }
        self.notify(EventType::PartialDelivery, |notice| {
            notice.partial_delivery_aborted(stream.0, ssn)
        });
    }

    fn on_authentication(&mut self, change: AuthenticationChange) {
        let numbers = self.profile.abi.notifications();
        let (key, indication) = match change {
            AuthenticationChange::NewKey(key) => (key.0, numbers.new_key),
            AuthenticationChange::FreeKey(key) => (key.0, numbers.free_key),
            AuthenticationChange::Unavailable => (0, numbers.no_authentication),
        };
        self.notify(EventType::Authentication, |notice| {
            notice.authentication(key, indication)
        });
    }

    /// Marks in the inbox how many messages are readable.
    pub(crate) fn mark_messages(&mut self, now: Time) {
        let Some(socket) = &mut self.socket else {
            return;
        };
        let Some(mut assoc) = self.transport.endpoint.assoc(self.association.engine) else {
            return;
        };
        let unread = &mut self.association.unread;
        let more = assoc.unread().saturating_sub(unread.count());
        if socket.reading == Half::Shut {
            // The owner no longer reads, so messages are discarded.
            if unread.count() == 0 {
                while assoc.receive(now).is_some() {}
            }
            return;
        }
        if more > 0 {
            unread.add(more, socket.own.timestamps.map(|_| now));
            self.association.used_at = now;
            socket.inbox.mark(self.number, more);
        }
    }

    /// Marks one part of a large message; the engine does not count parts as readable messages.
    pub(crate) fn mark_part(&mut self, now: Time) {
        let Some(socket) = &mut self.socket else {
            return;
        };
        let unread = &mut self.association.unread;
        if unread.count() > 0 || socket.inbox.has_messages_of(self.number) {
            return;
        }
        let assoc = self.transport.endpoint.assoc(self.association.engine);
        if assoc.is_some_and(|assoc| assoc.is_readable()) {
            unread.add(1, socket.own.timestamps.map(|_| now));
            socket.inbox.mark(self.number, 1);
            self.touch();
        }
    }

    /// Takes the next message, or part of one, from the engine.
    pub(crate) fn take_piece(&mut self, now: Time) -> Option<Piece> {
        let mut assoc = self.engine()?;
        let received = assoc.receive(now)?;
        let (source, cumulative) = (assoc.source(received.origin), assoc.cumulative_tsn());
        self.association.note_part(&received);
        let mut piece = self.association.piece(self.number, received, now);
        piece.cumulative = cumulative;
        if let Some(source) = source {
            piece.peer.set_ip(source);
        }
        Some(piece)
    }

    /// Reports an undelivered message by the old and new notifications (RFC 6458 §6.1.4, §6.1.11).
    fn notify_failed(&mut self, message: &Message, context: u64, failure: SendFailure) {
        let cause = self.association.end_cause;
        let most = match self.system() {
            System::Linux => (self.association).fragmentation_point(&self.transport.endpoint),
            System::FreeBsd => usize::MAX,
        };
        for part in Returned::parts(message, most) {
            let failed = Failed {
                message,
                part,
                description: Description::unpack(context),
                failure,
                cause,
            };
            self.notify(EventType::SendFailed, |notice| notice.send_failed(&failed));
            self.notify(EventType::SendFailedEvent, |notice| {
                notice.send_failed_event(&failed)
            });
        }
    }

    /// Queues a notification without a body if the socket subscribes to it.
    pub(crate) fn notify_plainly(&mut self, kind: EventType) {
        self.notify(kind, Notice::plain);
    }

    /// Queues a notification if the socket subscribes to it.
    fn notify(&mut self, kind: EventType, make: impl FnOnce(Notice) -> Bytes) {
        let (abi, assoc, association) = (self.profile.abi, self.number, &mut *self.association);
        let socket = self.socket.as_mut();
        let Some(socket) = socket.filter(|socket| socket.notices == Half::Open) else {
            return;
        };
        if !association.settings.wants(kind) {
            return;
        }
        let is_full = socket.inbox.entries() >= MOST_WAITING && kind != EventType::AssocChange;
        let stopped = EventType::NotificationsStopped;
        let bytes = match (is_full, association.settings.wants(stopped)) {
            (false, _) => make(Notice::new(abi, assoc, kind)),
            // A program that does not read loses optional notifications.
            (true, false) => return,
            // RFC 6458 §6.1.10
            (true, true) => {
                association.settings.stop_events();
                Notice::new(abi, assoc, stopped).plain()
            }
        };
        socket.inbox.push(Item::Notification {
            assoc,
            peer: association.peer,
            bytes,
            offset: 0,
        });
    }
}
