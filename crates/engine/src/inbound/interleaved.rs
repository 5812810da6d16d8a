//! User message interleaving (RFC 8260), receiving.

mod delivery;
mod key;

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use sheave_wire::{DataFlags, IData, List, MessageOrder, Mid, SkippedMessages, StreamId};

pub(super) use self::key::Key;
use super::gathering::Gathering;
use super::tsn_tracker::Place;
use super::window::CHUNK_OVERHEAD;
use super::{Arrival, Inbound, Retention};
use crate::error::PeerFault;
use crate::per_stream::PerStream;
use crate::pool::Pool;
use crate::{Part, Received};

/// What a message that is being gathered costs beside its payload, bytes: its place in the ordered
/// map, the block that it is put together in and what the allocator adds.
const GATHERING_OVERHEAD: usize = 320;

pub(super) const NOT_INTERLEAVED: PeerFault =
    PeerFault::violation("a DATA chunk where interleaving was agreed on");
const REUSED_MID: PeerFault = PeerFault::violation("two messages of one stream have the same MID");
const SKIPPED_MID: PeerFault =
    PeerFault::violation("the buffer is full of messages of which none can be completed");

/// The messages that are being gathered, and those that wait for their turn.
#[derive(Debug, Default)]
pub(super) struct Interleaved {
    gatherings: BTreeMap<Key, Gathering>,
    /// The next ordered message of each stream.
    next: PerStream<Mid>,
    /// Fragments beyond a gap, by unwrapped TSN: what may be dropped again, and its place.
    beyond: BTreeMap<u64, (Key, u64)>,
    /// Messages of which a part may be had.
    offered: BTreeSet<Key>,
    /// The messages that are being handed over in parts: of each stream one at most.
    partly: BTreeMap<StreamId, Key>,
}

impl Interleaved {
    pub(super) fn is_offered(&self) -> bool {
        !self.offered.is_empty()
    }

    /// The highest unwrapped TSN of what can be dropped.
    pub(super) fn highest(&self) -> Option<u64> {
        self.beyond.last_key_value().map(|(at, _)| *at)
    }

    pub(super) fn footprint(&self) -> usize {
        size_of::<Self>() + self.next.footprint()
    }

    /// Whether a message has arrived in part.
    pub(super) fn has_gatherings(&self) -> bool {
        !self.gatherings.is_empty()
    }

    /// The MIDs that are due, without those that are 0.
    pub(super) fn due(&self) -> impl Iterator<Item = (StreamId, Mid)> + '_ {
        self.next.entries()
    }

    pub(super) fn set_due(&mut self, stream: StreamId, mid: Mid) {
        self.next.replace(stream, mid);
    }

    /// The streams of messages that are being handed over in parts.
    pub(super) fn partly(&self) -> impl Iterator<Item = StreamId> + '_ {
        self.partly.keys().copied()
    }

    /// Lets all that is there of messages that were begun to be handed over be taken.
    pub(super) fn offer_rests(&mut self) {
        for key in self.partly.values() {
            if let Some(gathering) = self.gatherings.get_mut(key)
                && gathering.beginning() > 0
            {
                gathering.offer();
                self.offered.insert(*key);
            }
        }
    }

    /// Whether an ordered message with that MID was already delivered, or skipped.
    fn is_past(&self, key: Key) -> bool {
        key.order == MessageOrder::Ordered && Mid(key.mid).is_before(self.next.get(key.stream))
    }

    /// Whether a message may be delivered, as far as others of its stream go. While one is handed
    /// over in parts, the others wait, so that the parts stay together.
    fn is_in_turn(&self, key: Key) -> bool {
        let in_order = match key.order {
            MessageOrder::Unordered => true,
            MessageOrder::Ordered => self.next.get(key.stream).0 == key.mid,
        };
        in_order
            && self
                .partly
                .get(&key.stream)
                .is_none_or(|partly| *partly == key)
    }

    /// Whether a message is complete and in turn.
    fn is_due(&self, key: Key) -> bool {
        self.is_in_turn(key)
            && self
                .gatherings
                .get(&key)
                .is_some_and(Gathering::is_complete)
    }

    /// Takes a message out, and forgets where its fragments stood.
    fn remove(&mut self, key: Key) -> Option<Gathering> {
        let gathering = self.gatherings.remove(&key)?;
        for at in gathering.apart() {
            self.beyond.remove(&at);
        }
        self.offered.remove(&key);
        if self.partly.get(&key.stream) == Some(&key) {
            self.partly.remove(&key.stream);
        }
        Some(gathering)
    }

    /// What is there of one of a stream's two sequences, up to `last`, in order of MIDs.
    fn up_to(&self, stream: StreamId, order: MessageOrder, last: Mid) -> Vec<Key> {
        let range = self.gatherings.range(Key::all(stream, order));
        let mut keys: Vec<Key> = range
            .map(|(key, _)| *key)
            .filter(|key| !Mid(key.mid).is_after(last))
            .collect();
        keys.sort_by_key(|key| core::cmp::Reverse(last.distance_from(Mid(key.mid))));
        keys
    }
}

impl Inbound {
    /// Both sides want I-DATA: from now on nothing else is accepted.
    pub(crate) fn interleave(&mut self) {
        self.rare
            .put(|rare| &mut rare.interleaved, Some(Box::default()));
    }

    /// Takes one I-DATA chunk; as [`accept`](Self::accept).
    pub(crate) fn accept_interleaved(
        &mut self,
        chunk: &IData<'_>,
        memory_left: usize,
        pool: &mut Pool,
    ) -> Result<Arrival, PeerFault> {
        if chunk.payload.is_empty() {
            return Err(PeerFault::NO_USER_DATA);
        }
        match self.tsns.place(chunk.tsn) {
            Place::Next(at) => self.gather_next(at, chunk, memory_left, pool),
            Place::Beyond(_) if self.retention == Retention::InOrder => Ok(Arrival::OutOfOrder),
            Place::Beyond(at) => self.gather_beyond(at, chunk, memory_left, pool),
            Place::Received => {
                self.stats.duplicates = self.stats.duplicates.wrapping_add(1);
                self.tsns.note_duplicate(chunk.tsn);
                Ok(Arrival::Duplicate)
            }
            Place::TooFar => Ok(self.refuse()),
        }
    }

    /// The peer has given these messages up (RFC 8260 §2.3.1). What of them is complete is
    /// delivered, the rest dropped.
    pub(super) fn skip_interleaved(
        &mut self,
        skipped: &List<'_, SkippedMessages>,
        pool: &mut Pool,
    ) {
        for one in skipped {
            if self.order.is_valid(one.stream) {
                self.skip_messages(one, pool);
            }
        }
        self.settle(pool);
    }

    /// As [`reset_streams`](Self::reset_streams): MIDs of both sequences begin anew (RFC 8260
    /// §2.3.2).
    pub(super) fn reset_interleaved(&mut self, streams: &[StreamId]) -> Vec<StreamId> {
        let Some(state) = self.rare.interleaved() else {
            return Vec::new();
        };
        let concerned = |key: &Key| streams.is_empty() || streams.contains(&key.stream);
        let mut keys: Vec<Key> = state.gatherings.keys().copied().collect();
        keys.retain(concerned);
        keys.sort_by_key(|key| {
            let next = state.next.get(key.stream);
            (key.stream, key.order, Mid(key.mid).distance_from(next))
        });
        state.next.reset(streams);
        // Nothing is put together here that was not there already.
        let mut pool = Pool::default();
        let conclude = |key| self.conclude(key, &mut pool);
        keys.into_iter().filter_map(conclude).collect()
    }

    /// Takes a part that is on offer; the overhead stays with its message.
    pub(super) fn receive_interleaved_part(&mut self) -> Option<Received> {
        let state = self.rare.interleaved()?;
        let key = state.offered.pop_first()?;
        let part = state.gatherings.get_mut(&key)?.take_part()?;
        state.partly.insert(key.stream, key);
        // Others of its stream wait until it is complete.
        state.offered.retain(|other| other.stream != key.stream);
        let payload = part.message.payload.len();
        self.window.release(payload, 0);
        self.stats.bytes += payload as u64;
        Some(part)
    }

    /// Drops the fragment of the highest TSN that waits beyond a gap.
    pub(super) fn renege_interleaved(&mut self) {
        let Some(state) = self.rare.interleaved() else {
            return;
        };
        let Some((at, (key, place))) = state.beyond.pop_last() else {
            return;
        };
        let Some(gathering) = state.gatherings.get_mut(&key) else {
            return;
        };
        if let Some(payload) = gathering.renege(place) {
            self.window.release(payload, CHUNK_OVERHEAD);
        }
        if gathering.is_blank() {
            state.gatherings.remove(&key);
            self.window.release(0, GATHERING_OVERHEAD);
        }
        self.tsns.renege(at);
        self.note_drop();
    }

    fn gather_next(
        &mut self,
        at: u64,
        chunk: &IData<'_>,
        memory_left: usize,
        pool: &mut Pool,
    ) -> Result<Arrival, PeerFault> {
        let had_gaps = self.tsns.has_gaps();
        if !self.order.is_valid(chunk.stream) {
            self.tsns.receive(at);
            self.settle(pool);
            return Ok(Arrival::InvalidStream(chunk.stream));
        }
        // As for DATA: the next chunk must get in, or nothing moves.
        if !self.make_room(at, 1, memory_left) {
            return self.refuse_next_interleaved();
        }
        self.window.on_arrival(chunk.payload.len());
        self.tsns.receive(at);
        self.gather(at, chunk, pool)?;
        if had_gaps {
            self.settle(pool);
        }
        Ok(match (had_gaps, self.tsns.has_gaps()) {
            (false, _) => Arrival::New,
            (true, true) => Arrival::OutOfOrder,
            (true, false) => Arrival::FilledGap,
        })
    }

    fn gather_beyond(
        &mut self,
        at: u64,
        chunk: &IData<'_>,
        memory_left: usize,
        pool: &mut Pool,
    ) -> Result<Arrival, PeerFault> {
        if !self.order.is_valid(chunk.stream) {
            self.tsns.receive(at);
            return Ok(Arrival::InvalidStream(chunk.stream));
        }
        let needed = chunk.payload.len() + CHUNK_OVERHEAD + GATHERING_OVERHEAD;
        if !self.make_room(at, needed, memory_left) {
            return Ok(self.refuse());
        }
        self.window.on_arrival(chunk.payload.len());
        self.tsns.receive(at);
        self.gather(at, chunk, pool)?;
        Ok(Arrival::OutOfOrder)
    }

    /// Adds a fragment, whose TSN counts as received, to its message.
    fn gather(&mut self, at: u64, chunk: &IData<'_>, pool: &mut Pool) -> Result<(), PeerFault> {
        let Some(state) = self.rare.interleaved() else {
            return Ok(());
        };
        let key = Key::of(chunk);
        let part = part_of(chunk.flags);
        if state.is_past(key) {
            // Of a message that was skipped, or that the peer numbers like one that is delivered.
            self.note_drop();
            return Ok(());
        }
        if part == Part::Whole {
            if state.gatherings.contains_key(&key) {
                return Err(REUSED_MID);
            }
            if state.is_in_turn(key) {
                self.deliver_whole(key, chunk, pool);
                return Ok(());
            }
        }
        self.add(key, at, chunk, part, pool)?;
        let state = self.rare.interleaved.as_deref();
        if !state.is_some_and(|state| state.is_due(key)) {
            self.offer_gathered(key);
            return Ok(());
        }
        let in_parts = state.is_some_and(|state| state.partly.contains_key(&key.stream));
        self.conclude(key, pool);
        if key.order == MessageOrder::Ordered {
            self.pass_turn(key);
        }
        if in_parts {
            self.release_stream(key.stream, pool);
        } else if key.order == MessageOrder::Ordered {
            self.deliver_due(key.stream, pool);
        }
        Ok(())
    }

    /// Stores a fragment.
    fn add(
        &mut self,
        key: Key,
        at: u64,
        chunk: &IData<'_>,
        part: Part,
        pool: &mut Pool,
    ) -> Result<(), PeerFault> {
        let cumulative = self.tsns.cumulative();
        let Some(state) = self.rare.interleaved() else {
            return Ok(());
        };
        let payload = chunk.payload;
        let gathering = match state.gatherings.entry(key) {
            alloc::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
            alloc::collections::btree_map::Entry::Vacant(entry) => {
                self.window.charge(0, GATHERING_OVERHEAD);
                entry.insert(Gathering::new())
            }
        };
        let place = gathering.place(chunk, part)?;
        gathering.note(place, chunk, part);
        if at <= cumulative && gathering.continues(place) {
            self.window.charge(payload.len(), 0);
            gathering.append(key, payload, pool);
            let settled = gathering.settle(key, cumulative, pool);
            self.window.release(0, settled * CHUNK_OVERHEAD);
            return Ok(());
        }
        self.window.charge(payload.len(), CHUNK_OVERHEAD);
        gathering.insert(place, at, payload);
        if at > cumulative {
            state.beyond.insert(at, (key, place));
        }
        Ok(())
    }

    /// There is no room for the next chunk, and nothing is left to drop.
    fn refuse_next_interleaved(&mut self) -> Result<Arrival, PeerFault> {
        if !self.is_readable() && !self.offer_any() && self.window.room() == 0 {
            return Err(SKIPPED_MID);
        }
        Ok(self.refuse())
    }
}

/// The B and E bits (RFC 8260 §2.1).
const fn part_of(flags: DataFlags) -> Part {
    match (
        flags.contains(DataFlags::BEGINNING),
        flags.contains(DataFlags::ENDING),
    ) {
        (true, true) => Part::Whole,
        (true, false) => Part::First,
        (false, false) => Part::Middle,
        (false, true) => Part::Last,
    }
}

#[cfg(test)]
mod tests;
