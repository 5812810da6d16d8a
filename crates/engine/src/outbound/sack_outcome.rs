//! The outcome of a SACK, for the association and for each of its paths.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::Outbound;
use super::loss_detection::LossDetector;
use crate::flight::share::{Digest, PathShare};
use crate::path::Path;
use crate::value::ids::PathIndex;

/// The effect of a SACK: on the association, and each path's share of it. The sender
/// [takes it back](Outbound::take_back) once it is applied, so that SACKs allocate nothing.
#[derive(Debug)]
pub(crate) struct SackOutcome {
    pub(crate) digest: Digest,
    /// On the heap, so that an idle sender keeps a pointer and no more.
    pub(super) shares: Box<Shares>,
}

/// The shares of all paths, in the order of the paths.
#[derive(Clone, Debug, Default)]
pub(super) struct Shares(Vec<PathShare>);

impl SackOutcome {
    /// The share of a path; one without effect if there is no such path.
    pub(crate) fn share(&self, path: PathIndex) -> PathShare {
        let share = self.shares.0.get(usize::from(path.0));
        share.copied().unwrap_or(PathShare::new(0))
    }
}

impl Shares {
    /// The share of a path, to be changed.
    #[inline]
    pub(super) fn get_mut(&mut self, path: PathIndex) -> Option<&mut PathShare> {
        self.0.get_mut(usize::from(path.0))
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut PathShare> {
        self.0.iter_mut()
    }

    /// A chunk that was last sent on `path` was found lost by gap reports.
    pub(super) fn on_loss_reported(&mut self, path: PathIndex, seq: u64) {
        if let Some(share) = self.get_mut(path) {
            share.on_loss_reported(seq);
        }
    }

    /// Whether a loss was found on each path, in order.
    pub(super) fn losses(&self) -> impl Iterator<Item = bool> + '_ {
        self.0.iter().map(|share| share.lost_below > 0)
    }

    /// Bytes newly acknowledged on each path, in order.
    pub(super) fn acked(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.iter().map(|share| share.acked)
    }

    /// Bytes on the heap.
    pub(super) const fn footprint(&self) -> usize {
        size_of::<Self>() + self.0.capacity() * size_of::<PathShare>()
    }
}

impl Outbound {
    /// Begins the share of each path in the SACK to digest.
    pub(super) fn begin_shares(&mut self, paths: &[Path]) -> Box<Shares> {
        if self.is_concurrent() {
            self.begin_paths(paths);
            self.detector.on_sack_begun();
        }
        let mut shares = self.shares.take().unwrap_or_default();
        let fresh = paths.iter().map(|path| PathShare::new(path.flow.flight()));
        shares.0.extend(fresh);
        shares
    }

    /// Completes the shares: the oldest chunks in flight may be others than before.
    pub(super) fn settle(&mut self, paths: &mut [Path], shares: &mut Shares) {
        let all = paths.iter_mut().zip(shares.iter_mut());
        for (index, (path, share)) in (0..).map(PathIndex).zip(all) {
            let moved = self.ring.settle_earliest(index, &mut path.flow);
            share.earliest_moved = moved && share.acked > 0;
        }
        if self.is_concurrent() {
            self.settle_paths(paths);
        }
    }

    /// Takes back an outcome that was applied, whose memory the next one uses.
    pub(crate) fn take_back(&mut self, outcome: SackOutcome) {
        let mut shares = outcome.shares;
        shares.0.clear();
        self.shares = Some(shares);
    }
}
