//! The outcome of a SACK, for the association and for each of its paths.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::flight::share::{Digest, PathShare};
use crate::value::ids::PathIndex;

/// The effect of a SACK on the association and on each path. Once applied, the sender [takes it
/// back](super::Outbound::take_back), so that SACKs allocate nothing.
#[derive(Debug)]
pub(crate) struct SackOutcome {
    pub(crate) digest: Digest,
    /// Boxed, so that an idle sender holds only a pointer.
    pub(super) shares: Box<Shares>,
}

/// The shares of all paths, indexed by path.
#[derive(Clone, Debug, Default)]
pub(super) struct Shares(pub(super) Vec<PathShare>);

impl SackOutcome {
    /// The share of a path; an empty one if there is no such path.
    pub(crate) fn share(&self, path: PathIndex) -> PathShare {
        let share = self.shares.0.get(usize::from(path.0));
        share.copied().unwrap_or(PathShare::new(0))
    }
}

impl Shares {
    /// Mutable access to the share of a path.
    #[inline]
    pub(super) fn get_mut(&mut self, path: PathIndex) -> Option<&mut PathShare> {
        self.0.get_mut(usize::from(path.0))
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut PathShare> {
        self.0.iter_mut()
    }

    /// Gap reports showed the loss of a chunk last sent on `path`.
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
