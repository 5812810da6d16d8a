//! Loss detection: one type per algorithm, behind a common trait.
//!
//! The sender notifies its detector of events on chunks and paths, and calls it after each SACK.
//! The detector marks lost chunks through the [`Search`] passed to it.

mod gap_reports;
mod go_back_n;
mod missing_reports;
pub(super) mod rack;
pub(super) mod search;
mod split_by_path;

use alloc::boxed::Box;

use self::go_back_n::GoBackN;
use self::missing_reports::MissingReports;
use self::rack::Rack;
pub(crate) use self::rack::{MaxAckDelay, NewData};
use self::search::Search;
pub(super) use self::search::{AppliedSack, mark};
use self::split_by_path::SplitByPath;
use crate::flight::sent::Sent;
use crate::value::ids::PathIndex;
use crate::{LossDetection, Multipath, Time};

/// An algorithm that finds lost chunks, besides T3-rtx.
pub(super) trait LossDetector {
    /// An acknowledgement is about to be applied; calls of `on_delivered` follow.
    fn on_sack_begun(&mut self) {}

    /// A chunk was acknowledged for the first time, by a SACK that came at `now`.
    fn on_delivered(&mut self, _chunk: &Sent, _seq: u64, _now: Time) {}

    /// A chunk is in flight again: it was retransmitted, or the peer reneged on it.
    fn on_again(&mut self, _chunk: &Sent, _seq: u64) {}

    /// T3-rtx of a path expired: everything in flight there is marked for retransmission. No chunk
    /// before `first` is outstanding.
    fn on_timeout(&mut self, path: PathIndex, first: u64, now: Time);

    /// Marks the chunks that a SACK shows to be lost. Returns whether to cut windows; the shares
    /// say which.
    fn search(&mut self, sack: &AppliedSack<'_>, search: &mut Search<'_>) -> bool;

    /// The path with this number was removed.
    fn forget_path(&mut self, _gone: PathIndex) {}

    /// Frees memory needed only by a busy association.
    fn trim(&mut self) {}

    /// Approximate bytes on the heap, excluding the detector itself.
    fn footprint(&self) -> usize {
        0
    }
}

/// The detector in use, boxed so that an idle sender holds only a pointer.
///
/// `None` counts missing reports and has none recorded yet.
#[derive(Clone, Debug)]
pub(super) struct Detector(pub(super) Option<Box<Way>>);

/// The loss detection algorithms.
#[derive(Clone, Debug)]
pub(super) enum Way {
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

    /// Whether losses are detected by time (RFC 8985).
    pub(super) fn goes_by_time(&self) -> bool {
        self.rack().is_some()
    }

    pub(super) fn go_back_n() -> Self {
        Self(Some(Box::new(Way::GoBackN(GoBackN::new()))))
    }

    #[inline]
    pub(super) fn rack(&self) -> Option<&Rack> {
        match self.0.as_deref()? {
            Way::Rack(rack) => Some(rack),
            Way::MissingReports(_) | Way::SplitByPath(_) | Way::GoBackN(_) => None,
        }
    }

    pub(super) fn rack_mut(&mut self) -> Option<&mut Rack> {
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

/// Calls for each chunk and each SACK use a match so that they can be inlined.
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
