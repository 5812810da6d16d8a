//! Room for chunks: what is dropped for them, or refused (RFC 9260 §6.2).

use super::tsn_tracker::RUN_COST;
use super::window::CHUNK_OVERHEAD;
use super::{Arrival, Inbound, Retention};
use crate::value::error::PeerFault;

/// Bytes that chunks beyond a gap leave free where they are never dropped: two chunks and what
/// messages cost of which they are a part. No more of it is taken from a small share of memory.
const KEPT_FREE: usize = 4 << 10;

impl Inbound {
    /// As [`make_room`](Self::make_room), for a chunk beyond a gap. What is kept of TSNs there
    /// takes room from it, but none from the chunk that comes next: that one would never get in.
    pub(super) fn make_room_beyond(&mut self, at: u64, needed: usize, memory_left: usize) -> bool {
        let reserve = match self.retention {
            // What is not dropped again must leave room for what comes in order, or nothing moves.
            Retention::Kept => KEPT_FREE.min(self.window.size() / 8),
            // The highest leaves room for what fills the gaps below it. Some peers, sctp-proto among
            // them, never send again what was acknowledged and then dropped.
            Retention::Selective if self.highest().is_none_or(|highest| highest < at) => {
                (self.window.size() / 16).min(memory_left / 4)
            }
            Retention::Selective | Retention::InOrder => 0,
        };
        let needed = needed + RUN_COST + self.tsns.memory() + reserve;
        self.make_room(at, needed, memory_left)
    }

    /// Makes `needed` bytes of room for the chunk `at`, if need be by dropping chunks beyond it
    /// (RFC 9260 §6.2).
    #[inline]
    pub(super) fn make_room(&mut self, at: u64, needed: usize, memory_left: usize) -> bool {
        self.window.room().min(memory_left) >= needed || self.drop_for(at, needed, memory_left)
    }

    #[cold]
    pub(super) fn drop_for(&mut self, at: u64, needed: usize, mut memory_left: usize) -> bool {
        while self.window.room().min(memory_left) < needed {
            self.work += 1;
            let before = self.window.buffered();
            let keeps = self.retention == Retention::Kept;
            if keeps || self.highest().is_none_or(|highest| highest < at) {
                return false;
            }
            self.renege();
            memory_left = memory_left.saturating_add(before - self.window.buffered());
        }
        true
    }

    /// Whether only the next chunk can free memory here: chunks beyond the gap, which are never
    /// dropped, wait for it, and nothing is there to be read. The endpoint's memory may be held by
    /// messages that wait for this chunk themselves, so it gets in all the same.
    #[cold]
    pub(super) fn is_stuck(&mut self) -> bool {
        self.retention == Retention::Kept
            && self.tsns.has_gaps()
            && self.window.room() > 0
            && !self.is_readable()
            && !self.offer_held()
    }

    /// Whether messages that must not be read before the end of another one fill the window, and only
    /// the next chunk brings that end nearer.
    #[cold]
    pub(super) fn is_starved(&self) -> bool {
        self.is_within_message() && self.assembly.len() == 0
    }

    /// Offers what there is of messages; whether there was anything.
    pub(super) fn offer_held(&mut self) -> bool {
        if self.extensions.interleaved.is_some() {
            return self.offer_any();
        }
        if self.assembly_is_in_turn() {
            self.assembly.offer();
        }
        self.assembly.is_offered()
    }

    /// The highest TSN that waits beyond a gap.
    pub(super) fn highest(&self) -> Option<u64> {
        match &self.extensions.interleaved {
            Some(state) => state.highest(),
            None => self.backlog.highest(),
        }
    }

    /// Drops the chunk of the highest TSN that waits beyond a gap.
    pub(super) fn renege(&mut self) {
        if self.extensions.interleaved.is_some() {
            return self.renege_interleaved();
        }
        let Some((at, chunk)) = self.backlog.pop_highest() else {
            return;
        };
        self.window.release(chunk.len(), CHUNK_OVERHEAD);
        self.tsns.renege(at);
        self.order.renege(chunk.label.stream, chunk.label.ssn, at);
        self.note_drop();
    }

    pub(super) fn note_drop(&mut self) {
        self.stats.dropped_for_memory = self.stats.dropped_for_memory.wrapping_add(1);
    }

    pub(super) fn refuse(&mut self) -> Arrival {
        self.note_drop();
        Arrival::NoRoom
    }

    /// There is no room for the next chunk, and the backlog is empty. If nothing is there to be
    /// read either, what there is of a message is offered; failing that, nothing can ever move.
    pub(super) fn refuse_next(&mut self) -> Result<Arrival, PeerFault> {
        if !self.is_readable() {
            if self.assembly_is_in_turn() {
                self.assembly.offer();
            } else if self.window.room() == 0 {
                return Err(PeerFault::SKIPPED_SSN);
            }
        }
        Ok(self.refuse())
    }
}
