//! Delivery order of interleaved messages (RFC 8260 §2.2.3).

use alloc::vec::Vec;

use bytes::Bytes;
use sheave_wire::{IData, MessageOrder, Mid, SkippedMessages, Ssn, StreamId};

use super::super::fragment::Label;
use super::super::window::{CHUNK_OVERHEAD, MESSAGE_OVERHEAD};
use super::super::{Inbound, PART_SIZE};
use super::{GATHERING_OVERHEAD, Interleaved, Key};
use crate::pool::Pool;
use crate::{Origin, Part};

impl Inbound {
    /// Delivers stored fragments after a gap has closed.
    pub(super) fn settle(&mut self, pool: &mut Pool) {
        let cumulative = self.tsns.cumulative();
        loop {
            let Some(state) = self.extensions.interleaved() else {
                return;
            };
            let Some(first) = state.beyond.first_entry() else {
                return;
            };
            if *first.key() > cumulative {
                return;
            }
            let (key, _) = first.remove();
            self.work += 1;
            if let Some(gathering) = state.get_mut(key) {
                let settled = gathering.settle(key, cumulative, pool);
                self.work += settled as u64;
                self.window.release(0, settled * CHUNK_OVERHEAD);
                if settled > 0 {
                    state.on_fragment(key);
                    self.offer_gathered(key);
                }
            }
        }
    }

    /// Delivers a single-chunk message at its turn.
    pub(super) fn deliver_whole(&mut self, key: Key, chunk: &IData<'_>, pool: &mut Pool) {
        self.window.charge(chunk.payload.len(), MESSAGE_OVERHEAD);
        let payload: Bytes = self.assembly.whole(chunk.payload, pool);
        let label = Label {
            stream: key.stream,
            ssn: Ssn(0),
            ppid: chunk.ppid().unwrap_or_default(),
            delivery: key.delivery(),
        };
        let origin = Origin {
            tsn: chunk.tsn,
            ssn_or_mid: key.mid,
            path: self.path,
        };
        self.ready
            .push_back(label.received(origin, payload, Part::Whole));
        if key.order == MessageOrder::Ordered {
            self.pass_turn(key);
            self.deliver_due(key.stream, pool);
        }
    }

    pub(super) fn pass_turn(&mut self, key: Key) {
        if let Some(state) = self.extensions.interleaved() {
            state.set_due(key.stream, Mid(key.mid).next());
        }
    }

    /// Ends a message: delivers it if complete, drops it otherwise. Returns its stream if partial
    /// delivery was cut off.
    pub(super) fn conclude(&mut self, key: Key, pool: &mut Pool) -> Option<StreamId> {
        let gathering = self.extensions.interleaved()?.remove(key)?;
        self.work += 1 + gathering.apart().len() as u64;
        let payload = gathering.payload();
        if gathering.holds_any() {
            let overhead = GATHERING_OVERHEAD + gathering.apart().len() * CHUNK_OVERHEAD;
            self.window.release(payload, overhead);
        }
        if !gathering.is_complete() {
            return gathering.has_begun().then_some(key.stream);
        }
        let received = gathering.finish(key, pool)?;
        self.window.charge(payload, MESSAGE_OVERHEAD);
        self.ready.push_back(received);
        None
    }

    /// Delivers the next ordered messages of a stream while they are complete.
    pub(super) fn deliver_due(&mut self, stream: StreamId, pool: &mut Pool) {
        loop {
            let Some(state) = self.extensions.interleaved.as_deref() else {
                return;
            };
            let next = Key::ordered(stream, state.next.get(stream));
            if !state.is_due(next) {
                return self.offer_gathered(next);
            }
            self.conclude(next, pool);
            self.pass_turn(next);
        }
    }

    /// Delivers the messages that waited for the end of a partial delivery on that stream.
    pub(super) fn release_stream(&mut self, stream: StreamId, pool: &mut Pool) {
        let due = |state: &Interleaved| state.unordered_due(stream);
        while let Some(key) = self.extensions.interleaved.as_deref().and_then(due) {
            self.conclude(key, pool);
        }
        self.deliver_due(stream, pool);
    }

    pub(super) fn skip_messages(&mut self, skipped: SkippedMessages, pool: &mut Pool) {
        let SkippedMessages { stream, order, mid } = skipped;
        let cumulative = self.tsns.cumulative();
        let Some(state) = self.extensions.interleaved() else {
            return;
        };
        let last = Key {
            order,
            ..Key::ordered(stream, mid)
        };
        let mut complete = Vec::new();
        if order == MessageOrder::Ordered {
            if state.is_past(last) {
                return;
            }
            complete.extend(Interleaved::up_to(&state.complete, last));
        }
        // Complete unordered messages wait during a partial delivery on their stream.
        let incomplete: Vec<Key> = Interleaved::up_to(&state.gatherings, last).collect();
        match order {
            MessageOrder::Ordered => state.set_due(stream, mid.next()),
            MessageOrder::Unordered => state.skipped.note(last, cumulative),
        }
        for key in complete.into_iter().chain(incomplete) {
            if let Some(stream) = self.conclude(key, pool) {
                self.note_cut_off(stream);
            }
        }
        self.release_stream(stream, pool);
    }

    /// Makes a message available in parts once it is large, or any message if the window is narrow.
    pub(super) fn offer_gathered(&mut self, key: Key) {
        let point = self.partial_delivery_point as usize;
        let Some(state) = self.extensions.interleaved() else {
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
        self.offer_if_narrow();
    }

    /// Makes any message at its turn available in parts if nothing else can be read and the window
    /// is almost closed (RFC 9260 §6.9).
    pub(in crate::inbound) fn offer_if_narrow(&mut self) {
        if self.window.is_narrow() && !self.is_readable() {
            self.offer_any();
        }
    }

    /// Makes the beginning of a message available if it is the message's turn.
    fn offer_beginning(&mut self, key: Key) {
        if let Some(state) = self.extensions.interleaved() {
            state.offer(key);
        }
    }

    /// Makes one message per stream available, each the next of its stream, since these fill the
    /// window.
    pub(in crate::inbound) fn offer_any(&mut self) -> bool {
        let Some(state) = self.extensions.interleaved() else {
            return false;
        };
        let offered = state.offer_all();
        self.work += offered as u64;
        offered > 0
    }
}
