use super::phase::BbrPhase;
use super::{BETA, LEAST_WINDOW, share};

/// 100 % less `BBR.Headroom`, hundredths.
const WITHOUT_HEADROOM: u64 = 85;

/// Upper bounds on bytes in flight, learnt from losses; unbounded at first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// `BBR.inflight_longterm`.
    pub(super) long_term: u64,
    /// `BBR.inflight_shortterm`.
    pub(super) short_term: u64,
}

impl Bounds {
    pub(super) const NONE: Self = Self {
        long_term: u64::MAX,
        short_term: u64::MAX,
    };

    pub(super) const fn has_long_term(&self) -> bool {
        self.long_term != u64::MAX
    }

    /// `InflightWithHeadroom`: leaves some capacity to other flows.
    pub(super) fn with_headroom(&self, pmdcs: u64) -> u64 {
        if !self.has_long_term() {
            return u64::MAX;
        }
        let kept = share(self.long_term, WITHOUT_HEADROOM);
        kept.min(self.long_term.saturating_sub(pmdcs))
            .max(LEAST_WINDOW * pmdcs)
    }

    /// The largest window within the bounds (§5.6.4.7).
    pub(super) fn cap(&self, phase: BbrPhase, pmdcs: u64) -> u64 {
        let long_term = match phase {
            BbrPhase::Down | BbrPhase::Refill | BbrPhase::Up => self.long_term,
            BbrPhase::Cruise | BbrPhase::ProbeRtt => self.with_headroom(pmdcs),
            BbrPhase::Startup | BbrPhase::Drain => u64::MAX,
        };
        long_term.min(self.short_term)
    }

    /// Lowers the bound like [`Bandwidth::lower`](super::bandwidth::Bandwidth::lower).
    pub(super) fn lower(&mut self, cwnd: u64, latest: u64) {
        let bound = if self.short_term == u64::MAX {
            cwnd
        } else {
            self.short_term
        };
        self.short_term = latest.max(share(bound, BETA));
    }
}
