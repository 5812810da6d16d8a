//! Engine events, handed to their associations (RFC 6458 §6).

use core::net::SocketAddr;
use std::collections::VecDeque;

use bytes::Bytes;
use sheave_engine::{AssocId, AuthenticationChange, Event, Time};

use super::{Stack, Timestamps};
use crate::AssocId32;
use crate::abi::System;
use crate::association::{Association, Side};
use crate::socket::{Held, Kind};

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
        let digested = match self.transport.endpoint.has_events() {
            true => Digested::Something,
            false => Digested::Nothing,
        };
        let mut later = VecDeque::new();
        while let Some((engine, event)) = self.transport.poll_event(now) {
            if matches!(event, Event::SendFailed { .. }) {
                later.push_back((engine, event));
                continue;
            }
            if let Event::Closed { reason, .. } = &event {
                let number = self.associations.number_of(engine);
                if let Some(mut attached) = number.and_then(|number| self.attached(number)) {
                    attached.note_end(reason);
                }
            }
            let others = later.iter().any(|(other, _)| *other != engine);
            if others || !precedes_failures(self.profile.system(), &event) {
                self.handle_all(now, &mut later);
            }
            self.handle_event(now, engine, event, &mut later);
        }
        self.handle_all(now, &mut later);
        digested
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
        let known = self.associations.number_of(engine);
        let Some(number) = known.or_else(|| self.welcome(now, engine)) else {
            return;
        };
        if let Event::Established { .. } = event
            && let Some(association) = self.associations.get(number)
        {
            self.tally.came_up(association.begun_by);
        }
        let Some(mut attached) = self.attached(number) else {
            return;
        };
        // Readable messages precede the event, unless the event begins the association.
        let begins = begins(&event);
        if !begins {
            attached.mark_messages(now);
        }
        if let Event::Closed { reason, unread } = event {
            let stage = attached.association.stage;
            attached.report_end(now, &reason, unread);
            self.tally.ended(&reason);
            self.handle_all(now, later);
            let owner = self.associations.remove(number).and_then(|own| own.owner);
            if let Some(owner) = owner {
                self.changes.touch(owner);
            }
            if let Some(socket) = self.sockets.owner(owner) {
                socket.on_end(number, stage, &reason);
            }
            return;
        }
        later.extend(attached.react(now, event).map(|event| (engine, event)));
        if !begins {
            attached.mark_messages(now);
        }
        attached.touch_all();
    }

    /// Assigns a new incoming association to its listening socket; aborts it and returns `None` if
    /// no socket listens or the backlog is full.
    fn welcome(&mut self, now: Time, engine: AssocId) -> Option<AssocId32> {
        let assoc = self.transport.endpoint.assoc(engine)?;
        let (stats, paths) = (assoc.stats(), assoc.path_stats());
        let primary = paths.iter().find(|path| path.primary).or(paths.first())?;
        let peer = SocketAddr::new(primary.remote, stats.remote_port);
        let (port, side) = (stats.local_port, Side::Peers);
        let Some((id, socket)) = self.sockets.listener_at(port, primary.local) else {
            assoc.abort(now, Bytes::new());
            return None;
        };
        let (settings, domain) = (socket.defaults.clone(), socket.domain);
        let owner = match socket.kind {
            Kind::OneToOne => {
                let mut accepted = socket.offspring(Kind::OneToOne);
                accepted.held = Held::Waiting(id);
                accepted.peer = Some(peer);
                accepted.source = Some(primary.local);
                self.sockets.enter(accepted)
            }
            _ => id,
        };
        let number = self.associations.admit(Association {
            outbound_streams: stats.outbound_streams,
            inbound_streams: stats.inbound_streams,
            ..Association::new(engine, (owner, domain), side, port, peer, settings, now)
        });
        self.sockets.owner(Some(owner))?.assocs.insert(number);
        if owner != id {
            self.sockets.owner(Some(id))?.pending.push_back(owner);
        }
        Some(number)
    }

    /// Marks the messages of the last datagram if the program asks for arrival times, since the
    /// engine only signals the first readable message.
    pub(super) fn note_arrivals(&mut self, now: Time) {
        if self.timestamps == Timestamps::Unused {
            return;
        }
        let engine = self.transport.endpoint.last_receiver();
        let number = engine.and_then(|engine| self.associations.number_of(engine));
        if let Some(mut attached) = number.and_then(|number| self.attached(number))
            && (attached.socket.as_ref()).is_some_and(|socket| socket.own.timestamps.is_some())
        {
            attached.mark_messages(now);
        }
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

/// Whether an event is reported before the undelivered messages.
fn precedes_failures(system: System, event: &Event) -> bool {
    match event {
        // Linux reports the end before the undelivered messages, FreeBSD after them.
        Event::Closed { .. } => system == System::Linux,
        // The adaptation layer is reported before missing authentication.
        Event::PeerAdaptation { .. } => true,
        _ => false,
    }
}
