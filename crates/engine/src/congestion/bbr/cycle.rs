//! ProbeBW (§5.3.3).

use core::time::Duration;

use super::phase::BbrPhase;
use super::{Bbr, WHOLE};
use crate::Time;
use crate::congestion::Ack;
use crate::congestion::{Flown, Limit, RateSample};

/// Most round trips between two probes, so that Reno flows get time to grow (§5.3.3.8).
const MOST_ROUNDS: u64 = 63;
/// Shortest time between two probes, and the range of the random extra time.
const LEAST_WAIT: Duration = Duration::from_secs(2);
const CHANCE_WAIT_NANOS: u64 = 1_000_000_000;

/// The state of the probing cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cycle {
    /// The round trip in which Drain began.
    pub(super) drain_began: u64,
    /// Start of the cycle, and the longest time until the next probe.
    began: Time,
    wait: Duration,
    /// Approximate round trips since the last probe.
    pub(super) rounds: u64,
    feedback: Feedback,
    /// `BBR.is_bw_probe_sample`.
    pub(super) feed: Feed,
    pub(super) last: LastProbe,
    /// Round trips for which the in-flight bound has been raised.
    raised_for: u32,
    /// Bytes acknowledged since the bound was last raised.
    raised_after: u64,
    /// Bytes to acknowledge before the bound is raised by one packet; `None` while it is not
    /// raised.
    raise_every: Option<u64>,
}

/// Whether SACKs cover packets of the probe (`BBR.ack_phase`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Feedback {
    #[default]
    None,
    Refilling,
    Starting,
    Probing,
    Stopping,
}

/// Whether the acknowledged packets belong to a probe whose losses have caused no reaction yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Feed {
    #[default]
    Other,
    Probe,
}

/// Outcome of the last probe (`BBR.prev_probe_too_high`, `BBR.prev_probe_precautionary`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum LastProbe {
    #[default]
    Fine,
    /// Losses exceeded the threshold.
    TooHigh,
    /// The probe stopped at the level at which the previous one lost too much; its own losses
    /// stayed below the threshold.
    CutShort,
}

/// Whether the phase has already been changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decided {
    No,
    Yes,
}

impl Cycle {
    /// Whether losses belong to a probe that has caused no reaction yet.
    pub(super) fn is_heard_of(&self) -> bool {
        self.feed == Feed::Probe
    }

    /// Stops sending the probe; SACKs for its packets are still outstanding.
    pub(super) const fn stop(&mut self) {
        self.feedback = Feedback::Stopping;
    }
}

impl Bbr {
    // UpdateProbeBWCyclePhase
    pub(super) fn advance_cycle(&mut self, ack: &Ack, sample: &RateSample, newest: Option<&Flown>) {
        if !self.full_pipe.was_reached() {
            return;
        }
        if self.adapt_long_term(sample, newest) == Decided::Yes {
            return;
        }
        match self.phase {
            BbrPhase::Down | BbrPhase::Cruise if self.is_time_to_probe(ack.now) => self.refill(),
            BbrPhase::Down if self.is_time_to_cruise(ack.flight) => self.phase = BbrPhase::Cruise,
            BbrPhase::Refill if self.rounds.starts() => {
                self.cycle.feed = Feed::Probe;
                self.go_up(newest);
            }
            BbrPhase::Up => self.check_up(ack, newest),
            _ => {}
        }
    }

    fn check_up(&mut self, ack: &Ack, newest: Option<&Flown>) {
        if let Some(ended) = self.end_of_probe(ack.flight, newest) {
            self.cycle.last = ended;
            self.go_down(ack.now);
        }
    }

    // StartProbeBW_DOWN
    pub(super) fn go_down(&mut self, now: Time) {
        self.losses.forget_round();
        self.bandwidth.forget_latest();
        self.cycle.raise_every = None;
        // PickProbeWait
        self.cycle.rounds = self.rng.draw() & 1;
        let more = self.rng.draw() % CHANCE_WAIT_NANOS;
        self.cycle.wait = LEAST_WAIT + Duration::from_nanos(more);
        self.cycle.began = now;
        self.cycle.feedback = Feedback::Stopping;
        self.rounds.restart();
        self.phase = BbrPhase::Down;
    }

    // StartProbeBW_REFILL
    pub(super) fn refill(&mut self) {
        self.forget_short_term();
        (self.cycle.raised_for, self.cycle.raised_after) = (0, 0);
        if self.cycle.last == LastProbe::CutShort {
            self.cycle.last = LastProbe::Fine;
        }
        self.cycle.feedback = Feedback::Refilling;
        self.rounds.restart();
        self.phase = BbrPhase::Refill;
    }

    // StartProbeBW_UP
    fn go_up(&mut self, newest: Option<&Flown>) {
        self.cycle.feedback = Feedback::Starting;
        self.rounds.restart();
        self.full_pipe.restart(newest);
        self.phase = BbrPhase::Up;
        self.steepen();
    }

    /// Enters ProbeBW straight from ProbeRTT: bytes in flight are already low (§5.3.4.4).
    pub(super) fn cruise(&mut self, now: Time) {
        self.go_down(now);
        self.phase = BbrPhase::Cruise;
    }

    // IsTimeToProbeBW
    fn is_time_to_probe(&self, now: Time) -> bool {
        let as_reno = self.target_inflight() / self.pmdcs.max(1);
        now.since(self.cycle.began) > self.cycle.wait
            || self.cycle.rounds >= as_reno.min(MOST_ROUNDS)
    }

    fn is_time_to_cruise(&self, flight: u64) -> bool {
        flight <= self.bounds.with_headroom(self.pmdcs)
            && flight <= self.inflight(self.bandwidth.most(), WHOLE)
    }

    /// Ends the probe if due (`IsTimeToGoDown`).
    fn end_of_probe(&mut self, flight: u64, newest: Option<&Flown>) -> Option<LastProbe> {
        if self.cycle.last == LastProbe::TooHigh && flight >= self.bounds.long_term {
            return Some(LastProbe::CutShort);
        }
        if self.is_window_limited() && self.cwnd >= self.bounds.long_term {
            // The window bound, not the path, limits the rate.
            self.full_pipe.restart(newest);
            return None;
        }
        self.full_pipe.is_full().then_some(LastProbe::Fine)
    }

    /// Updates the probe's feedback from SACKs, and raises the in-flight bound.
    fn adapt_long_term(&mut self, sample: &RateSample, newest: Option<&Flown>) -> Decided {
        if self.rounds.starts() && self.advance_feedback(newest) == Decided::Yes {
            return Decided::Yes;
        }
        let Some(newest) = newest else {
            return Decided::No;
        };
        if !Self::is_too_lossy(newest.lost, newest.flight) && self.bounds.has_long_term() {
            self.bounds.long_term = self.bounds.long_term.max(newest.flight);
            if self.phase == BbrPhase::Up {
                self.raise(sample.newly_acked);
            }
        }
        Decided::No
    }

    fn advance_feedback(&mut self, newest: Option<&Flown>) -> Decided {
        match self.cycle.feedback {
            Feedback::Starting => self.cycle.feedback = Feedback::Probing,
            Feedback::Stopping => {
                self.cycle.feed = Feed::Other;
                self.cycle.feedback = Feedback::None;
                let in_cycle = self.phase.is_probe_bw();
                if in_cycle && newest.is_some_and(|newest| newest.limit == Limit::Network) {
                    self.bandwidth.advance();
                }
                if in_cycle && self.cycle.last == LastProbe::CutShort {
                    self.refill();
                    return Decided::Yes;
                }
            }
            Feedback::None | Feedback::Refilling | Feedback::Probing => {}
        }
        Decided::No
    }

    // RaiseInflightLongtermSlope
    fn steepen(&mut self) {
        let growth = 1 << self.cycle.raised_for;
        self.cycle.raised_for = (self.cycle.raised_for + 1).min(30);
        self.cycle.raise_every = Some((self.cwnd / growth).max(self.pmdcs).max(1));
    }

    // ProbeInflightLongtermUpward
    fn raise(&mut self, newly_acked: u64) {
        if !self.is_window_limited() || self.cwnd < self.bounds.long_term {
            return;
        }
        self.cycle.raised_after += newly_acked;
        if let Some(every) = self.cycle.raise_every {
            let packets = self.cycle.raised_after / every;
            self.cycle.raised_after %= every;
            self.bounds.long_term += packets * self.pmdcs;
        }
        if self.rounds.starts() {
            self.steepen();
        }
    }
}
