//! Loss detection: a type for each way to find out which chunks are lost, behind one trait.
//!
//! The sender tells its detector what happens to chunks and paths, and asks it for losses after each
//! SACK. A detector marks what it finds through the [`Search`] that it is handed.

mod gap_reports;
mod go_back_n;
mod missing_reports;
mod rack;
mod search;
mod split_by_path;

use alloc::boxed::Box;
use core::time::Duration;

use self::go_back_n::GoBackN;
use self::missing_reports::MissingReports;
use self::rack::Rack;
pub(crate) use self::rack::{MaxAckDelay, NewData};
use self::search::Search;
pub(super) use self::search::{AppliedSack, mark};
use self::split_by_path::SplitByPath;
use super::sack_outcome::Shares;
use super::{Outbound, SackOutcome};
use crate::congestion::Cumulative;
use crate::flight::sent::Sent;
use crate::flight::share::{Digest, Reports};
use crate::path::Path;
use crate::value::ids::PathIndex;
use crate::{LossDetection, Multipath, Time};

/// A way to find out which chunks are lost, other than by T3-rtx.
pub(super) trait LossDetector {
    /// An acknowledgement is about to be applied: what it delivers is told next.
    fn on_sack_begun(&mut self) {}

    /// A chunk was acknowledged for the first time, by a SACK that came at `now`.
    fn on_delivered(&mut self, _chunk: &Sent, _seq: u64, _now: Time) {}

    /// A chunk is in flight again: it left once more, or the peer has given it back.
    fn on_again(&mut self, _chunk: &Sent, _seq: u64) {}

    /// T3-rtx of a path expired: all that was in flight there is marked. Nothing before `first` is
    /// outstanding.
    fn on_timeout(&mut self, path: PathIndex, first: u64, now: Time);

    /// Marks what a SACK shows to be lost. Whether windows are to be cut for it: the shares say
    /// which.
    fn search(&mut self, sack: &AppliedSack<'_>, search: &mut Search<'_>) -> bool;

    /// There is no path of that number any more.
    fn forget_path(&mut self, _gone: PathIndex) {}

    /// Gives back what only a busy association needs.
    fn trim(&mut self) {}

    /// Bytes on the heap, about; those of the detector itself not counted.
    fn footprint(&self) -> usize {
        0
    }
}

/// The way that a sender has chosen, on the heap, so that an idle sender keeps a pointer and no more.
///
/// Without one it counts missing reports, and has none to remember.
#[derive(Clone, Debug)]
pub(super) struct Detector(Option<Box<Way>>);

/// The ways.
#[derive(Clone, Debug)]
enum Way {
    MissingReports(MissingReports),
    SplitByPath(SplitByPath),
    GoBackN(GoBackN),
    Rack(Rack),
}

impl Detector {
    pub(super) fn chosen(detection: LossDetection, multipath: Multipath) -> Self {
        Self(match (detection, multipath) {
            (LossDetection::MissingReports, Multipath::Off) => None,
            (LossDetection::MissingReports, Multipath::Concurrent(_)) => {
                Some(Box::new(Way::SplitByPath(SplitByPath::default())))
            }
            (LossDetection::Rack, _) => Some(Box::new(Way::Rack(Rack::default()))),
        })
    }

    /// Whether times show what is lost (RFC 8985).
    pub(super) fn goes_by_time(&self) -> bool {
        self.rack().is_some()
    }

    fn go_back_n() -> Self {
        Self(Some(Box::new(Way::GoBackN(GoBackN::new()))))
    }

    #[inline]
    fn rack(&self) -> Option<&Rack> {
        match self.0.as_deref()? {
            Way::Rack(rack) => Some(rack),
            Way::MissingReports(_) | Way::SplitByPath(_) | Way::GoBackN(_) => None,
        }
    }

    fn rack_mut(&mut self) -> Option<&mut Rack> {
        match self.0.as_deref_mut()? {
            Way::Rack(rack) => Some(rack),
            Way::MissingReports(_) | Way::SplitByPath(_) | Way::GoBackN(_) => None,
        }
    }
}

impl Way {
    fn detector(&mut self) -> &mut dyn LossDetector {
        match self {
            Self::MissingReports(detector) => detector,
            Self::SplitByPath(detector) => detector,
            Self::GoBackN(detector) => detector,
            Self::Rack(detector) => detector,
        }
    }
}

/// Calls for each chunk and each SACK are dispatched by a match, so that they can be inlined.
impl LossDetector for Detector {
    #[inline]
    fn on_sack_begun(&mut self) {
        if let Some(Way::SplitByPath(detector)) = self.0.as_deref_mut() {
            detector.on_sack_begun();
        }
    }

    #[inline]
    fn on_delivered(&mut self, chunk: &Sent, seq: u64, now: Time) {
        match self.0.as_deref_mut() {
            Some(Way::Rack(detector)) => detector.on_delivered(chunk, seq, now),
            Some(Way::SplitByPath(detector)) => detector.on_delivered(chunk, seq, now),
            Some(Way::MissingReports(_) | Way::GoBackN(_)) | None => {}
        }
    }

    #[inline]
    fn on_again(&mut self, chunk: &Sent, seq: u64) {
        if let Some(Way::Rack(detector)) = self.0.as_deref_mut() {
            detector.on_again(chunk, seq);
        }
    }

    fn on_timeout(&mut self, path: PathIndex, first: u64, now: Time) {
        if let Some(way) = &mut self.0 {
            way.detector().on_timeout(path, first, now);
        }
    }

    #[inline]
    fn search(&mut self, sack: &AppliedSack<'_>, search: &mut Search<'_>) -> bool {
        let way = match &mut self.0 {
            Some(way) => way,
            None if !MissingReports::needs_memory(sack, search) => return false,
            none => none.insert(Box::new(Way::MissingReports(MissingReports::new()))),
        };
        match &mut **way {
            Way::Rack(detector) => detector.search(sack, search),
            Way::MissingReports(detector) => detector.search(sack, search),
            Way::SplitByPath(detector) => detector.search(sack, search),
            Way::GoBackN(detector) => detector.search(sack, search),
        }
    }

    fn forget_path(&mut self, gone: PathIndex) {
        if let Some(way) = &mut self.0 {
            way.detector().forget_path(gone);
        }
    }

    fn trim(&mut self) {
        match self.0.as_deref_mut() {
            Some(Way::MissingReports(_)) => self.0 = None,
            Some(way) => way.detector().trim(),
            None => {}
        }
    }

    fn footprint(&self) -> usize {
        let more = match self.0.as_deref() {
            None => return 0,
            Some(Way::MissingReports(_) | Way::GoBackN(_)) => 0,
            Some(Way::SplitByPath(detector)) => detector.footprint(),
            Some(Way::Rack(detector)) => detector.footprint(),
        };
        size_of::<Way>() + more
    }
}

impl Outbound {
    /// Both sides want go-back-N acknowledgement.
    pub(crate) fn go_back_n(&mut self) {
        self.detector = Detector::go_back_n();
    }

    /// The peer keeps nothing beyond a gap.
    #[inline]
    pub(crate) fn goes_back_n(&self) -> bool {
        matches!(self.detector.0.as_deref(), Some(Way::GoBackN(_)))
    }

    /// Whether losses are found by time.
    #[inline]
    pub(crate) fn watches_time(&self) -> bool {
        self.detector.rack().is_some()
    }

    /// Marks what a SACK shows to be lost. Whether this made us enter Fast Recovery.
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

    /// The least round trip of that path lately, and the last one, where losses are found by time.
    pub(crate) fn round_trips(&self, path: PathIndex) -> Option<(Duration, Duration)> {
        self.detector.rack()?.round_trips(path)
    }

    /// Watches whether the expiry of T3-rtx of that path proves needless, where losses are found by
    /// time.
    pub(crate) fn watch_timeout(&mut self, path: PathIndex) {
        let (first, end) = (self.ring.first_seq(), self.ring.next_seq());
        if let Some(rack) = self.detector.rack_mut() {
            rack.watch_timeout(path, first, end);
        }
    }

    /// When something may have become old enough to be lost on that path.
    pub(crate) fn reo_timeout(&self, path: PathIndex) -> Option<Time> {
        self.detector.rack()?.reo_timeout(path)
    }

    /// The reordering timer expired: looks again for what is lost.
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

    /// Probes of tails sent, and retransmissions that turned out to be needless.
    pub(crate) fn rack_counts(&self) -> (u64, u64) {
        let rack = self.detector.rack();
        rack.map_or((0, 0), |rack| (rack.tail_probes, rack.spurious))
    }
}
