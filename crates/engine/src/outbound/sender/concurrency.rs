//! SACK processing per path, and sending on several paths at once.

use super::Outbound;
use crate::Time;
use crate::congestion::Recovery;
use crate::flight::share::Digest;
use crate::path::Path;
use crate::value::ids::PathIndex;

impl Outbound {
    /// Whether new data leaves on several paths.
    #[inline]
    pub(crate) fn is_concurrent(&self) -> bool {
        self.extensions
            .get(|extensions| &extensions.concurrent)
            .is_some()
    }

    /// The path that last carried new data.
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

    /// Bytes of chunks last sent on the path and not cumulatively acknowledged.
    pub(crate) fn held(&self, path: PathIndex) -> u64 {
        let concurrent = self.extensions.concurrent.as_ref();
        concurrent
            .and_then(|concurrent| concurrent.state(path))
            .map_or(0, |state| state.held)
    }

    /// Whether a retransmission must leave before new data on the path: any retransmission if paths
    /// are used one at a time (RFC 9260 §6.1 C), otherwise one for this path.
    #[inline]
    pub(crate) fn repeats_first(&self, path: PathIndex) -> bool {
        if self.is_concurrent() {
            self.first_marked_on(path).is_some()
        } else {
            self.ring.first_marked_seq().is_some() && !self.scouts_with_new()
        }
    }

    /// The next chunk to be retransmitted on the path. Unless paths are used concurrently, this is
    /// the oldest marked chunk, if it goes to the path.
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

    /// Whether a SACK is older than one already processed that came on a faster path: it only takes
    /// back acknowledgements younger than the longest round trip.
    ///
    /// A receiver that reneged repeats this in a later SACK.
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

    /// Notes the next expected chunk of each path before a SACK is applied.
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

    /// Ends Fast Recovery on repaired paths after a SACK was applied.
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

    /// The SACK's digest for one path: with concurrent paths, its own pseudo-cumulative
    /// acknowledgement (CUC) and Fast Recovery.
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
