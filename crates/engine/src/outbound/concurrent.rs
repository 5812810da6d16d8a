//! Sender state for each path when data leaves on several of them at a time (Iyengar, Amer
//! and Stewart 2006): pseudo-cumulative acknowledgements and Fast Recovery path by path, and what
//! each path has in the buffers.

mod path;

use alloc::boxed::Box;
use alloc::vec::Vec;

use self::path::ConcurrentPath;
use super::Outbound;
use super::sack_outcome::Shares;
use crate::congestion::{Cumulative, Recovery};
use crate::flight::flow::Flow;
use crate::flight::sent::{ChunkState, Sent};
use crate::flight::share::Digest;
use crate::path::Path;
use crate::value::ids::PathIndex;
use crate::{Multipath, Time};

/// The paths as the sender of new data sees them.
#[derive(Clone, Debug, Default)]
pub(super) struct ConcurrentPaths {
    paths: Vec<ConcurrentPath>,
    /// The path that new data left on last.
    turn: Option<PathIndex>,
    /// When a SACK last told something new.
    fresh_at: Time,
}

impl ConcurrentPaths {
    pub(super) fn chosen(multipath: Multipath) -> Option<Box<Self>> {
        match multipath {
            Multipath::Off => None,
            Multipath::Concurrent(_) => Some(Box::default()),
        }
    }

    fn state(&self, path: PathIndex) -> Option<&ConcurrentPath> {
        self.paths.get(usize::from(path.0))
    }

    fn state_mut(&mut self, path: PathIndex) -> &mut ConcurrentPath {
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

    /// A chunk that was last sent on `from` leaves on `to`.
    pub(super) fn on_moved(&mut self, bytes: u64, from: PathIndex, to: PathIndex) {
        let state = self.state_mut(from);
        state.held = state.held.saturating_sub(bytes);
        self.state_mut(to).held += bytes;
    }

    /// There is no path of that number any more.
    pub(super) fn forget_path(&mut self, gone: PathIndex) {
        *self.state_mut(gone) = ConcurrentPath::default();
    }

    /// Losses on that path count as repaired.
    pub(super) fn leave_recovery(&mut self, path: PathIndex) {
        self.state_mut(path).leave_recovery();
    }

    /// Whether that path is repairing a loss.
    pub(super) fn recovery(&self, path: PathIndex) -> Recovery {
        self.state(path)
            .map_or(Recovery::Open, ConcurrentPath::recovery)
    }

    /// Losses were found on those paths whose shares say so: until `until` they are repaired.
    pub(super) fn enter_recovery(&mut self, until: u64, shares: &Shares) {
        for (index, is_lossy) in (0..).map(PathIndex).zip(shares.losses()) {
            if is_lossy {
                self.state_mut(index).enter_recovery(until);
            }
        }
    }

    /// Whether the oldest chunk of its kind on that path was acknowledged by the SACK at hand.
    pub(super) fn cumulative(&self, path: PathIndex) -> Cumulative {
        self.state(path)
            .map_or(Cumulative::Unmoved, ConcurrentPath::cumulative)
    }

    /// Bytes on the heap.
    pub(super) fn footprint(&self) -> usize {
        size_of::<Self>() + self.paths.capacity() * size_of::<ConcurrentPath>()
    }
}

impl Outbound {
    /// Whether new data leaves on several paths.
    #[inline]
    pub(crate) fn is_concurrent(&self) -> bool {
        self.extensions
            .get(|extensions| &extensions.concurrent)
            .is_some()
    }

    /// The path that new data left on last.
    pub(crate) fn last_path(&self) -> Option<PathIndex> {
        self.extensions.concurrent.as_ref()?.turn
    }

    /// `bytes` of new chunks left on a path.
    #[inline(always)] // Nothing to do where there are no concurrent paths.
    pub(crate) fn note_new(&mut self, path: PathIndex, bytes: u64) {
        if let Some(concurrent) = self.extensions.concurrent() {
            concurrent.turn = Some(path);
            concurrent.state_mut(path).held += bytes;
        }
    }

    /// Bytes of chunks that were last sent on a path and are not cumulatively acknowledged.
    pub(crate) fn held(&self, path: PathIndex) -> u64 {
        let concurrent = self.extensions.concurrent.as_ref();
        concurrent
            .and_then(|concurrent| concurrent.state(path))
            .map_or(0, |state| state.held)
    }

    /// Whether something has to be sent again before new data may leave on that path: whatever it
    /// is where paths are used one at a time (RFC 9260 §6.1 C), else what is to go there.
    #[inline]
    pub(crate) fn repeats_first(&self, path: PathIndex) -> bool {
        if self.is_concurrent() {
            self.first_marked_on(path).is_some()
        } else {
            self.ring.first_marked_seq().is_some() && !self.scouts_with_new()
        }
    }

    /// The next chunk to be sent again on that path: the first of all, unless paths are used
    /// concurrently, if it is to go there.
    pub(super) fn first_marked_on(&self, path: PathIndex) -> Option<u64> {
        if self.scouts_with_new() {
            return None;
        }
        if let Some(seq) = self.scout_on(path) {
            return Some(seq);
        }
        if self.is_concurrent() {
            self.ring.first_marked_onto(path)
        } else {
            self.ring
                .first_marked_seq()
                .filter(|seq| self.ring.get(*seq).is_some_and(|c| c.next_path == path))
        }
    }

    /// Whether a SACK is older than one already seen, which came by a quicker path: it only takes
    /// back what was acknowledged less than the longest round trip ago.
    ///
    /// A receiver that has dropped something says so again, with something new or later.
    pub(super) fn is_overtaken(&mut self, now: Time, advance: u64, paths: &[Path]) -> bool {
        let Some(concurrent) = self.extensions.concurrent() else {
            return false;
        };
        if advance > 0 || self.acked.newly().next().is_some() {
            concurrent.fresh_at = now;
            return false;
        }
        if self.acked.reneged().next().is_none() {
            return false;
        }
        let round_trips = paths.iter().filter_map(|path| path.rto.srtt());
        let recent = round_trips
            .max()
            .is_some_and(|longest| now.since(concurrent.fresh_at) <= longest);
        if recent {
            self.acked.forget_last();
        }
        recent
    }

    /// A SACK is about to be digested: the next expected chunk of each path is known before.
    pub(super) fn begin_paths(&mut self, paths: &[Path]) {
        let Some(concurrent) = self.extensions.concurrent() else {
            return;
        };
        for (index, path) in (0..).map(PathIndex).zip(paths) {
            let state = concurrent.state_mut(index);
            let expected = self.ring.expected_on(index, state.expected());
            state.begin(expected, self.ring.earliest_on(index, &path.flow));
        }
    }

    /// A SACK has been digested: paths whose losses are repaired leave Fast Recovery.
    pub(super) fn settle_paths(&mut self, paths: &[Path]) {
        let Some(concurrent) = self.extensions.concurrent() else {
            return;
        };
        for (index, path) in (0..).map(PathIndex).zip(paths) {
            let state = concurrent.state_mut(index);
            if state.recovery() == Recovery::Open {
                continue;
            }
            let marked = self.ring.first_marked_from(index);
            let oldest = path.flow.earliest().into_iter().chain(marked).min();
            state.on_oldest(oldest);
        }
    }

    /// The part of a SACK for one path: its own pseudo-cumulative acknowledgement (CUC) and its own
    /// Fast Recovery, where paths are used concurrently.
    #[inline]
    pub(crate) fn digest_of(&self, index: PathIndex, digest: &Digest) -> Digest {
        let concurrent = self.extensions.get(|extensions| &extensions.concurrent);
        match concurrent.and_then(|concurrent| concurrent.state(index)) {
            None => *digest,
            Some(state) => Digest {
                cumulative: state.cumulative(),
                recovery: state.was(),
                ..*digest
            },
        }
    }
}

impl super::Ring {
    /// The oldest chunk in flight on a path that was sent once, which its pseudo-cumulative
    /// acknowledgement awaits; `from` is a chunk that it does not lie before.
    fn expected_on(&self, path: PathIndex, from: u64) -> u64 {
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
    fn earliest_on(&self, path: PathIndex, flow: &Flow) -> Option<u64> {
        let seqs = flow.earliest()?.max(self.first_seq())..self.next_seq();
        seqs.into_iter().find(|seq| {
            self.get(*seq)
                .is_some_and(|chunk| chunk.path == path && chunk.state == ChunkState::InFlight)
        })
    }
}

/// Whether the oldest chunk of its kind on a path was acknowledged.
const fn cumulative(advanced: bool) -> Cumulative {
    if advanced {
        Cumulative::Advanced
    } else {
        Cumulative::Unmoved
    }
}
