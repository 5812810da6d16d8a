//! What a SACK means: `classify` what it says, then apply it (RFC 9260 §6.2.1, §7.2.4).

use sheave_wire::{Sack, Tsn};

use super::probe::{Answer, Probe};
use super::ring::{ChunkState, Sent};
use super::{FastRecovery, Outbound};
use crate::Time;
use crate::congestion::{Cumulative, Recovery};
use crate::error::PeerFault;
use crate::path::{Path, PathIndex};

/// What a SACK did, beyond what stands in each path's [`Flow`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digest {
    pub(crate) cumulative: Cumulative,
    /// Whether the association was in Fast Recovery when the SACK came.
    pub(crate) recovery: Recovery,
    /// Fast Recovery began with this SACK.
    pub(crate) entered_recovery: bool,
}

impl Outbound {
    /// Digests a SACK: first checks all of it, then applies it (RFC 9260 §6.2.1, §7.2.4). What it
    /// means for each path stands in the path's flow afterwards.
    ///
    /// `None` for a SACK that is older than one already seen, or whose gap blocks make no sense.
    pub(crate) fn on_sack(
        &mut self,
        now: Time,
        sack: &Sack<'_>,
        paths: &mut [Path],
    ) -> Result<Option<Digest>, PeerFault> {
        let Some(advance) = self.ring.cumulative_advance(sack.cumulative_tsn_ack)? else {
            return Ok(None);
        };
        let base = self.ring.first_seq() + advance;
        let quiet = sack.gap_blocks.is_empty() && self.acked.is_quiet();
        let next = self.ring.next_seq();
        if !quiet && !self.acked.classify(base, next, &sack.gap_blocks)? {
            return Ok(None);
        }
        if self.is_concurrent() && self.is_overtaken(now, advance, paths) {
            return Ok(None);
        }
        self.begin_tallies(paths);
        let recovery = self.recovery();
        let mut newest = self.acknowledge_up_to(base, now, paths);
        newest = self.acknowledge_gaps(now, paths).max(newest);
        self.resume_reneged(paths);
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
        self.widest_rwnd = self.widest_rwnd.max(sack.a_rwnd);
        self.peer_rwnd = sack.a_rwnd.saturating_sub(self.ring.bytes_in_flight());
        if newest.is_none() && cumulative == Cumulative::Unmoved {
            self.note_refusal(base, sack.a_rwnd);
        }
        self.on_probe_answer(base, paths);
        let entered_recovery = match (&self.go_back_n, &self.rare.rack) {
            (Some(_), _) => self.go_back(cumulative, paths),
            (None, Some(_)) => self.find_losses(now, sack, recovery, paths),
            (None, None) if self.is_concurrent() => self.count_missing_by_lane(sack, paths),
            (None, None) => self.count_missing(newest, cumulative, paths),
        };
        self.settle(paths);
        Ok(Some(Digest {
            cumulative,
            recovery,
            entered_recovery,
        }))
    }

    /// The cumulative acknowledgement of a SHUTDOWN chunk (RFC 9260 §9.2), which a peer may send
    /// in place of SACKs. It tells no window, so that the one told last stands.
    pub(crate) fn on_cumulative_ack(
        &mut self,
        now: Time,
        cumulative_tsn_ack: Tsn,
        paths: &mut [Path],
    ) -> Result<Option<Digest>, PeerFault> {
        let Some(advance) = self.ring.cumulative_advance(cumulative_tsn_ack)? else {
            return Ok(None);
        };
        let base = self.ring.first_seq() + advance;
        self.begin_tallies(paths);
        let recovery = self.recovery();
        let window = self.peer_rwnd.saturating_add(self.ring.bytes_in_flight());
        if !self.acked.is_quiet() {
            self.acked.forget_below(base);
        }
        self.acknowledge_up_to(base, now, paths);
        self.peer_rwnd = window.saturating_sub(self.ring.bytes_in_flight());
        self.on_probe_answer(base, paths);
        self.settle(paths);
        let cumulative = if advance > 0 {
            Cumulative::Advanced
        } else {
            Cumulative::Unmoved
        };
        Ok(Some(Digest {
            cumulative,
            recovery,
            entered_recovery: false,
        }))
    }

    /// What is about to be digested is booked path by path.
    pub(super) fn begin_tallies(&mut self, paths: &mut [Path]) {
        if self.is_concurrent() {
            self.begin_lanes(paths);
        }
        for path in paths.iter_mut() {
            path.flow.begin_tally();
        }
    }

    /// All is booked: the oldest chunks in flight may be others than before.
    pub(super) fn settle(&mut self, paths: &mut [Path]) {
        for (index, path) in (0..).map(PathIndex).zip(paths.iter_mut()) {
            self.ring.settle_earliest(index, &mut path.flow);
        }
        if self.is_concurrent() {
            self.settle_lanes(paths);
        }
    }

    /// Takes everything below `base` out of the ring. Returns the newest chunk that this SACK is
    /// the first to acknowledge.
    fn acknowledge_up_to(&mut self, base: u64, now: Time, paths: &mut [Path]) -> Option<u64> {
        let mut newest = None;
        while self.ring.first_seq() < base {
            let seq = self.ring.first_seq();
            let Some((chunk, released, done)) = self.ring.pop() else {
                break;
            };
            if let Some(partial) = self.rare.partial() {
                partial.on_acknowledged(done);
            }
            self.buffered = self.buffered.saturating_sub(released);
            if !chunk.is_acked() && chunk.state != ChunkState::Abandoned {
                credit(&chunk, seq, now, paths);
                if let Some(rack) = self.rare.rack() {
                    rack.on_delivered(&chunk, seq, now);
                }
                if let Some(lanes) = self.rare.lanes() {
                    lanes.on_delivered(&chunk, seq);
                }
                newest = Some(seq);
            }
            if let Some(lanes) = self.rare.lanes() {
                lanes.on_popped(&chunk);
            }
        }
        newest
    }

    fn acknowledge_gaps(&mut self, now: Time, paths: &mut [Path]) -> Option<u64> {
        let mut newest = None;
        for range in self.acked.newly() {
            for seq in range {
                if let Some(chunk) = self.ring.acknowledge(seq) {
                    credit(&chunk, seq, now, paths);
                    if let Some(rack) = self.rare.rack() {
                        rack.on_delivered(&chunk, seq, now);
                    }
                    if let Some(lanes) = self.rare.lanes() {
                        lanes.on_delivered(&chunk, seq);
                    }
                    newest = Some(seq);
                }
            }
        }
        newest
    }

    // DEVIATION RFC 9260 §6.2.1 D iii: what was given back is left to T3-rtx and gets no miss
    // indication; that would need a count for each chunk.
    fn resume_reneged(&mut self, paths: &mut [Path]) {
        for range in self.acked.reneged() {
            for seq in range {
                let Some(chunk) = self.ring.renege(seq) else {
                    continue;
                };
                if let Some(path) = paths.get_mut(usize::from(chunk.path.0)) {
                    path.on_reneged(seq, chunk.wire_len());
                }
                if let Some(rack) = self.rare.rack() {
                    rack.on_again(&chunk, seq);
                }
            }
        }
    }

    /// The peer answers, but has no room even for the oldest chunk, which left before the window
    /// closed: from here on that chunk is the probe of the window (RFC 9260 §6.1 A).
    fn note_refusal(&mut self, base: u64, a_rwnd: u32) {
        let refused = self
            .ring
            .get(base)
            .is_some_and(|chunk| a_rwnd < u32::from(chunk.len));
        if refused && self.probe == Probe::Idle {
            self.probe = Probe::Sent {
                seq: base,
                answer: Answer::Heard,
            };
        }
    }

    /// A probe that the peer had to drop goes out again as soon as the window has room for it.
    fn on_probe_answer(&mut self, base: u64, paths: &mut [Path]) {
        let Probe::Sent { seq, .. } = self.probe else {
            return;
        };
        if seq < base {
            self.probe = Probe::Idle;
            return;
        }
        self.probe = Probe::Sent {
            seq,
            answer: Answer::Heard,
        };
        let Some(chunk) = self.ring.get(seq) else {
            return;
        };
        if self.peer_rwnd >= u32::from(chunk.len) {
            self.mark(seq, ChunkState::Marked, paths);
            self.probe = Probe::Idle;
        }
    }

    pub(super) fn mark(&mut self, seq: u64, as_state: ChunkState, paths: &mut [Path]) {
        if let Some(chunk) = self.ring.mark(seq, as_state) {
            if let Some(partial) = self.rare.partial() {
                partial.suspect(seq);
            }
            self.peer_rwnd = self.peer_rwnd.saturating_add(u32::from(chunk.len));
            if let Some(path) = paths.get_mut(usize::from(chunk.path.0)) {
                path.on_marked(&chunk, as_state, seq);
            }
        }
    }

    /// Counts miss indications and marks what has three of them (RFC 9260 §7.2.4). Whether this
    /// SACK made us enter Fast Recovery.
    fn count_missing(
        &mut self,
        newest: Option<u64>,
        cumulative: Cumulative,
        paths: &mut [Path],
    ) -> bool {
        let in_recovery = self.fast_recovery != FastRecovery::Out;
        let reported = match (newest, cumulative) {
            (Some(_), Cumulative::Advanced) if in_recovery => self.acked.highest().max(newest),
            (newest, _) => newest,
        };
        let Some(reported) = reported else {
            return false;
        };
        // What lies below all that is outstanding shows no loss, and need not be remembered.
        if reported < self.ring.first_seq() && !self.gap_reports.exists() {
            return false;
        }
        let suspects = self.gap_reports.on_report(reported, self.missing_reports);
        let mut lost = false;
        for seq in suspects.start.max(self.ring.first_seq())..suspects.end {
            let Some(chunk) = self.ring.get(seq) else {
                continue;
            };
            if chunk.state == ChunkState::InFlight && chunk.is_fast_eligible() {
                let index = usize::from(chunk.path.0);
                self.mark(seq, ChunkState::MarkedFast, paths);
                if let Some(path) = paths.get_mut(index) {
                    path.flow.on_loss_reported(seq);
                }
                lost = true;
            }
        }
        if lost && !in_recovery {
            self.fast_recovery = FastRecovery::In {
                until: self.recovery_point(),
            };
        }
        lost && !in_recovery
    }
}

/// Books a chunk that was acknowledged for the first time to the path that it was sent on.
fn credit(chunk: &Sent, seq: u64, now: Time, paths: &mut [Path]) {
    if let Some(path) = paths.get_mut(usize::from(chunk.path.0)) {
        path.on_acked(chunk, seq, now);
    }
}
