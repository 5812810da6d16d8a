//! ProbeRTT (§5.3.4).

use core::time::Duration;

use super::phase::BbrPhase;
use super::round_trip::Age;
use super::{Bbr, Restart};
use crate::Time;
use crate::congestion::Ack;
use crate::congestion::RateSample;

/// `BBR.ProbeRTTDuration`.
const DURATION: Duration = Duration::from_millis(200);

/// The progress of a round-trip probe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Probation {
    /// Not measuring: the probe is off, or too much is still in flight.
    #[default]
    Waiting,
    /// Little is in flight; held until this time and for one round trip.
    Until(Time),
    /// The round trip has ended.
    OnlyUntil(Time),
}

impl Bbr {
    /// `ProbeRTTCwnd`, bytes.
    pub(super) fn probe_rtt_window(&self) -> u64 {
        let half = self.bdp(self.rate(), BbrPhase::ProbeRtt.cwnd_gain());
        half.max(self.least_window())
    }

    // CheckProbeRTT
    pub(super) fn check_probe_rtt(&mut self, ack: &Ack, sample: &RateSample, age: Age) {
        let due = age == Age::Expired && self.restart == Restart::No;
        if self.phase != BbrPhase::ProbeRtt && due {
            self.save_window();
            self.phase = BbrPhase::ProbeRtt;
            self.probation = Probation::Waiting;
            self.cycle.stop();
            self.rounds.restart();
        }
        if self.phase == BbrPhase::ProbeRtt {
            self.probe_rtt(ack);
        }
        if sample.newest.is_some() {
            self.restart = Restart::No;
        }
    }

    // HandleProbeRTT
    fn probe_rtt(&mut self, ack: &Ack) {
        self.probation = match self.probation {
            Probation::Waiting if ack.flight <= self.probe_rtt_window() => {
                self.rounds.restart();
                Probation::Until(ack.now + DURATION)
            }
            Probation::Until(until) if self.rounds.starts() => Probation::OnlyUntil(until),
            unchanged => unchanged,
        };
        if let Probation::OnlyUntil(_) = self.probation {
            self.end_probe_rtt_if_done(ack.now);
        }
    }

    // CheckProbeRTTDone, ExitProbeRTT
    pub(super) fn end_probe_rtt_if_done(&mut self, now: Time) {
        let (Probation::Until(until) | Probation::OnlyUntil(until)) = self.probation else {
            return;
        };
        if now <= until {
            return;
        }
        self.round_trip.on_probed(now);
        self.restore_window();
        self.forget_short_term();
        self.probation = Probation::Waiting;
        if self.full_pipe.was_reached() {
            self.cruise(now);
        } else {
            self.enter_startup();
        }
    }
}
