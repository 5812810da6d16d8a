//! Per-path sender state while data leaves on several paths at once (Iyengar, Amer and Stewart
//! 2006): pseudo-cumulative acknowledgements, Fast Recovery, and the bytes each path has in the
//! buffers.

mod path;

use alloc::boxed::Box;
use alloc::vec::Vec;

use self::path::ConcurrentPath;
use super::sack_outcome::Shares;
use crate::congestion::{Cumulative, Recovery};
use crate::flight::flow::Flow;
use crate::flight::sent::{ChunkState, Sent};
use crate::outbound::ring::Ring;
use crate::value::ids::PathIndex;
use crate::{Multipath, Time};

/// Sender state of all paths, for new data.
#[derive(Clone, Debug, Default)]
pub(super) struct ConcurrentPaths {
    paths: Vec<ConcurrentPath>,
    /// The path that last carried new data.
    pub(super) turn: Option<PathIndex>,
    /// Arrival of the last SACK with new information.
    pub(super) fresh_at: Time,
}

impl ConcurrentPaths {
    pub(super) fn chosen(multipath: Multipath) -> Option<Box<Self>> {
        match multipath {
            Multipath::Off => None,
            Multipath::Concurrent(_) => Some(Box::default()),
        }
    }

    pub(super) fn state(&self, path: PathIndex) -> Option<&ConcurrentPath> {
        self.paths.get(usize::from(path.0))
    }

    pub(super) fn state_mut(&mut self, path: PathIndex) -> &mut ConcurrentPath {
        let index = usize::from(path.0);
        if index >= self.paths.len() {
            self.paths.resize_with(index + 1, ConcurrentPath::default);
        }
        &mut self.paths[index]
    }

    /// A chunk was acknowledged for the first time.
    pub(super) fn on_delivered(&mut self, chunk: &Sent, seq: u64) {
        self.state_mut(chunk.path).on_delivered(chunk, seq);
    }

    /// A chunk left the ring.
    pub(super) fn on_popped(&mut self, chunk: &Sent) {
        let state = self.state_mut(chunk.path);
        state.held = state.held.saturating_sub(chunk.wire_len());
    }

    /// A chunk last sent on `from` leaves on `to`.
    pub(super) fn on_moved(&mut self, bytes: u64, from: PathIndex, to: PathIndex) {
        let state = self.state_mut(from);
        state.held = state.held.saturating_sub(bytes);
        self.state_mut(to).held += bytes;
    }

    /// The path with this number was removed.
    pub(super) fn forget_path(&mut self, gone: PathIndex) {
        *self.state_mut(gone) = ConcurrentPath::default();
    }

    /// Ends Fast Recovery on the path.
    pub(super) fn leave_recovery(&mut self, path: PathIndex) {
        self.state_mut(path).leave_recovery();
    }

    /// Whether the path is in Fast Recovery.
    pub(super) fn recovery(&self, path: PathIndex) -> Recovery {
        self.state(path)
            .map_or(Recovery::Open, ConcurrentPath::recovery)
    }

    /// Starts Fast Recovery, up to chunk `until`, on each path with a loss in `shares`.
    pub(super) fn enter_recovery(&mut self, until: u64, shares: &Shares) {
        for (index, is_lossy) in (0..).map(PathIndex).zip(shares.losses()) {
            if is_lossy {
                self.state_mut(index).enter_recovery(until);
            }
        }
    }

    /// Whether the current SACK advanced the path's pseudo-cumulative acknowledgement.
    pub(super) fn cumulative(&self, path: PathIndex) -> Cumulative {
        self.state(path)
            .map_or(Cumulative::Unmoved, ConcurrentPath::cumulative)
    }

    /// Bytes on the heap.
    pub(super) fn footprint(&self) -> usize {
        size_of::<Self>() + self.paths.capacity() * size_of::<ConcurrentPath>()
    }
}

impl Ring {
    /// The oldest chunk in flight on the path that was sent only once: the next one its
    /// pseudo-cumulative acknowledgement needs. No such chunk lies before `from`.
    pub(super) fn expected_on(&self, path: PathIndex, from: u64) -> u64 {
        let from = from.max(self.first_seq());
        let mut seqs = from..self.next_seq();
        let found = seqs.find(|seq| {
            self.get(*seq).is_some_and(|chunk| {
                chunk.path == path
                    && chunk.state == ChunkState::InFlight
                    && chunk.is_first_transmission()
            })
        });
        found.unwrap_or(self.next_seq())
    }

    /// The oldest chunk in flight on a path.
    pub(super) fn earliest_on(&self, path: PathIndex, flow: &Flow) -> Option<u64> {
        let seqs = flow.earliest()?.max(self.first_seq())..self.next_seq();
        seqs.into_iter().find(|seq| {
            self.get(*seq)
                .is_some_and(|chunk| chunk.path == path && chunk.state == ChunkState::InFlight)
        })
    }
}

/// Converts a flag to `Cumulative`.
const fn cumulative(advanced: bool) -> Cumulative {
    if advanced {
        Cumulative::Advanced
    } else {
        Cumulative::Unmoved
    }
}
