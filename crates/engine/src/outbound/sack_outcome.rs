//! The outcome of a SACK, for the association and for each of its paths.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::time::Duration;

use super::loss_detection::LossDetector;
use super::ring::{ChunkState, Sent};
use super::{Digest, Outbound};
use crate::Time;
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

/// The effect of a SACK on a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathShare {
    pub(crate) flight_before: u64,
    /// Bytes newly acknowledged.
    pub(crate) acked: u64,
    /// The best sign of life among these.
    pub(crate) sign: SignOfLife,
    /// A round trip that ended with this SACK.
    pub(crate) round_trip: Option<Duration>,
    /// When the last of these left that were sent once.
    pub(crate) sent_at: Option<Time>,
    /// The oldest chunk in flight on the path was acknowledged (RFC 9260 §6.3.2 R3).
    pub(crate) earliest_moved: bool,
    /// The chunk after the newest of those that were found lost by gap reports; 0 if none was.
    pub(crate) lost_below: u64,
}

/// Evidence in an acknowledgement that the path works on which its chunk was last sent (RFC 9260
/// §8.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SignOfLife {
    /// Nothing: the chunk timed out there, and may have arrived before the path died.
    None,
    /// The chunk was sent before, perhaps elsewhere, and that may be what arrived.
    Ambiguous,
    /// The chunk was sent there and nowhere else.
    Sure,
}

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

impl PathShare {
    pub(crate) const fn new(flight_before: u64) -> Self {
        Self {
            flight_before,
            acked: 0,
            sign: SignOfLife::None,
            round_trip: None,
            sent_at: None,
            earliest_moved: false,
            lost_below: 0,
        }
    }

    /// A chunk that was last sent on the path was acknowledged for the first time.
    #[inline]
    pub(crate) fn on_acked(&mut self, chunk: &Sent, round_trip: Option<Duration>) {
        self.acked += chunk.wire_len();
        self.round_trip = round_trip.or(self.round_trip);
        self.sign = self.sign.max(SignOfLife::of(chunk));
        if chunk.is_first_transmission() {
            self.sent_at = self.sent_at.max(Some(chunk.sent_at));
        }
    }

    pub(super) fn on_loss_reported(&mut self, seq: u64) {
        self.lost_below = self.lost_below.max(seq + 1);
    }
}

impl SignOfLife {
    // RFC 9260 §8.2 leaves it to us to whom an ambiguous acknowledgement is credited.
    const fn of(chunk: &Sent) -> Self {
        match chunk.state {
            ChunkState::InFlight if chunk.is_first_transmission() => Self::Sure,
            ChunkState::InFlight | ChunkState::MarkedFast => Self::Ambiguous,
            _ => Self::None,
        }
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
