//! Startup and Drain (§5.3.1, §5.3.2).

use super::phase::BbrPhase;
use super::{Bbr, WHOLE};
use crate::congestion::Flown;
use crate::congestion::{Ack, Recovery};

/// `BBRStartupFullLossCnt`.
const LOST_RUNS: u32 = 6;
/// Most round trips in Drain.
const LONGEST_DRAIN: u64 = 3;

impl Bbr {
    pub(super) const fn enter_startup(&mut self) {
        self.phase = BbrPhase::Startup;
    }

    // CheckStartupDone
    pub(super) fn check_startup(&mut self, ack: &Ack, newest: Option<&Flown>) {
        self.check_startup_losses(ack, newest);
        if self.phase == BbrPhase::Startup && self.full_pipe.was_reached() {
            self.phase = BbrPhase::Drain;
            self.cycle.drain_began = self.rounds.count();
        }
    }

    /// Ends Startup if losses show a full pipe (§5.3.1.3).
    fn check_startup_losses(&mut self, ack: &Ack, newest: Option<&Flown>) {
        if !self.losses.round_starts() {
            return;
        }
        let runs = self.losses.take_runs();
        let lossy = newest.is_some_and(|newest| Self::is_too_lossy(newest.lost, newest.flight));
        if self.phase != BbrPhase::Startup
            || self.full_pipe.was_reached()
            || ack.recovery != Recovery::Fast
            || runs < LOST_RUNS
            || !lossy
        {
            return;
        }
        self.losses.undo.phase = Some(BbrPhase::Startup);
        self.full_pipe.reach();
        let bdp = self.bdp(self.rate(), WHOLE);
        self.bounds.long_term = bdp.max(self.bandwidth.latest_volume());
    }

    // CheckDrainDone
    pub(super) fn check_drain(&mut self, ack: &Ack) {
        if self.phase == BbrPhase::Drain
            && (ack.flight <= self.inflight(self.rate(), WHOLE)
                || self.rounds.count() > self.cycle.drain_began + LONGEST_DRAIN)
        {
            self.go_down(ack.now);
        }
    }
}
