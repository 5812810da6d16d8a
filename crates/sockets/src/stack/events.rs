//! Engine events, turned into notifications and socket changes (RFC 6458 §6).

mod end;
mod incoming;
mod paths;
mod start;
mod streams;

use std::collections::VecDeque;

use sheave_engine::{AssocId, AuthenticationChange, Event, Time};
use sheave_wire::StreamId;

use super::Stack;
use crate::AssocId32;
use crate::abi::System;
use crate::notification;
use crate::settings::EventType;
use crate::socket::{Held, Room};

/// Whether the engine had an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Digested {
    Something,
    Nothing,
}

impl Stack {
    /// Handles all pending engine events.
    pub(super) fn digest(&mut self, now: Time) -> Digested {
        // Events for key management cause packets, too.
        let digested = match self.endpoint.has_events() {
            true => Digested::Something,
            false => Digested::Nothing,
        };
        let mut later = VecDeque::new();
        while let Some((engine, event)) = match &mut self.keys {
            Some(keys) => keys.poll_event(now, &mut self.endpoint),
            None => self.endpoint.poll_event(),
        } {
            if matches!(event, Event::SendFailed { .. }) {
                later.push_back((engine, event));
                continue;
            }
            if let Event::Closed { reason, .. } = &event {
                self.note_end(engine, reason);
            }
            let others = later.iter().any(|(other, _)| *other != engine);
            if others || !self.precedes_failures(&event) {
                self.handle_all(now, &mut later);
            }
            self.handle_event(now, engine, event, &mut later);
        }
        self.handle_all(now, &mut later);
        digested
    }

    /// Whether an event is reported before the undelivered messages.
    fn precedes_failures(&self, event: &Event) -> bool {
        match event {
            // Linux reports the end before the undelivered messages, FreeBSD after them.
            Event::Closed { .. } => self.abi.system() == System::Linux,
            // The adaptation layer is reported before missing authentication.
            Event::PeerAdaptation { .. } => true,
            _ => false,
        }
    }

    fn handle_all(&mut self, now: Time, events: &mut VecDeque<(AssocId, Event)>) {
        while let Some((engine, event)) = events.pop_front() {
            self.handle_event(now, engine, event, &mut VecDeque::new());
        }
    }

    /// `later` collects events to report afterwards, such as undelivered messages after the end of
    /// their association.
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
        // Readable messages precede the event, unless the event begins the association.
        let begins = begins(&event);
        if !begins {
            self.mark_messages(now, number);
        }
        self.react(now, (engine, number), event, later);
        if !begins {
            self.mark_messages(now, number);
        }
        if let Some(owner) = self.assocs.get(&number).and_then(|found| found.owner) {
            self.touch(owner);
            if let Some(Held::Waiting(listener)) = self.sockets.get(&owner).map(|own| own.held) {
                self.touch(listener);
            }
        }
    }

    fn react(
        &mut self,
        now: Time,
        (engine, number): (AssocId, AssocId32),
        event: Event,
        later: &mut VecDeque<(AssocId, Event)>,
    ) {
        match event {
            Event::Established {
                outbound_streams,
                inbound_streams,
            } => {
                self.on_established(now, number, (outbound_streams, inbound_streams));
                if self.lacks_authentication(number) {
                    let change = AuthenticationChange::Unavailable;
                    later.push_back((engine, Event::Authentication(change)));
                }
            }
            Event::Restarted => self.on_restarted(number),
            Event::Readable => self.mark_part(now, number),
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
            | Event::AddressChanged { .. }
            | Event::AddressChangeRefused { .. } => {}
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
            Event::PartialDeliveryAborted { stream } => self.on_part_aborted(number, stream),
            Event::StreamsReset { direction, streams } => {
                self.on_streams_reset(number, direction, &streams);
                self.make_next_request(now, number);
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
                self.on_streams_changed(number, (outbound_streams, inbound_streams));
                self.make_next_request(now, number);
            }
            Event::ReconfigurationFailed { failure } => {
                self.on_request_failed(number, failure);
                self.make_next_request(now, number);
            }
            Event::PeerAdaptation { indication } => {
                self.notify(number, EventType::Adaptation, |abi| {
                    notification::adaptation(abi, number, indication)
                });
            }
            // A program's own key managers come with the options of the draft's §7, which are not there yet.
            Event::Protection(_) => {}
            Event::Authentication(change) => self.on_authentication(number, change),
            Event::PeerShutdown => self.on_peer_shutdown(number),
            Event::Closed { reason, unread } => {
                self.on_closed(now, number, (&reason, unread), later);
            }
        }
    }

    fn on_part_aborted(&mut self, number: AssocId32, stream: StreamId) {
        let association = self.assocs.get_mut(&number);
        let ssn = association.map_or(0, |found| found.end_part(stream));
        if let Some(socket) = self.owner_of(number) {
            socket.inbox.end(number);
        }
        self.notify(number, EventType::PartialDelivery, |abi| {
            notification::partial_delivery_aborted(abi, number, stream.0, ssn)
        });
    }

    fn on_authentication(&mut self, number: AssocId32, change: AuthenticationChange) {
        let numbers = self.abi.notifications();
        let (key, indication) = match change {
            AuthenticationChange::NewKey(key) => (key.0, numbers.new_key),
            AuthenticationChange::FreeKey(key) => (key.0, numbers.free_key),
            AuthenticationChange::Unavailable => (0, numbers.no_authentication),
        };
        self.notify(number, EventType::Authentication, |abi| {
            notification::authentication(abi, number, key, indication)
        });
    }
}

/// Whether an event reports the start of an association; a later event reports data from the COOKIE
/// ECHO.
const fn begins(event: &Event) -> bool {
    matches!(
        event,
        Event::Established { .. }
            | Event::PeerAdaptation { .. }
            | Event::Authentication(AuthenticationChange::Unavailable)
    )
}
