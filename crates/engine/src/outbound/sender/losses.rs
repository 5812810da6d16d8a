//! Loss detection with the selected algorithm.

use super::Outbound;
use crate::Time;
use crate::congestion::Cumulative;
use crate::flight::share::{Digest, Reports};
use crate::outbound::loss_detection::LossDetector;
use crate::outbound::loss_detection::search::{AppliedSack, Search};
use crate::outbound::loss_detection::{Detector, Way};
use crate::outbound::sack_outcome::{SackOutcome, Shares};
use crate::path::Path;
use crate::value::ids::PathIndex;
use core::time::Duration;

impl Outbound {
    /// Selects go-back-N, which both sides want.
    pub(crate) fn go_back_n(&mut self) {
        self.detector = Detector::go_back_n();
    }

    /// Whether go-back-N is in use: the peer keeps nothing beyond a gap.
    #[inline]
    pub(crate) fn goes_back_n(&self) -> bool {
        matches!(self.detector.0.as_deref(), Some(Way::GoBackN(_)))
    }

    /// Whether losses are detected by time.
    #[inline]
    pub(crate) fn watches_time(&self) -> bool {
        self.detector.rack().is_some()
    }

    /// Marks the chunks that a SACK shows to be lost. Returns whether Fast Recovery was entered.
    #[inline]
    pub(super) fn find_losses(
        &mut self,
        now: Time,
        sack: &AppliedSack<'_>,
        paths: &mut [Path],
        shares: &mut Shares,
    ) -> bool {
        let (detector, mut search) = self.begin_search(now, paths, shares);
        detector.search(sack, &mut search)
    }

    fn begin_search<'a>(
        &'a mut self,
        now: Time,
        paths: &'a mut [Path],
        shares: &'a mut Shares,
    ) -> (&'a mut Detector, Search<'a>) {
        let search = Search {
            now,
            needed: self.missing_reports,
            ring: &mut self.ring,
            acked: &self.acked,
            extensions: self.extensions.existing(),
            fast_recovery: &mut self.fast_recovery,
            paths,
            shares,
        };
        (&mut self.detector, search)
    }

    /// The path's recent minimum round trip and its last one, if losses are detected by time.
    pub(crate) fn round_trips(&self, path: PathIndex) -> Option<(Duration, Duration)> {
        self.detector.rack()?.round_trips(path)
    }

    /// Watches whether the T3-rtx expiry of the path was spurious, if losses are detected by time.
    pub(crate) fn watch_timeout(&mut self, path: PathIndex) {
        let (first, end) = (self.ring.first_seq(), self.ring.next_seq());
        if let Some(rack) = self.detector.rack_mut() {
            rack.watch_timeout(path, first, end);
        }
    }

    /// Time at which a chunk on the path may become old enough to count as lost.
    pub(crate) fn reo_timeout(&self, path: PathIndex) -> Option<Time> {
        self.detector.rack()?.reo_timeout(path)
    }

    /// The reordering timer expired: searches for losses again.
    pub(crate) fn on_reordering_timeout(&mut self, now: Time, paths: &mut [Path]) -> SackOutcome {
        let mut shares = self.begin_shares(paths);
        let recovery = self.recovery();
        let (detector, mut search) = self.begin_search(now, paths, &mut shares);
        let entered_recovery = detector
            .rack_mut()
            .is_some_and(|rack| rack.mark_overdue(&mut search));
        self.settle(paths, &mut shares);
        let digest = Digest {
            cumulative: Cumulative::Unmoved,
            recovery,
            entered_recovery,
            reports: Reports::Taken,
        };
        SackOutcome { digest, shares }
    }

    /// Numbers of tail probes sent and of spurious retransmissions.
    pub(crate) fn rack_counts(&self) -> (u64, u64) {
        let rack = self.detector.rack();
        rack.map_or((0, 0), |rack| (rack.tail_probes, rack.spurious))
    }
}
