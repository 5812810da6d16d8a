//! Room for arriving chunks: which stored chunks are dropped, and which arriving ones refused (RFC
//! 9260 §6.2).

use sheave_wire::StreamId;

use super::tsn_tracker::RUN_COST;
use super::window::CHUNK_OVERHEAD;
use super::{Arrival, Inbound, Retention};
use crate::value::error::PeerFault;

/// Bytes that chunks beyond a gap leave free if they are never dropped: room for two chunks and
/// their messages' overhead. With small buffers, an eighth of the window at most.
const KEPT_FREE: usize = 4 << 10;

/// Bytes beyond the window for a message of key managers.
const KEYS_ROOM: usize = 64 << 10;

impl Inbound {
    /// Makes room as [`make_room`](Self::make_room) does, for a chunk beyond a gap. The TSN records
    /// count against this chunk's room but not against the next in-order chunk's, which must always
    /// get in.
    pub(super) fn make_room_beyond(&mut self, at: u64, needed: usize, memory_left: usize) -> bool {
        let reserve = match self.retention {
            // Chunks that are never dropped must leave room for in-order data, or the association
            // deadlocks.
            Retention::Kept => KEPT_FREE.min(self.window.size() / 8),
            // The highest TSN leaves room for chunks that fill the gaps below it. Some peers, such
            // as sctp-proto, never retransmit a chunk that was acknowledged and then dropped.
            Retention::Selective if self.highest().is_none_or(|highest| highest < at) => {
                (self.window.size() / 16).min(memory_left / 4)
            }
            Retention::Selective | Retention::InOrder => 0,
        };
        let needed = needed + RUN_COST + self.tsns.memory() + reserve;
        self.make_room(at, needed, memory_left)
    }

    /// Makes `needed` bytes of room for the chunk `at`, dropping chunks with higher TSNs if
    /// necessary (RFC 9260 §6.2).
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

    /// Whether only the next chunk can free memory: the chunks beyond the gap are never dropped,
    /// they wait for it, and nothing is readable. Messages waiting for this chunk may hold all of
    /// the endpoint's memory, so the chunk is admitted regardless. Or they wait for key managers.
    #[cold]
    pub(super) fn is_stuck(&mut self) -> bool {
        let is_kept_back = self.retention == Retention::Kept
            && self.tsns.has_gaps()
            && self.window.room() > 0
            && !self.is_readable()
            && !self.offer_held();
        is_kept_back || self.awaits_keys()
    }

    /// Whether the window is full of messages that must wait for the end of a partial delivery,
    /// which only the next chunk brings closer.
    #[cold]
    pub(super) fn is_starved(&self) -> bool {
        self.is_within_message() && self.assembly.len() == 0
    }

    /// Whether the window is full of messages that wait for one of key managers, of which a part is
    /// stored. Users cannot make room for its rest: it is never delivered in parts.
    #[cold]
    fn awaits_keys(&self) -> bool {
        let first = StreamId(0);
        let part = match &self.extensions.interleaved {
            Some(state) => state.next_ppid(first).map(|ppid| (first, ppid)),
            None => (self.assembly.label()).map(|label| (label.stream, label.ppid)),
        };
        part.is_some_and(|(stream, ppid)| self.keeps_whole(stream, ppid))
            && self.window.buffered() < self.window.size() + KEYS_ROOM
            && !self.is_readable()
    }

    /// Makes incomplete messages available in parts; returns whether there were any.
    pub(super) fn offer_held(&mut self) -> bool {
        if self.extensions.interleaved.is_some() {
            return self.offer_any();
        }
        self.offer_assembly();
        self.assembly.is_offered()
    }

    /// The highest TSN stored beyond a gap.
    pub(super) fn highest(&self) -> Option<u64> {
        match &self.extensions.interleaved {
            Some(state) => state.highest(),
            None => self.backlog.highest(),
        }
    }

    /// Drops the chunk with the highest TSN stored beyond a gap.
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

    /// Refuses the next chunk when there is no room and the backlog is empty. If nothing is
    /// readable, makes the incomplete message available; if that is impossible and the window is
    /// full, the association is deadlocked, which is the peer's fault.
    pub(super) fn refuse_next(&mut self) -> Result<Arrival, PeerFault> {
        if !self.is_readable() && !self.offer_assembly() && self.window.room() == 0 {
            return Err(PeerFault::SKIPPED_SSN);
        }
        Ok(self.refuse())
    }
}
