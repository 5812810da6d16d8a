//! User message interleaving (RFC 8260): the receiving side.

mod delivery;
mod key;
mod skipped;
mod state;

use alloc::boxed::Box;
use alloc::vec::Vec;

use sheave_wire::{DataFlags, IData, List, MessageOrder, SkippedMessages, StreamId};

pub(super) use self::key::Key;
pub(super) use self::state::Interleaved;
use super::gathering::Gathering;
use super::tsn_tracker::TsnPosition;
use super::window::CHUNK_OVERHEAD;
use super::{Arrival, Inbound, Retention};
use crate::pool::Pool;
use crate::value::error::PeerFault;
use crate::{Origin, Part, Received};

/// Memory cost of a message in assembly beyond its payload, bytes: its map entry, its block and the
/// allocator's overhead.
const GATHERING_OVERHEAD: usize = 320;

/// Memory cost of a message whose received fragments were all taken, bytes: its map entries.
///
/// Not charged to the window, since a peer may have an incomplete message on each stream (RFC 8260
/// §2.2.2) that only further fragments complete. The number of granted streams bounds the total.
const DRAINED_OVERHEAD: usize = 128;

pub(super) const NOT_INTERLEAVED: PeerFault =
    PeerFault::violation("a DATA chunk where interleaving was agreed on");
const REUSED_MID: PeerFault = PeerFault::violation("two messages of one stream have the same MID");
const SKIPPED_MID: PeerFault =
    PeerFault::violation("the buffer is full of messages of which none can be completed");

impl Inbound {
    /// Switches to I-DATA, which both ends agreed on; DATA is rejected from now on.
    pub(crate) fn interleave(&mut self) {
        let mut state = Box::<Interleaved>::default();
        state.serves_key_managers = self.serves_key_managers;
        self.extensions
            .put(|extensions| &mut extensions.interleaved, Some(state));
    }

    /// Receives one I-DATA chunk; same contract as [`accept`](Self::accept).
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
            TsnPosition::Next(at) => self.gather_next(at, chunk, memory_left, pool),
            TsnPosition::Beyond(_) if self.retention == Retention::InOrder => {
                Ok(Arrival::OutOfOrder)
            }
            TsnPosition::Beyond(at) => self.gather_beyond(at, chunk, memory_left, pool),
            TsnPosition::Received => {
                self.tsns.note_duplicate(chunk.tsn);
                Ok(Arrival::Duplicate)
            }
            TsnPosition::TooFar => Ok(self.refuse()),
        }
    }

    /// Handles messages that the peer has abandoned (RFC 8260 §2.3.1): complete ones are delivered,
    /// incomplete ones dropped.
    pub(super) fn skip_interleaved(
        &mut self,
        skipped: &List<'_, SkippedMessages>,
        pool: &mut Pool,
    ) {
        for one in skipped {
            self.work += 1;
            if self.order.is_valid(one.stream) {
                self.skip_messages(one, pool);
            }
        }
        self.settle(pool);
    }

    /// Resets streams as [`reset_streams`](Self::reset_streams) does: the MIDs of both sequences
    /// restart at 0 (RFC 8260 §2.3.2).
    pub(super) fn reset_interleaved(&mut self, streams: &[StreamId]) -> Vec<StreamId> {
        let Some(state) = self.extensions.interleaved() else {
            return Vec::new();
        };
        let all = if streams.is_empty() {
            state.streams()
        } else {
            Vec::new()
        };
        let concerned = if streams.is_empty() { &all } else { streams };
        let mut keys = Vec::new();
        for messages in [&state.complete, &state.gatherings] {
            for stream in concerned {
                for order in [MessageOrder::Ordered, MessageOrder::Unordered] {
                    keys.extend(state.keys_from_due(messages, *stream, order));
                }
            }
        }
        state.next.reset(streams);
        state.skipped.reset(streams);
        self.work += (concerned.len() + keys.len()) as u64;
        // Nothing is put together here that was not there already.
        let mut pool = Pool::default();
        let conclude = |key| self.conclude(key, &mut pool);
        keys.into_iter().filter_map(conclude).collect()
    }

    /// Takes an available part.
    pub(super) fn receive_interleaved_part(&mut self) -> Option<Received> {
        let state = self.extensions.interleaved()?;
        let key = state.offered.pop_first()?;
        let gathering = state.gatherings.get_mut(&key)?;
        let part = gathering.take_part()?;
        if gathering.drain() {
            state.drained += 1;
            self.window.release(0, GATHERING_OVERHEAD);
        }
        self.work += state.on_part_taken(key) as u64;
        let payload = part.message.payload.len();
        self.window.release(payload, 0);
        self.stats.bytes += payload as u64;
        self.offer_if_narrow();
        Some(part)
    }

    /// Drops the stored fragment with the highest TSN.
    pub(super) fn renege_interleaved(&mut self) {
        let Some(state) = self.extensions.interleaved() else {
            return;
        };
        let Some((at, (key, place))) = state.beyond.pop_last() else {
            return;
        };
        let Some(gathering) = state.get_mut(key) else {
            return;
        };
        if let Some(payload) = gathering.renege(place) {
            self.window.release(payload, CHUNK_OVERHEAD);
        }
        if gathering.drain() {
            state.drained += 1;
            self.window.release(0, GATHERING_OVERHEAD);
        }
        state.on_reneged(key);
        if state.forget_blank(key) {
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
        // As for DATA: refusing the next chunk would cause a deadlock.
        if !self.make_room(at, 1, memory_left) && !self.is_stuck() {
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
            return Ok(self.note_invalid_beyond(at, chunk.stream, memory_left));
        }
        let needed = chunk.payload.len() + CHUNK_OVERHEAD + GATHERING_OVERHEAD;
        if !self.make_room_beyond(at, needed, memory_left) {
            return Ok(self.refuse());
        }
        self.window.on_arrival(chunk.payload.len());
        self.tsns.receive(at);
        self.gather(at, chunk, pool)?;
        Ok(Arrival::OutOfOrder)
    }

    /// Adds a fragment, whose TSN counts as received, to its message.
    fn gather(&mut self, at: u64, chunk: &IData<'_>, pool: &mut Pool) -> Result<(), PeerFault> {
        let Some(state) = self.extensions.interleaved() else {
            return Ok(());
        };
        let key = Key::of(chunk);
        let part = part_of(chunk.flags);
        if state.is_past(key) || (part != Part::Whole && state.is_rest_of_skipped(key, at)) {
            // The fragment belongs to a skipped message, or reuses the MID of a delivered one.
            self.note_drop();
            return Ok(());
        }
        if part == Part::Whole {
            if state.holds(key) {
                return Err(REUSED_MID);
            }
            if state.is_in_turn(key) {
                self.deliver_whole(key, chunk, pool);
                return Ok(());
            }
        }
        self.add(key, at, chunk, part, pool)?;
        let state = self.extensions.interleaved.as_deref();
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
        let Some(state) = self.extensions.interleaved() else {
            return Ok(());
        };
        if let Some(complete) = state.complete.get(&key) {
            return complete.place(chunk, part).map(drop);
        }
        let payload = chunk.payload;
        let gathering = state.gatherings.entry(key).or_insert_with(Gathering::new);
        let place = gathering.place(chunk, part)?;
        if !gathering.holds_any() {
            self.window.charge(0, GATHERING_OVERHEAD);
            state.drained -= usize::from(gathering.is_drained());
        }
        gathering.note(key, place, chunk, part);
        let origin = Origin {
            tsn: chunk.tsn,
            ssn_or_mid: key.mid,
            path: self.path,
        };
        gathering.note_origin(place, origin);
        if at <= cumulative && gathering.continues(place) {
            self.window.charge(payload.len(), 0);
            gathering.append(key, payload, pool);
            let settled = gathering.settle(key, cumulative, pool);
            self.work += settled as u64;
            self.window.release(0, settled * CHUNK_OVERHEAD);
        } else {
            self.window.charge(payload.len(), CHUNK_OVERHEAD);
            gathering.insert(key, place, at, payload);
            if at > cumulative {
                state.beyond.insert(at, (key, place));
            }
        }
        state.on_fragment(key);
        Ok(())
    }

    /// Refuses the next chunk: there is no room, and nothing is left to drop.
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
