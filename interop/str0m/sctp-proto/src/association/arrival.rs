//! Messages and resets of the peer's, and ends.

use std::collections::btree_map::Entry;

use sheave_engine::{CloseReason, Part, Received, wire};

use super::{Association, Stage};
use crate::resets::Outcome;
use crate::stream::{StreamState, Usage};
use crate::{AssociationError, Event, StreamEvent, StreamId};

impl Association {
    /// Reads messages from the engine while there is room: beyond it the peer's window closes.
    pub(super) fn fill(&mut self) {
        while self.held < self.max_held && self.read_engine() {}
    }

    /// Reads one message, or part, from the engine. Whether there was one.
    fn read_engine(&mut self) -> bool {
        let now = self.engine.get_mut().now();
        let assoc = self.engine.get_mut().assoc(self.id);
        let received = assoc.and_then(|mut assoc| assoc.receive(now));
        let is_there = received.is_some();
        if let Some(received) = received {
            self.take(received);
        }
        is_there
    }

    fn take(&mut self, received: Received) {
        let Received { message, part, .. } = received;
        let id = message.stream.0;
        if self.resets.is_closing(id) {
            return;
        }
        if let Entry::Vacant(vacant) = self.streams.entry(id) {
            vacant.insert(StreamState::new());
            self.mark(id, 0);
            self.tell_readable(id);
        }
        let Some(state) = self.streams.get_mut(&id) else {
            return;
        };
        let (before, was_readable) = (state.held(), state.has_messages());
        let fits = state.take(part, message.ppid, message.payload, self.max_receive);
        let is_readable = state.has_messages();
        self.held = self.held - before + state.held();
        if !fits {
            // Longer than was agreed on: RFC 8841 §6 leaves it to us, RFC 8831 §6.7 closes.
            let _ = self.close_stream(id);
        } else if is_readable && !was_readable && part != Part::First {
            self.tell_readable(id);
        }
    }

    fn tell_readable(&mut self, id: StreamId) {
        let event = Event::Stream(StreamEvent::Readable { id });
        if self.events.back().is_none_or(
            |last| !matches!(last, Event::Stream(StreamEvent::Readable { id: told }) if *told == id),
        ) {
            self.events.push_back(event);
        }
    }

    /// The peer has reset streams that it sends on, all if there are none: what can be read now is of
    /// before.
    pub(super) fn on_peer_reset(&mut self, streams: &[wire::StreamId]) {
        let assoc = self.engine.get_mut().assoc(self.id);
        let unread = assoc.map_or(0, |assoc| assoc.unread());
        for _ in 0..unread {
            self.read_engine();
        }
        let ids: Vec<StreamId> = match streams {
            [] => {
                let used = self.streams.keys().copied();
                used.chain(self.resets.ids()).collect()
            }
            _ => streams.iter().map(|stream| stream.0).collect(),
        };
        for id in ids {
            match self.streams.get_mut(&id) {
                Some(state) if state.usage != Usage::Closed && state.has_messages() => {
                    state.usage = Usage::Ending;
                }
                Some(_) => self.finish(id),
                // Perhaps never used here: then nobody is to be told, but the peer waits for our reset.
                None => {
                    let outcome = self.resets.finish(id);
                    self.tell(outcome);
                }
            }
        }
    }

    /// The peer's reset of a stream takes effect.
    pub(super) fn finish(&mut self, id: StreamId) {
        if let Some(state) = self.streams.remove(&id) {
            self.held -= state.held();
            let event = StreamEvent::Finished { id };
            self.events.push_back(Event::Stream(event));
        }
        let outcome = self.resets.finish(id);
        self.tell(outcome);
    }

    pub(super) fn request_resets(&mut self) {
        let now = self.engine.get_mut().now();
        if let Some(mut assoc) = self.engine.get_mut().assoc(self.id) {
            let outcomes = self.resets.request(now, &mut assoc);
            self.tell(outcomes);
        }
    }

    pub(super) fn tell(&mut self, outcomes: impl IntoIterator<Item = Outcome>) {
        for outcome in outcomes {
            let event = match outcome {
                Outcome::Complete(id) => StreamEvent::ResetComplete { id },
                Outcome::Failed(id, reason) => StreamEvent::ResetFailed { id, reason },
            };
            self.events.push_back(Event::Stream(event));
        }
    }

    /// The peer has lost its state: to a user of data channels this is the end.
    pub(super) fn on_restarted(&mut self) {
        let now = self.engine.get_mut().now();
        if let Some(assoc) = self.engine.get_mut().assoc(self.id) {
            assoc.abort(now, bytes::Bytes::new());
        }
        self.end(AssociationError::Reset);
    }

    pub(super) fn on_closed(&mut self, reason: &CloseReason, unread: Vec<Received>) {
        for received in unread {
            self.take(received);
        }
        let was_starting = self.stage == Stage::Starting;
        match reason {
            CloseReason::TimedOut | CloseReason::StaleCookie if was_starting => {
                self.stage = Stage::Closed;
                let reason = AssociationError::from(reason);
                self.events.push_back(Event::HandshakeFailed { reason });
            }
            _ => self.end(AssociationError::from(reason)),
        }
    }

    fn end(&mut self, reason: AssociationError) {
        if self.stage == Stage::Closed {
            return;
        }
        self.stage = Stage::Closed;
        self.resets.clear();
        self.events.push_back(Event::AssociationLost { reason });
    }
}
