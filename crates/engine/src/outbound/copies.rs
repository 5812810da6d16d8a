//! Copies of messages sent on every active path under the same TSN.
//!
//! Each copy counts as in flight on its path until a SACK shows that this copy arrived, an RTO
//! passes, or the path's T3-rtx expires. A SACK that acknowledges a chunk is credited to the copy
//! on the path it came by (RFC 9260 §6.4); a reported duplicate is credited to another copy.

use alloc::collections::{BTreeMap, VecDeque};

use sheave_wire::DataFlags;

use crate::Time;
use crate::congestion::Loss;
use crate::flight::sent::{ChunkState, Sent};
use crate::outbound::ring::Ring;
use crate::outbound::slot::{Overlong, Slot};
use crate::path::Path;
use crate::value::ids::PathIndex;

/// Most copies that wait for room on their paths; the oldest, which help least, are dropped.
const MOST_WAITING: usize = 1024;

#[derive(Clone, Debug, Default)]
pub(super) struct Copies {
    /// Copies still to be sent, in chunk order.
    waiting: VecDeque<(u64, PathIndex)>,
    /// Copies sent and not yet accounted for, each as if it were the only one.
    sent: BTreeMap<(u64, PathIndex), Sent>,
    reports: DuplicateReports,
    /// Time of each path's last window cut for a lost copy.
    cuts: BTreeMap<PathIndex, Time>,
}

/// Whether the peer reports duplicates; without reports the fate of a copy is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum DuplicateReports {
    #[default]
    Unseen,
    Seen,
}

impl Copies {
    /// A chunk leaves on `first`; queues a copy for each other active path.
    pub(super) fn on_launched(&mut self, seq: u64, first: PathIndex, paths: &[Path]) {
        for (index, path) in (0..).map(PathIndex).zip(paths) {
            if index != first && path.is_active() {
                self.waiting.push_back((seq, index));
            }
        }
        while self.waiting.len() > MOST_WAITING {
            self.waiting.pop_front();
        }
    }

    /// The path of the first copy that may help the peer and whose path has room.
    pub(super) fn destination(&self, ring: &Ring, paths: &[Path]) -> Option<PathIndex> {
        let has_room = |index: PathIndex| {
            let path = paths.get(usize::from(index.0));
            path.is_some_and(|path| path.is_active() && path.may_send())
        };
        let mut useful = self
            .waiting
            .iter()
            .filter(|(seq, index)| has_room(*index) && is_useful(ring, *seq, *index));
        useful.next().map(|(_, index)| *index)
    }

    /// Removes and returns the next copy for the path of `slot`, if it fits. Drops useless copies.
    pub(super) fn take(&mut self, slot: Slot, ring: &Ring) -> Option<u64> {
        let index = slot.path;
        self.waiting
            .retain(|(seq, onto)| *onto != index || is_useful(ring, *seq, index));
        let place = self.waiting.iter().position(|(_, onto)| *onto == index)?;
        let (seq, _) = *self.waiting.get(place)?;
        let fits = ring.get(seq)?.wire_len_unpadded() <= slot.room;
        if !fits && slot.overlong == Overlong::Refused {
            return None;
        }
        self.waiting.remove(place);
        Some(seq)
    }

    pub(super) fn waits_for(&self, index: PathIndex) -> bool {
        self.waiting.iter().any(|(_, onto)| *onto == index)
    }

    /// Whether all copies were sent.
    pub(super) fn have_left(&self) -> bool {
        self.waiting.is_empty()
    }

    /// A copy leaves.
    pub(super) fn on_sent(&mut self, seq: u64, chunk: &Sent, path: PathIndex, now: Time) {
        let copy = Sent {
            state: ChunkState::InFlight,
            path,
            retransmissions: 0,
            sent_at: now,
            ..*chunk
        };
        self.sent.insert((seq, path), copy);
    }

    /// A SACK that came by `from` acknowledged a chunk. Returns the copy that it answers. If the
    /// chunk itself left on another path, that transmission waits to be reported as a duplicate.
    pub(super) fn on_acked(
        &mut self,
        seq: u64,
        chunk: &Sent,
        from: PathIndex,
        paths: &mut [Path],
    ) -> Sent {
        if chunk.path == from {
            return *chunk;
        }
        let Some(answered) = self.sent.remove(&(seq, from)) else {
            return *chunk;
        };
        if chunk.state == ChunkState::InFlight {
            self.forget((seq, chunk.path), paths);
            self.sent.insert((seq, chunk.path), *chunk);
        }
        answered
    }

    /// The peer reported a chunk as a duplicate. Returns the copy to credit, preferably the one
    /// sent on the path the report came by.
    pub(super) fn on_duplicate(&mut self, seq: u64, from: PathIndex) -> Option<Sent> {
        self.reports = DuplicateReports::Seen;
        let of_chunk = (seq, PathIndex(0))..=(seq, PathIndex(u8::MAX));
        let first = self.sent.range(of_chunk).next().map(|(key, _)| *key)?;
        let own = self.sent.remove(&(seq, from));
        own.or_else(|| self.sent.remove(&first))
    }

    /// Forgets copies not accounted for within an RTO. If one was lost, cuts the window of its path
    /// as for a loss shown by gap reports, once for all data in flight together.
    pub(super) fn expire(&mut self, now: Time, paths: &mut [Path]) {
        while let Some((&(seq, index), copy)) = self.sent.first_key_value() {
            let Some(path) = paths.get_mut(usize::from(index.0)) else {
                self.sent.remove(&(seq, index));
                continue;
            };
            if copy.sent_at + path.rto.rto() > now {
                break;
            }
            let cut_at = self.cuts.get(&index).copied();
            if self.reports == DuplicateReports::Seen && cut_at.is_none_or(|at| at < copy.sent_at) {
                path.congestion.on_loss(now, Loss::GapReports);
                self.cuts.insert(index, now);
            }
            self.forget((seq, index), paths);
        }
    }

    /// Removes a copy from the flight of its path: its chunk leaves there again, or its fate is
    /// unknown.
    pub(super) fn forget(&mut self, key: (u64, PathIndex), paths: &mut [Path]) {
        if let Some(copy) = self.sent.remove(&key)
            && let Some(path) = paths.get_mut(usize::from(key.1.0))
        {
            path.on_marked(&copy, ChunkState::Marked, key.0);
        }
    }

    /// Forgets all copies sent on the path or queued for it.
    pub(super) fn forget_path(&mut self, gone: PathIndex) {
        self.waiting.retain(|(_, index)| *index != gone);
        self.sent.retain(|(_, index), _| *index != gone);
    }

    /// Forgets all copies: no SACK is to come.
    pub(super) fn forget_all(&mut self, paths: &mut [Path]) {
        while let Some(key) = self.sent.keys().next().copied() {
            self.forget(key, paths);
        }
    }

    /// Bytes on the heap.
    pub(super) fn footprint(&self) -> usize {
        size_of::<Self>()
            + self.waiting.capacity() * size_of::<(u64, PathIndex)>()
            + self.sent.len() * size_of::<((u64, PathIndex), Sent)>()
    }
}

/// Whether a copy sent on the path may bring the peer a chunk it lacks.
fn is_useful(ring: &Ring, seq: u64, onto: PathIndex) -> bool {
    let lacks = |chunk: &Sent| !chunk.is_resolved() && chunk.path != onto;
    ring.get(seq).is_some_and(lacks) && ring.data(seq, DataFlags::EMPTY).is_some()
}
