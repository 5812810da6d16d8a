use super::losses::Losses;
use super::max_filter::MaxFilter;
use super::{BETA, share};
use crate::congestion::Rate;
use crate::congestion::{Flown, Limit};

/// The path's delivery rate, bytes per second.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bandwidth {
    /// `BBR.max_bw_filter`: maximum of this ProbeBW cycle and the previous one.
    most: MaxFilter,
    /// `BBR.bw_shortterm`, set by losses.
    pub(super) short_term: Option<u64>,
    /// `BBR.bw_latest` and `BBR.inflight_latest` (bytes): the maxima of this round trip.
    latest: u64,
    latest_volume: u64,
}

impl Bandwidth {
    /// `BBR.max_bw`; `None` before the first measurement.
    pub(super) fn most(&self) -> Option<Rate> {
        let bytes_per_second = self.most.most();
        (bytes_per_second > 0).then_some(Rate { bytes_per_second })
    }

    /// `BBR.bw` (§5.5.10.3, `BoundBWForModel`).
    pub(super) fn rate(&self) -> Option<Rate> {
        let most = self.most()?.bytes_per_second;
        let bytes_per_second = self.short_term.map_or(most, |bound| most.min(bound)).max(1);
        Some(Rate { bytes_per_second })
    }

    /// Bytes recently delivered in one round trip.
    pub(super) const fn latest_volume(&self) -> u64 {
        self.latest_volume
    }

    pub(super) fn on_latest(&mut self, newest: &Flown) {
        self.latest = self.latest.max(measured(newest));
        self.latest_volume = self.latest_volume.max(newest.volume);
    }

    // §5.5.5
    pub(super) fn on_sample(&mut self, newest: &Flown) {
        let rate = measured(newest);
        if rate > 0 && (rate >= self.most.most() || newest.limit == Limit::Network) {
            self.most.on_value(rate);
        }
    }

    /// Ends a ProbeBW cycle (§5.5.6).
    pub(super) const fn advance(&mut self) {
        self.most.advance();
    }

    /// `AdvanceLatestDeliverySignals`.
    pub(super) fn end_loss_round(&mut self, newest: &Flown, losses: &Losses) {
        if losses.round_starts() {
            self.latest = measured(newest);
            self.latest_volume = newest.volume;
        }
    }

    /// Resets the latest signals (part of `ResetCongestionSignals`).
    pub(super) const fn forget_latest(&mut self) {
        (self.latest, self.latest_volume) = (0, 0);
    }

    /// Ends a round trip with losses: limits the rate to the delivered one, but reduces it by at
    /// most 30 % (`InitLowerBounds`, `LossLowerBounds`).
    pub(super) fn lower(&mut self) {
        let bound = self.short_term.unwrap_or_else(|| self.most.most());
        self.short_term = Some(self.latest.max(share(bound, BETA)));
    }
}

fn measured(newest: &Flown) -> u64 {
    newest.rate.map_or(0, |rate| rate.bytes_per_second)
}
