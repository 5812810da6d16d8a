use sheave_wire::Sack;

use super::super::acked::AckedRanges;
use super::super::concurrent::ConcurrentPaths;
use super::super::partial::Partial;
use super::super::ring::Ring;
use super::super::sack_outcome::Shares;
use super::super::sender_parts::SenderParts;
use crate::Time;
use crate::congestion::{Cumulative, Recovery};
use crate::flight::sent::ChunkState;
use crate::outbound::fast_recovery::FastRecovery;
use crate::path::Path;

/// A SACK whose acknowledgements have all been applied.
#[derive(Clone, Copy, Debug)]
pub(in crate::outbound) struct AppliedSack<'a> {
    pub(in crate::outbound) sack: &'a Sack<'a>,
    /// The newest chunk this SACK was the first to acknowledge.
    pub(in crate::outbound) newest: Option<u64>,
    pub(in crate::outbound) cumulative: Cumulative,
    /// Whether Fast Recovery was in progress when the SACK came.
    pub(in crate::outbound) was: Recovery,
}

/// The parts of the sender that a loss search reads and changes.
#[derive(Debug)]
pub(in crate::outbound) struct Search<'a> {
    pub(in crate::outbound) now: Time,
    /// Miss indications after which a chunk is lost, 1 to 4.
    pub(in crate::outbound) needed: u8,
    pub(in crate::outbound) ring: &'a mut Ring,
    pub(in crate::outbound) acked: &'a AckedRanges,
    pub(in crate::outbound) extensions: Option<&'a mut SenderParts>,
    pub(in crate::outbound) fast_recovery: &'a mut FastRecovery,
    pub(in crate::outbound) paths: &'a mut [Path],
    pub(in crate::outbound) shares: &'a mut Shares,
}

impl Search<'_> {
    pub(super) fn recovery(&self) -> Recovery {
        self.fast_recovery.recovery()
    }

    /// Per-path state, if new data leaves on several paths.
    pub(super) fn concurrent(&self) -> Option<&ConcurrentPaths> {
        self.extensions.as_ref()?.concurrent.as_deref()
    }

    /// Marks a chunk in flight for retransmission.
    pub(super) fn mark(&mut self, seq: u64) {
        let partial = self.extensions.as_deref_mut();
        let partial = partial.and_then(|extensions| extensions.partial.as_deref_mut());
        mark(self.ring, partial, self.paths, seq, ChunkState::MarkedFast);
    }

    /// Enters Fast Recovery until everything outstanding is acknowledged.
    pub(super) fn enter_recovery(&mut self) {
        *self.fast_recovery = FastRecovery::before(self.ring.next_seq());
    }

    /// Enters Fast Recovery on each path with a loss in the shares; everything outstanding there is
    /// repaired before its window grows again.
    pub(super) fn enter_path_recoveries(&mut self) {
        let concurrent = self.extensions.as_deref_mut();
        let concurrent = concurrent.and_then(|extensions| extensions.concurrent.as_deref_mut());
        if let Some(concurrent) = concurrent {
            concurrent.enter_recovery(self.ring.next_seq(), self.shares);
        }
    }
}

/// Marks a chunk in flight for retransmission.
pub(in crate::outbound) fn mark(
    ring: &mut Ring,
    partial: Option<&mut Partial>,
    paths: &mut [Path],
    seq: u64,
    as_state: ChunkState,
) {
    if let Some(chunk) = ring.mark(seq, as_state) {
        if let Some(partial) = partial {
            partial.suspect(seq);
        }
        if let Some(path) = paths.get_mut(usize::from(chunk.path.0)) {
            path.on_marked(&chunk, as_state, seq);
        }
    }
}
