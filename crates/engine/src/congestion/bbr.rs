//! BBR version 3 (draft-ietf-ccwg-bbr-06); section numbers below are the draft's.

mod aggregation;
mod bandwidth;
mod bounds;
mod cycle;
mod flow_rng;
mod full_pipe;
mod losses;
mod max_filter;
mod phase;
mod probe_rtt;
mod round_trip;
mod rounds;
mod startup;

use core::time::Duration;

use self::aggregation::Aggregation;
use self::bandwidth::Bandwidth;
use self::bounds::Bounds;
use self::cycle::Cycle;
use self::flow_rng::FlowRng;
use self::full_pipe::FullPipe;
use self::losses::Losses;
use self::phase::BbrPhase;
use self::probe_rtt::Probation;
use self::round_trip::LeastRoundTrip;
use self::rounds::{RoundStart, Rounds};
use super::{Ack, CongestionControl, Loss, Rate, Recovery};
use crate::congestion::{Flown, Limit, RateSample};
use crate::{Time, WindowRules};

/// BBR (version 3, draft-ietf-ccwg-bbr-06) for SCTP. Sends at the recently measured delivery rate
/// of the path and keeps at most about two bandwidth-delay products in flight. A single loss is not
/// a congestion signal; the rate is reduced only if more than 2 % is lost while probing for
/// bandwidth.
///
/// No profile selects it: `docs/congestion-control.md` shows its benefits and the flows it treats
/// unfairly. Delivery rates are computed per chunk from SACKs. Differences from the draft:
///
/// - Packets, retransmissions included, leave in bursts of one millisecond or two packets, as with
///   [`Pacing::On`](crate::Pacing::On). Max.Burst does not apply.
/// - After T3-rtx one packet may be in flight. Data sent before the timeout no longer widens the
///   window, because another path may have carried its acknowledgement. The previous window is
///   restored after two round trips.
/// - An ECN mark, which the draft does not cover, counts as excessive loss.
#[derive(Clone, Debug)]
pub struct Bbr {
    pmdcs: u64,
    /// `C.InitialCwnd`, bytes.
    first_window: u64,
    cwnd: u64,
    /// The last window not reduced by loss recovery or ProbeRTT.
    prior_cwnd: u64,
    pacing: Option<Rate>,
    phase: BbrPhase,
    rounds: Rounds,
    bandwidth: Bandwidth,
    round_trip: LeastRoundTrip,
    bounds: Bounds,
    full_pipe: FullPipe,
    aggregation: Aggregation,
    cycle: Cycle,
    losses: Losses,
    probation: Probation,
    restart: Restart,
    /// Highest value of this round trip and of the previous one.
    usage: [Fill; 2],
    rng: FlowRng,
}

/// Whether the flow restarts after an idle period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Restart {
    No,
    FromIdle,
}

/// Whether the window was full at any time in a round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fill {
    Slack,
    Full,
}

/// `BBR.Beta`, hundredths.
const BETA: u64 = 70;
/// 100 %: a whole rate or window, in hundredths.
const WHOLE: u64 = 100;
/// 100 % less `BBR.PacingMarginPercent`, hundredths.
const PACED: u64 = 99;
/// `BBR.MinPipeCwnd`, packets.
const LEAST_WINDOW: u64 = 4;
/// The longest burst, bytes.
const MOST_QUANTUM: u64 = 64 << 10;

impl Bbr {
    /// Tolerated share of losses while probing (`BBR.LossThresh`): 2 %, as a fraction.
    pub const TOLERATED_LOSS: (u64, u64) = (2, 100);

    /// Creates the state with the first window that `rules` allow. `initial` is the byte value that
    /// RFC 9260 §7.2.1 bounds between two and four PMDCS.
    #[must_use]
    pub fn new(pmdcs: u64, rules: WindowRules, initial: u64) -> Self {
        let first_window = rules.first_window(pmdcs, initial);
        Self {
            pmdcs,
            first_window,
            cwnd: first_window,
            prior_cwnd: 0,
            pacing: None,
            phase: BbrPhase::Startup,
            rounds: Rounds::default(),
            bandwidth: Bandwidth::default(),
            round_trip: LeastRoundTrip::default(),
            bounds: Bounds::NONE,
            full_pipe: FullPipe::default(),
            aggregation: Aggregation::default(),
            cycle: Cycle::default(),
            losses: Losses::default(),
            probation: Probation::default(),
            restart: Restart::No,
            usage: [Fill::Slack; 2],
            rng: FlowRng::default(),
        }
    }

    /// Whether losses in `flight` exceed the threshold (§5.5.10.2, `IsInflightTooHigh`).
    pub(crate) const fn is_too_lossy(lost: u64, flight: u64) -> bool {
        let (tolerated, of) = Self::TOLERATED_LOSS;
        lost.saturating_mul(of) > flight.saturating_mul(tolerated)
    }

    const fn least_window(&self) -> u64 {
        LEAST_WINDOW * self.pmdcs
    }

    /// `BBR.bw`, if it is known.
    fn rate(&self) -> Option<Rate> {
        self.bandwidth.rate()
    }

    /// `BBR.bdp` times `gain` hundredths.
    fn bdp(&self, rate: Option<Rate>, gain: u64) -> u64 {
        match (rate, self.round_trip.least()) {
            (Some(rate), Some(least)) => share(rate.bytes_in(least), gain),
            _ => self.first_window,
        }
    }

    /// `C.send_quantum` (§5.6.3).
    fn quantum(&self) -> u64 {
        let paced = self
            .pacing
            .map_or(0, |rate| rate.bytes_in(Duration::from_millis(1)));
        paced.min(MOST_QUANTUM).max(2 * self.pmdcs)
    }

    /// `QuantizationBudget` (§5.6.4.2).
    fn with_budget(&self, inflight: u64) -> u64 {
        let inflight = inflight.max(self.quantum()).max(self.least_window());
        match self.phase {
            BbrPhase::Up => inflight + 2 * self.pmdcs,
            _ => inflight,
        }
    }

    /// Target bytes in flight at the given rate and gain (§5.6.4.2, `Inflight`).
    fn inflight(&self, rate: Option<Rate>, gain: u64) -> u64 {
        self.with_budget(self.bdp(rate, gain))
    }

    /// `BBR.max_inflight`.
    fn most_inflight(&self) -> u64 {
        let bdp = self.bdp(self.rate(), self.phase.cwnd_gain());
        self.with_budget(bdp + self.aggregation.extra())
    }

    /// The estimated bandwidth-delay product, or the window if congestion has cut it lower.
    fn target_inflight(&self) -> u64 {
        self.bdp(self.rate(), WHOLE).min(self.cwnd)
    }

    /// Whether the window was full at any time in the last round trip.
    fn is_window_limited(&self) -> bool {
        self.usage.contains(&Fill::Full)
    }

    // §5.2.3, UpdateModelAndState
    fn update_model(&mut self, ack: &Ack, sample: &RateSample) {
        let newest = sample.newest.as_ref();
        self.learn(sample, newest);
        self.aggregation
            .on_acked(ack, self.rate(), self.cwnd, &self.rounds, &self.full_pipe);
        if let Some(newest) = newest.filter(|_| self.rounds.starts()) {
            self.full_pipe.on_round(newest);
        }
        self.check_startup(ack, newest);
        self.check_drain(ack);
        self.advance_cycle(ack, sample, newest);
        let age = (self.round_trip).on_sample(ack.now, sample.round_trip, ack.srtt);
        self.check_probe_rtt(ack, sample, age);
        if let Some(newest) = newest {
            self.bandwidth.end_loss_round(newest, &self.losses);
        }
    }

    /// §5.5.10.3 `UpdateLatestDeliverySignals` and `UpdateCongestionSignals`, §5.5.5.
    fn learn(&mut self, sample: &RateSample, newest: Option<&Flown>) {
        let Some(newest) = newest else {
            self.rounds.on_nothing();
            self.losses.on_nothing();
            return;
        };
        self.bandwidth.on_latest(newest);
        self.losses.on_delivered(newest, sample.delivered);
        if self.rounds.on_delivered(newest, sample.delivered) == RoundStart::Yes {
            self.cycle.rounds += 1;
            self.usage = [Fill::Slack, self.usage[0]];
            self.on_round();
        }
        self.bandwidth.on_sample(newest);
        if self.losses.round_starts() {
            self.adapt_to_losses();
        }
    }

    /// The pacing rate before the first rate sample: one first window per round trip (§5.6.2,
    /// `InitPacingRate`). Rate samples of short messages are ignored, since they say little about
    /// the path.
    fn begin_pacing(&mut self, srtt: Option<Duration>) {
        if self.pacing.is_none() {
            let first = srtt.and_then(|srtt| Rate::of(self.first_window, srtt));
            self.pacing = first.map(|rate| Rate {
                bytes_per_second: share(rate.bytes_per_second, BbrPhase::Startup.pacing_gain()),
            });
        }
    }

    // §5.6.2
    fn set_pacing(&mut self, gain: u64) {
        let Some(rate) = self.rate() else { return };
        let bytes_per_second = share(share(rate.bytes_per_second, gain), PACED);
        let rate = Rate { bytes_per_second };
        if self.full_pipe.was_reached() || self.pacing.is_none_or(|now| rate > now) {
            self.pacing = Some(rate);
        }
    }

    // §5.6.4.6
    fn set_window(&mut self, sample: &RateSample) {
        let most = self.most_inflight();
        let grown = self.cwnd.saturating_add(sample.newly_acked);
        if self.full_pipe.was_reached() {
            self.cwnd = grown.min(most);
        } else if self.cwnd < most || sample.delivered < self.first_window {
            self.cwnd = grown;
        }
        self.cwnd = self.cwnd.max(self.least_window());
        if self.phase == BbrPhase::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_window());
        }
        let cap = self.bounds.cap(self.phase, self.pmdcs);
        self.cwnd = self.cwnd.min(cap.max(self.least_window()));
    }

    // §5.6.4.4
    fn save_window(&mut self) {
        let modulated = self.losses.is_repairing() || self.phase == BbrPhase::ProbeRtt;
        self.prior_cwnd = if modulated {
            self.prior_cwnd.max(self.cwnd)
        } else {
            self.cwnd
        };
    }

    fn restore_window(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }
}

impl CongestionControl for Bbr {
    fn on_ack(&mut self, ack: &Ack) {
        if ack.flight_before >= self.cwnd {
            self.usage[0] = Fill::Full;
        }
        if ack.recovery == Recovery::Open && self.losses.end_fast_repair() {
            self.restore_window();
        }
    }

    fn on_delivery(&mut self, ack: &Ack, sample: &RateSample) -> Limit {
        self.note_losses(ack.now, sample);
        if sample.newly_acked > 0 {
            self.begin_pacing(ack.srtt);
            self.update_model(ack, sample);
            self.set_pacing(self.phase.pacing_gain());
            if sample.newest.is_some() || !self.losses.is_after_timeout() {
                self.set_window(sample);
            }
        }
        match self.phase {
            BbrPhase::ProbeRtt => Limit::Supply,
            _ => Limit::Network,
        }
    }

    fn on_loss(&mut self, _now: Time, loss: Loss) {
        match loss {
            Loss::GapReports | Loss::Unmarked => self.begin_fast_repair(),
            Loss::Timeout => self.begin_timeout_repair(),
        }
    }

    fn on_mark(&mut self, now: Time) {
        self.take_mark(now);
    }

    fn on_spurious_loss(&mut self, _now: Time) {
        self.undo();
    }

    /// The window is kept after an idle period (§5.4.1).
    fn on_idle(&mut self, _rtos: u32) {}

    // §5.4.1
    fn on_restart(&mut self, now: Time, limit: Limit, seed: u32) {
        self.rng.seed(seed);
        if limit == Limit::Network {
            return;
        }
        self.restart = Restart::FromIdle;
        self.aggregation.restart(now);
        if self.phase.is_probe_bw() {
            self.set_pacing(WHOLE);
        } else if self.phase == BbrPhase::ProbeRtt {
            self.end_probe_rtt_if_done(now);
        }
    }

    fn on_pmdcs(&mut self, pmdcs: u64) {
        self.pmdcs = pmdcs;
        self.cwnd = self.cwnd.max(pmdcs);
    }

    fn cwnd(&self) -> u64 {
        self.cwnd
    }

    /// `u32::MAX`: BBR has no ssthresh.
    fn ssthresh(&self) -> u64 {
        u64::from(u32::MAX)
    }

    fn pacing(&self) -> Option<Rate> {
        self.pacing
    }
}

/// `hundredths` percent of a number.
fn share(of: u64, hundredths: u64) -> u64 {
    let product = u128::from(of) * u128::from(hundredths) / 100;
    u64::try_from(product).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
