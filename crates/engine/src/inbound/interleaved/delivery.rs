//! What leaves for the user, and in which order (RFC 8260 §2.2.3).

use alloc::vec::Vec;

use bytes::Bytes;
use sheave_wire::{IData, MessageOrder, Mid, SkippedMessages, Ssn, StreamId};

use super::super::fragment::Label;
use super::super::gathering::Gathering;
use super::super::window::{CHUNK_OVERHEAD, MESSAGE_OVERHEAD};
use super::super::{Inbound, PART_SIZE};
use super::{GATHERING_OVERHEAD, Key};
use crate::Part;
use crate::pool::Pool;

impl Inbound {
    /// Moves on what waited for a gap that has closed.
    pub(super) fn settle(&mut self, pool: &mut Pool) {
        let cumulative = self.tsns.cumulative();
        loop {
            let Some(state) = self.rare.interleaved() else {
                return;
            };
            let Some(first) = state.beyond.first_entry() else {
                return;
            };
            if *first.key() > cumulative {
                return;
            }
            let (key, _) = first.remove();
            if let Some(gathering) = state.gatherings.get_mut(&key) {
                let settled = gathering.settle(key, cumulative, pool);
                self.window.release(0, settled * CHUNK_OVERHEAD);
                if settled > 0 {
                    self.offer_gathered(key);
                }
            }
        }
    }

    /// Delivers a message that came in one chunk and is in turn.
    pub(super) fn deliver_whole(&mut self, key: Key, chunk: &IData<'_>, pool: &mut Pool) {
        self.window.charge(chunk.payload.len(), MESSAGE_OVERHEAD);
        let payload: Bytes = self.assembly.whole(chunk.payload, pool);
        let label = Label {
            stream: key.stream,
            ssn: Ssn(0),
            ppid: chunk.ppid().unwrap_or_default(),
            delivery: key.delivery(),
        };
        self.ready.push_back(label.received(payload, Part::Whole));
        if key.order == MessageOrder::Ordered {
            self.pass_turn(key);
            self.deliver_due(key.stream, pool);
        }
    }

    pub(super) fn pass_turn(&mut self, key: Key) {
        if let Some(state) = self.rare.interleaved() {
            state.next.replace(key.stream, Mid(key.mid).next());
        }
    }

    /// Ends a message: delivers it if it is complete, forgets it if not. Returns its stream if it
    /// was being handed over in parts, and its rest never comes.
    pub(super) fn conclude(&mut self, key: Key, pool: &mut Pool) -> Option<StreamId> {
        let gathering = self.rare.interleaved()?.remove(key)?;
        let payload = gathering.payload();
        let overhead = GATHERING_OVERHEAD + gathering.apart().len() * CHUNK_OVERHEAD;
        self.window.release(payload, overhead);
        if !gathering.is_complete() {
            return gathering.has_begun().then_some(key.stream);
        }
        let received = gathering.finish(key, pool)?;
        self.window.charge(payload, MESSAGE_OVERHEAD);
        self.ready.push_back(received);
        None
    }

    /// Delivers the ordered messages of a stream that are due.
    pub(super) fn deliver_due(&mut self, stream: StreamId, pool: &mut Pool) {
        loop {
            let Some(state) = self.rare.interleaved.as_deref() else {
                return;
            };
            let next = Key::ordered(stream, state.next.get(stream));
            if state.gatherings.is_empty() || !state.is_due(next) {
                return self.offer_gathered(next);
            }
            self.conclude(next, pool);
            self.pass_turn(next);
        }
    }

    /// Delivers what waited while a message of that stream was handed over in parts.
    pub(super) fn release_stream(&mut self, stream: StreamId, pool: &mut Pool) {
        let Some(state) = self.rare.interleaved.as_deref() else {
            return;
        };
        let range = Key::all(stream, MessageOrder::Unordered);
        let unordered = state.gatherings.range(range).map(|(key, _)| *key);
        let due: Vec<Key> = unordered.filter(|key| state.is_due(*key)).collect();
        for key in due {
            self.conclude(key, pool);
        }
        self.deliver_due(stream, pool);
    }

    pub(super) fn skip_messages(&mut self, skipped: SkippedMessages, pool: &mut Pool) {
        let SkippedMessages { stream, order, mid } = skipped;
        let Some(state) = self.rare.interleaved() else {
            return;
        };
        if order == MessageOrder::Ordered {
            if mid.is_before(state.next.get(stream)) {
                return;
            }
            state.next.replace(stream, mid.next());
        }
        for key in state.up_to(stream, order, mid) {
            let waits = order == MessageOrder::Unordered && self.is_gathered(key);
            if !waits && let Some(stream) = self.conclude(key, pool) {
                self.note_cut_off(stream);
            }
        }
        self.release_stream(stream, pool);
    }

    /// Whether a message is complete and waits for another of its stream.
    fn is_gathered(&self, key: Key) -> bool {
        let state = self.rare.interleaved.as_deref();
        let gathering = state.and_then(|state| state.gatherings.get(&key));
        gathering.is_some_and(Gathering::is_complete)
    }

    /// Offers what there is of a message once it is large; while nothing else can be read and the
    /// window is all but closed, what there is of any (RFC 9260 §6.9).
    pub(super) fn offer_gathered(&mut self, key: Key) {
        let point = self.partial_delivery_point as usize;
        let Some(state) = self.rare.interleaved() else {
            return;
        };
        if let Some(gathering) = state.gatherings.get(&key) {
            let enough = if gathering.has_begun() {
                point.min(PART_SIZE)
            } else {
                point
            };
            if gathering.beginning() >= enough.max(1) {
                self.offer_beginning(key);
            }
        }
        if self.window.is_narrow() && !self.is_readable() {
            self.offer_any();
        }
    }

    /// Offers what there is of a message, if it is in turn. Whether it could be.
    fn offer_beginning(&mut self, key: Key) -> bool {
        let Some(state) = self.rare.interleaved() else {
            return false;
        };
        let in_turn = state.is_in_turn(key);
        match state.gatherings.get_mut(&key) {
            Some(gathering) if in_turn && gathering.beginning() > 0 => {
                gathering.offer();
                state.offered.insert(key);
                true
            }
            _ => false,
        }
    }

    /// Offers what there is of all messages that are in turn: the window is theirs.
    pub(super) fn offer_any(&mut self) -> bool {
        let Some(state) = self.rare.interleaved.as_deref() else {
            return false;
        };
        let keys: Vec<Key> = state.gatherings.keys().copied().collect();
        let mut any = false;
        for key in keys {
            any |= self.offer_beginning(key);
        }
        any
    }
}
