//! SACK processing: `classify` the gap blocks, then apply them (RFC 9260 §6.2.1, §7.2.4).

use super::Outbound;
use crate::outbound::loss_detection::LossDetector;
use alloc::boxed::Box;

use sheave_wire::{Sack, Tsn};

use crate::Time;
use crate::congestion::Cumulative;
use crate::flight::sent::{ChunkState, Sent};
use crate::flight::share::{Digest, PathShare, Reports};
use crate::outbound::fast_recovery::FastRecovery;
use crate::outbound::loss_detection::mark;
use crate::outbound::loss_detection::search::AppliedSack;
use crate::outbound::sack_outcome::{SackOutcome, Shares};
use crate::path::Path;
use crate::value::error::PeerFault;
use crate::value::ids::PathIndex;

impl Outbound {
    /// Processes a SACK: checks it completely, then applies it (RFC 9260 §6.2.1, §7.2.4). Returns
    /// its effect on the association and on each path.
    ///
    /// Returns `None` for a SACK older than one already processed, unless it reports copies. If a
    /// gap block is invalid, or the peer reneges and acknowledges too often, the Cumulative TSN Ack
    /// and the window still count, as those of a SHUTDOWN and an INIT ACK do: they are valid by
    /// themselves, and ignoring them would stall the association.
    ///
    /// A late SACK of data that an earlier handshake took back is ignored.
    pub(crate) fn on_sack(
        &mut self,
        now: Time,
        sack: &Sack<'_>,
        from: PathIndex,
        paths: &mut [Path],
    ) -> Result<Option<SackOutcome>, PeerFault> {
        self.apply_sack(now, sack, from, paths).or_else(|fault| {
            let reported = sack.gap_blocks.iter().map(|block| block.end).max();
            let newest = sack.cumulative_tsn_ack.plus(reported.unwrap_or(0).into());
            match self.ring.has_recalled(newest) {
                true => Ok(None),
                false => Err(fault),
            }
        })
    }

    fn apply_sack(
        &mut self,
        now: Time,
        sack: &Sack<'_>,
        from: PathIndex,
        paths: &mut [Path],
    ) -> Result<Option<SackOutcome>, PeerFault> {
        let Some(advance) = self.ring.cumulative_advance(sack.cumulative_tsn_ack)? else {
            return Ok(self.take_duplicates(now, sack, from, paths));
        };
        let base = self.ring.first_seq() + advance;
        let quiet = sack.gap_blocks.is_empty() && self.acked.is_quiet();
        let next = self.ring.next_seq();
        self.work += sack.gap_blocks.len() as u64;
        if !quiet && !self.acked.classify(base, next, &sack.gap_blocks)? {
            self.tell_window(sack.a_rwnd);
            return Ok(Some(self.take_cumulative(now, base, from, paths)));
        }
        if self.is_concurrent() && self.is_overtaken(now, advance, paths) {
            return Ok(self.take_duplicates(now, sack, from, paths));
        }
        let mut shares = self.begin_shares(paths);
        let recovery = self.recovery();
        let mut newest = self.acknowledge_up_to(base, (now, from), paths, &mut shares);
        newest = self
            .acknowledge_gaps((now, from), paths, &mut shares)
            .max(newest);
        if !quiet {
            self.resume_reneged(paths);
        }
        if self.has_copies() {
            self.credit_duplicates(now, sack, from, paths, &mut shares);
        }
        let cumulative = if advance > 0 {
            Cumulative::Advanced
        } else {
            Cumulative::Unmoved
        };
        if let FastRecovery::In { until } = self.fast_recovery
            && base >= until.get()
        {
            self.fast_recovery = FastRecovery::Out;
        }
        if newest.is_some() || advance > 0 {
            self.on_scout_answered();
        } else {
            self.on_scout_refused();
        }
        let narrowed = self.told_rwnd.saturating_sub(sack.a_rwnd);
        self.tell_window(sack.a_rwnd);
        let is_news = newest.is_some() || cumulative == Cumulative::Advanced;
        if !is_news {
            self.note_refusal(base, from);
        }
        if !quiet {
            let unreported = if is_news { 0 } else { narrowed };
            self.note_unreported(unreported.into(), from, paths, &shares);
        }
        self.on_probe_answer(base, from, paths);
        let applied = AppliedSack {
            sack,
            newest,
            cumulative,
            was: recovery,
        };
        let entered_recovery = self.find_losses(now, &applied, paths, &mut shares);
        self.settle(paths, &mut shares);
        let digest = Digest {
            cumulative,
            recovery,
            entered_recovery,
            reports: Reports::Taken,
        };
        Ok(Some(SackOutcome { digest, shares }))
    }

    /// Accounts for `bytes` that reached the peer as the SACK implies without listing them. Loss
    /// detection by missing reports alone, to the letter of RFC 9260, does not use such data.
    fn note_unreported(
        &mut self,
        bytes: u64,
        from: PathIndex,
        paths: &mut [Path],
        shares: &Shares,
    ) {
        if !self.detector.goes_by_time() {
            return;
        }
        if self.acked.horizon().is_none() {
            paths.iter_mut().for_each(Path::forget_unreported);
            return;
        }
        for (path, acked) in paths.iter_mut().zip(shares.acked()) {
            path.on_reported(acked);
        }
        if bytes > 0
            && let Some(path) = paths.get_mut(usize::from(from.0))
        {
            path.on_unreported(bytes);
        }
    }

    fn tell_window(&mut self, a_rwnd: u32) {
        self.told_rwnd = a_rwnd;
        self.widest_rwnd = self.widest_rwnd.max(a_rwnd);
    }

    /// Processes the Cumulative TSN Ack of a SHUTDOWN chunk (RFC 9260 §9.2), which a peer may send
    /// instead of SACKs. It has no window, so the last advertised one stays in force.
    pub(crate) fn on_cumulative_ack(
        &mut self,
        now: Time,
        cumulative_tsn_ack: Tsn,
        from: PathIndex,
        paths: &mut [Path],
    ) -> Result<Option<SackOutcome>, PeerFault> {
        let Some(advance) = self.ring.cumulative_advance(cumulative_tsn_ack)? else {
            return Ok(None);
        };
        let base = self.ring.first_seq() + advance;
        Ok(Some(self.take_cumulative(now, base, from, paths)))
    }

    /// Acknowledges everything below `base`; earlier gap reports beyond it stay valid.
    fn take_cumulative(
        &mut self,
        now: Time,
        base: u64,
        from: PathIndex,
        paths: &mut [Path],
    ) -> SackOutcome {
        let advances = base > self.ring.first_seq();
        let mut shares = self.begin_shares(paths);
        let recovery = self.recovery();
        if !self.acked.is_quiet() {
            self.acked.forget_below(base);
        }
        self.acknowledge_up_to(base, (now, from), paths, &mut shares);
        self.resume_reneged(paths);
        if advances {
            self.on_scout_answered();
        }
        self.on_probe_answer(base, from, paths);
        self.settle(paths, &mut shares);
        let cumulative = if advances {
            Cumulative::Advanced
        } else {
            Cumulative::Unmoved
        };
        let digest = Digest {
            cumulative,
            recovery,
            entered_recovery: false,
            reports: Reports::Passed,
        };
        SackOutcome { digest, shares }
    }

    /// Removes everything below `base` from the ring. Returns the newest chunk that this SACK is
    /// the first to acknowledge.
    fn acknowledge_up_to(
        &mut self,
        base: u64,
        (now, from): (Time, PathIndex),
        paths: &mut [Path],
        shares: &mut Shares,
    ) -> Option<u64> {
        let mut newest = None;
        while self.ring.first_seq() < base {
            let seq = self.ring.first_seq();
            if let Some(buffers) = self.extensions.stream_buffers()
                && let Some((stream, bytes)) = self.ring.held(seq)
            {
                buffers.on_freed(stream, bytes);
            }
            let Some((chunk, released, done)) = self.ring.pop() else {
                break;
            };
            self.buffered = self.buffered.saturating_sub(released);
            if !chunk.is_resolved() {
                let answered = self.extensions.answered_copy(seq, chunk, from, paths);
                credit(&answered, seq, now, paths, shares);
                self.detector.on_delivered(&answered, seq, now);
                newest = Some(seq);
            }
            if let Some(extensions) = self.extensions.existing() {
                extensions.on_popped(&chunk, seq, done);
            }
        }
        newest
    }

    fn acknowledge_gaps(
        &mut self,
        (now, from): (Time, PathIndex),
        paths: &mut [Path],
        shares: &mut Shares,
    ) -> Option<u64> {
        let mut newest = None;
        for range in self.acked.newly() {
            self.work += range.end - range.start;
            for seq in range {
                if let Some(chunk) = self.ring.acknowledge(seq) {
                    let answered = self.extensions.answered_copy(seq, chunk, from, paths);
                    credit(&answered, seq, now, paths, shares);
                    self.detector.on_delivered(&answered, seq, now);
                    if let Some(extensions) = self.extensions.existing() {
                        extensions.on_delivered(&chunk, seq);
                    }
                    newest = Some(seq);
                }
            }
        }
        newest
    }

    // DEVIATION RFC 9260 §6.2.1 D iii: chunks that the peer reneged on are left to T3-rtx and get no
    // miss indication, which would need a count for each chunk.
    fn resume_reneged(&mut self, paths: &mut [Path]) {
        for range in self.acked.reneged() {
            self.work += range.end - range.start;
            for seq in range {
                let Some(chunk) = self.ring.renege(seq) else {
                    continue;
                };
                if let Some(path) = paths.get_mut(usize::from(chunk.path.0)) {
                    path.on_reneged(seq, chunk.wire_len());
                }
                self.detector.on_again(&chunk, seq);
            }
        }
    }

    pub(super) fn mark(&mut self, seq: u64, as_state: ChunkState, paths: &mut [Path]) {
        let partial = self.extensions.partial();
        mark(&mut self.ring, partial, paths, seq, as_state);
    }
}

/// Credits a newly acknowledged chunk to the path it was sent on.
#[inline(always)] // For each chunk.
pub(super) fn credit(chunk: &Sent, seq: u64, now: Time, paths: &mut [Path], shares: &mut Shares) {
    if let Some(path) = paths.get_mut(usize::from(chunk.path.0))
        && let Some(share) = shares.get_mut(chunk.path)
    {
        path.on_acked(chunk, seq, now, share);
    }
}

impl Outbound {
    /// Creates each path's share of the SACK.
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

    /// Completes the shares after the oldest chunks in flight may have changed.
    pub(super) fn settle(&mut self, paths: &mut [Path], shares: &mut Shares) {
        let copies = self.has_copies();
        let all = paths.iter_mut().zip(shares.iter_mut());
        for (index, (path, share)) in (0..).map(PathIndex).zip(all) {
            let moved = self.ring.settle_earliest(index, &mut path.flow);
            // The ring knows each chunk on one path; a copy elsewhere is older than the earliest there.
            let is_older = |earliest| share.oldest < earliest;
            let by_copy = copies && path.flow.earliest().is_none_or(is_older);
            share.earliest_moved = (moved || by_copy) && share.acked > 0;
        }
        if self.is_concurrent() {
            self.settle_paths(paths);
        }
    }

    /// Takes back an applied outcome to reuse its memory.
    pub(crate) fn take_back(&mut self, outcome: SackOutcome) {
        let mut shares = outcome.shares;
        shares.0.clear();
        self.shares = Some(shares);
    }
}
