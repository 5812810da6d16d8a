//! Reactions to losses, marks and timeouts (§5.5.10, §5.5.11, §5.6.4.4).

use super::bounds::Bounds;
use super::cycle::{Feed, LastProbe};
use super::phase::BbrPhase;
use super::rounds::RoundStart;
use super::{BETA, Bbr, share};
use crate::Time;
use crate::congestion::{Excess, Flown, Limit, RateSample};

/// Round trips after a timeout before the previous window is restored: one for the first
/// acknowledgement, and one more.
const CAUTIOUS_ROUNDS: u8 = 2;

/// Losses of this round trip, and the state to restore if they prove spurious.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Losses {
    /// `BBR.is_loss_in_round`.
    round: Round,
    /// Bytes delivered at the start of the round trip observed for losses.
    began_at: u64,
    round_start: RoundStart,
    delivered: u64,
    /// Runs of chunks lost in this round trip.
    runs: u32,
    repair: Repair,
    pub(super) undo: Undo,
}

/// Whether a round trip has seen losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Round {
    #[default]
    Clean,
    /// Some data of the round trip was lost.
    Lossy,
}

/// The recovery in progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Repair {
    #[default]
    Nothing,
    Fast,
    /// Round trips left.
    Timeout(u8),
}

/// The state before the first loss of a round trip.
#[derive(Clone, Copy, Debug)]
pub(super) struct Undo {
    /// The phase that losses ended.
    pub(super) phase: Option<BbrPhase>,
    bandwidth: Option<u64>,
    bounds: Bounds,
}

impl Default for Undo {
    fn default() -> Self {
        Self {
            phase: None,
            bandwidth: None,
            bounds: Bounds::NONE,
        }
    }
}

impl Losses {
    /// Whether the current SACK ends a round trip observed for losses.
    pub(super) fn round_starts(&self) -> bool {
        self.round_start == RoundStart::Yes
    }

    pub(super) fn on_delivered(&mut self, newest: &Flown, delivered: u64) {
        self.delivered = delivered;
        self.round_start = RoundStart::of(newest, self.began_at);
        if self.round_starts() {
            self.began_at = delivered;
        }
    }

    pub(super) const fn on_nothing(&mut self) {
        self.round_start = RoundStart::No;
    }

    /// Takes the number of loss runs since the last call.
    pub(super) const fn take_runs(&mut self) -> u32 {
        core::mem::replace(&mut self.runs, 0)
    }

    /// Clears the loss flag (part of `ResetCongestionSignals`).
    pub(super) const fn forget_round(&mut self) {
        self.round = Round::Clean;
    }

    pub(super) fn is_repairing(&self) -> bool {
        self.repair != Repair::Nothing
    }

    /// Whether a timeout is being recovered from.
    pub(super) const fn is_after_timeout(&self) -> bool {
        matches!(self.repair, Repair::Timeout(_))
    }

    /// Ends Fast Recovery; returns whether it was in progress.
    pub(super) fn end_fast_repair(&mut self) -> bool {
        let ends = self.repair == Repair::Fast;
        if ends {
            self.repair = Repair::Nothing;
        }
        ends
    }
}

impl Bbr {
    // NoteLoss, HandleLostPacket
    pub(super) fn note_losses(&mut self, now: Time, sample: &RateSample) {
        if sample.newly_lost == 0 {
            return;
        }
        self.losses.delivered = sample.delivered;
        self.losses.runs = self.losses.runs.saturating_add(sample.lost_runs);
        self.note_loss();
        if let Some(excess) = sample.excess.filter(|_| self.cycle.is_heard_of()) {
            self.on_excess(now, excess);
        }
    }

    fn note_loss(&mut self) {
        if self.losses.round == Round::Clean {
            self.losses.began_at = self.losses.delivered;
            self.save_state();
        }
        self.losses.round = Round::Lossy;
    }

    // SaveStateUponLoss
    fn save_state(&mut self) {
        self.save_window();
        self.losses.undo = Undo {
            phase: None,
            bandwidth: self.bandwidth.short_term,
            bounds: self.bounds,
        };
    }

    // HandleInflightTooHigh
    fn on_excess(&mut self, now: Time, excess: Excess) {
        self.cycle.last = LastProbe::TooHigh;
        self.cycle.feed = Feed::Other;
        if excess.limit == Limit::Network {
            let least = share(self.target_inflight(), BETA);
            self.bounds.long_term = excess.flight.max(least);
        }
        if self.phase == BbrPhase::Up {
            self.losses.undo.phase = Some(BbrPhase::Up);
            self.go_down(now);
        }
    }

    // AdaptLowerBoundsFromCongestion
    pub(super) fn adapt_to_losses(&mut self) {
        let round = core::mem::take(&mut self.losses.round);
        if round == Round::Lossy && !self.phase.is_accelerating() {
            self.bandwidth.lower();
            self.bounds.lower(self.cwnd, self.bandwidth.latest_volume());
        }
    }

    // ResetShortTermModel
    pub(super) const fn forget_short_term(&mut self) {
        self.bandwidth.short_term = None;
        self.bounds.short_term = u64::MAX;
    }

    pub(super) fn begin_fast_repair(&mut self) {
        self.save_window();
        if !self.losses.is_repairing() {
            self.losses.repair = Repair::Fast;
        }
    }

    // OnEnterRTO
    pub(super) fn begin_timeout_repair(&mut self) {
        self.note_loss();
        self.save_window();
        self.losses.repair = Repair::Timeout(CAUTIOUS_ROUNDS);
        self.rounds.restart();
        self.cwnd = self.pmdcs;
    }

    /// Starts a round trip.
    pub(super) fn on_round(&mut self) {
        let Repair::Timeout(rounds) = self.losses.repair else {
            return;
        };
        if rounds > 1 {
            self.losses.repair = Repair::Timeout(rounds - 1);
        } else {
            self.losses.repair = Repair::Nothing;
            self.restore_window();
        }
    }

    /// A router marked a packet. The draft defines no reaction, but requires marks to count as
    /// congestion (§3.7). This implementation treats a mark as excessive loss found at the target
    /// flight.
    pub(super) fn take_mark(&mut self, now: Time) {
        self.note_loss();
        let flight = self.target_inflight();
        if self.phase == BbrPhase::Startup {
            self.full_pipe.reach();
            self.bounds.long_term = flight.max(self.bandwidth.latest_volume());
        } else if self.cycle.is_heard_of() {
            let limit = Limit::Network;
            self.on_excess(now, Excess { flight, limit });
        }
    }

    // HandleSpuriousLossDetection
    pub(super) fn undo(&mut self) {
        self.restore_window();
        self.losses.round = Round::Clean;
        self.full_pipe.restart(None);
        let before = self.losses.undo;
        self.bandwidth.short_term = match (self.bandwidth.short_term, before.bandwidth) {
            (Some(now), Some(before)) => Some(now.max(before)),
            _ => None,
        };
        self.bounds.short_term = self.bounds.short_term.max(before.bounds.short_term);
        self.bounds.long_term = self.bounds.long_term.max(before.bounds.long_term);
        match before.phase {
            Some(BbrPhase::Startup) if self.phase != BbrPhase::Startup => {
                self.full_pipe.forget();
                if self.phase != BbrPhase::ProbeRtt {
                    self.enter_startup();
                }
            }
            Some(BbrPhase::Up) if !matches!(self.phase, BbrPhase::Up | BbrPhase::ProbeRtt) => {
                self.refill();
            }
            _ => {}
        }
        self.losses.undo.phase = None;
    }
}
