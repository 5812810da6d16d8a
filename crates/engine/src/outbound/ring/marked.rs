//! Chunks of the ring that wait for retransmission.

use alloc::vec::Vec;

use super::Ring;
use crate::flight::sent::{ChunkState, Sent};
use crate::value::ids::PathIndex;

impl Ring {
    pub(crate) fn first_marked_seq(&self) -> Option<u64> {
        self.flight.marked.first().copied()
    }

    /// The oldest marked chunk to be retransmitted on the path.
    pub(crate) fn first_marked_onto(&self, path: PathIndex) -> Option<u64> {
        self.find_marked(|chunk| chunk.next_path == path)
    }

    /// The newest marked chunk to be retransmitted on the path.
    pub(crate) fn last_marked_onto(&self, path: PathIndex) -> Option<u64> {
        let mut marked = self.flight.marked.iter().rev().copied();
        marked.find(|seq| self.get(*seq).is_some_and(|chunk| chunk.next_path == path))
    }

    /// The oldest marked chunk last sent on the path.
    pub(crate) fn first_marked_from(&self, path: PathIndex) -> Option<u64> {
        self.find_marked(|chunk| chunk.path == path)
    }

    fn find_marked(&self, wanted: impl Fn(&Sent) -> bool) -> Option<u64> {
        let mut marked = self.flight.marked.iter().copied();
        marked.find(|seq| self.get(*seq).is_some_and(&wanted))
    }

    pub(crate) fn first_marked(&self) -> Option<&Sent> {
        self.get(self.first_marked_seq()?)
    }

    /// The chunks below `end` that timed out on the path and wait for retransmission there.
    pub(crate) fn marked_on(&self, path: PathIndex, end: u64) -> Vec<u64> {
        let marked = self.flight.marked.range(..end).copied();
        let timed_out = |seq: &u64| {
            self.get(*seq).is_some_and(|chunk| {
                chunk.state == ChunkState::Marked && (chunk.path, chunk.next_path) == (path, path)
            })
        };
        marked.filter(timed_out).collect()
    }

    /// Returns a timed-out chunk to flight without resending it.
    pub(crate) fn unmark(&mut self, seq: u64) -> Option<Sent> {
        let chunk = self.get_mut(seq)?;
        if chunk.state != ChunkState::Marked {
            return None;
        }
        chunk.state = ChunkState::InFlight;
        let chunk = *chunk;
        self.flight.unmark(seq, chunk.len);
        self.flight.bytes_in_flight += u32::from(chunk.len);
        Some(chunk)
    }
}
