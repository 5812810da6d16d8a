//! Delivery of messages and notifications to the sockets' inboxes.

use bytes::Bytes;
use sheave_engine::{Message, SendFailure, Time};

use super::{Stack, Timestamps};
use crate::abi::System;
use crate::inbox::{Item, Piece};
use crate::notification::{self, Description, Failed, Returned};
use crate::settings::EventType;
use crate::socket::{Half, Socket};
use crate::{Abi, AssocId32};

/// Inbox length from which notifications that a peer can trigger at will are dropped.
const MOST_WAITING: usize = 4096;

impl Stack {
    /// The socket that an association belongs to.
    pub(super) fn owner_of(&mut self, number: AssocId32) -> Option<&mut Socket> {
        let owner = self.assocs.get(&number)?.owner?;
        self.sockets.get_mut(&owner)
    }

    /// Marks in the inbox how many messages of an association are readable.
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
        let unread = &mut association.unread;
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
            association.used_at = now;
            socket.inbox.mark(number, more);
        }
    }

    /// Marks the messages of the last datagram if the program asks for arrival times, since the
    /// engine only signals the first readable message.
    pub(super) fn note_arrivals(&mut self, now: Time) {
        if self.timestamps == Timestamps::Unused {
            return;
        }
        let engine = self.endpoint.last_receiver();
        let Some(&number) = engine.and_then(|engine| self.numbers.get(&engine)) else {
            return;
        };
        let owner = self.owner_of(number);
        if owner.is_some_and(|socket| socket.own.timestamps.is_some()) {
            self.mark_messages(now, number);
        }
    }

    /// Marks one part of a large message; the engine does not count parts as readable messages.
    pub(super) fn mark_part(&mut self, now: Time, number: AssocId32) {
        let Some(association) = self
            .assocs
            .get_mut(&number)
            .filter(|found| found.unread.count() == 0)
        else {
            return;
        };
        let Some(owner) = association.owner else {
            return;
        };
        let Some(socket) = self.sockets.get_mut(&owner) else {
            return;
        };
        let assoc = self.endpoint.assoc(association.engine);
        if socket.inbox.has_messages_of(number) || !assoc.is_some_and(|assoc| assoc.is_readable()) {
            return;
        }
        let unread = &mut association.unread;
        unread.add(1, socket.own.timestamps.map(|_| now));
        socket.inbox.mark(number, 1);
        self.touch(owner);
    }

    /// Takes the next message, or part of one, from the engine.
    pub(super) fn take_piece(&mut self, now: Time, number: AssocId32) -> Option<Piece> {
        let association = self.assocs.get_mut(&number)?;
        let mut assoc = self.endpoint.assoc(association.engine)?;
        let received = assoc.receive(now)?;
        let (source, cumulative) = (assoc.source(received.origin), assoc.cumulative_tsn());
        association.note_part(&received);
        let mut piece = association.piece(number, received, now);
        piece.cumulative = cumulative;
        if let Some(source) = source {
            piece.peer.set_ip(source);
        }
        Some(piece)
    }

    /// Reports an undelivered message by the old and new notifications (RFC 6458 §6.1.4, §6.1.11).
    pub(super) fn notify_failed(
        &mut self,
        number: AssocId32,
        message: &Message,
        context: u64,
        failure: SendFailure,
    ) {
        let association = self.assocs.get(&number);
        let cause = association.map_or(0, |found| found.end_cause);
        let most = match self.abi.system() {
            System::Linux => self.fragmentation_point(number),
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
            self.notify(number, EventType::SendFailed, |abi| {
                notification::send_failed(abi, number, &failed)
            });
            self.notify(number, EventType::SendFailedEvent, |abi| {
                notification::send_failed_event(abi, number, &failed)
            });
        }
    }

    /// Queues a notification if the association's socket subscribes to it.
    pub(super) fn notify(
        &mut self,
        number: AssocId32,
        kind: EventType,
        make: impl FnOnce(Abi) -> Bytes,
    ) {
        let Some(association) = self.assocs.get_mut(&number) else {
            return;
        };
        let owner = association
            .owner
            .and_then(|owner| self.sockets.get_mut(&owner));
        let Some(socket) = owner.filter(|socket| socket.notices == Half::Open) else {
            return;
        };
        if !association.settings.wants(kind) {
            return;
        }
        let is_full = socket.inbox.entries() >= MOST_WAITING && kind != EventType::AssocChange;
        let stopped = EventType::NotificationsStopped;
        let bytes = match (is_full, association.settings.wants(stopped)) {
            (false, _) => make(self.abi),
            // A program that does not read loses optional notifications.
            (true, false) => return,
            // RFC 6458 §6.1.10
            (true, true) => {
                association.settings.stop_events();
                notification::plain(self.abi, number, stopped)
            }
        };
        socket.inbox.push(Item::Notification {
            assoc: number,
            peer: association.peer,
            bytes,
            offset: 0,
        });
    }
}
