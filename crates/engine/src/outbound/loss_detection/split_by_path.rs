use alloc::vec::Vec;
use core::ops::Range;

use sheave_wire::Sack;

use super::gap_reports::GapReports;
use super::{AppliedSack, LossDetector, Search};
use crate::Time;
use crate::congestion::{Cumulative, Recovery};
use crate::flight::sent::{ChunkState, Sent};
use crate::outbound::ring::Ring;
use crate::value::ids::PathIndex;

/// Loss detection by miss indications counted per path (split fast retransmission; Iyengar, Amer
/// and Stewart 2006): chunks delivered on one path say nothing about chunks sent on another.
#[derive(Clone, Debug, Default)]
pub(in crate::outbound) struct SplitByPath {
    /// Indexed by path.
    paths: Vec<PathReports>,
}

/// Gap reports about one path.
#[derive(Clone, Debug)]
struct PathReports {
    reports: GapReports,
    /// The chunk after the highest one delivered on this path.
    highest: u64,
    /// Send time of the most recently sent chunk delivered on this path.
    latest: Option<Time>,
    /// The chunks that the current SACK is the first to acknowledge.
    newly: Option<Newly>,
}

/// Lowest and highest of some chunks, and their number.
#[derive(Clone, Copy, Debug)]
struct Newly {
    lowest: u64,
    highest: u64,
    count: u64,
}

impl SplitByPath {
    fn path_mut(&mut self, path: PathIndex) -> &mut PathReports {
        let index = usize::from(path.0);
        if index >= self.paths.len() {
            self.paths.resize_with(index + 1, PathReports::new);
        }
        &mut self.paths[index]
    }

    /// Number of missing reports a SACK counts for (DAC): the packet count it states if all chunks
    /// it newly acknowledges were sent on one path, otherwise 1.
    fn weight(&self, sack: &Sack<'_>) -> u8 {
        let heard = self.paths.iter().filter(|path| path.newly.is_some());
        if heard.count() == 1 && sack.duplicates.is_empty() {
            sack.packets.max(1)
        } else {
            1
        }
    }
}

impl LossDetector for SplitByPath {
    fn on_sack_begun(&mut self) {
        for path in &mut self.paths {
            path.newly = None;
        }
    }

    fn on_delivered(&mut self, chunk: &Sent, seq: u64, _: Time) {
        self.path_mut(chunk.path).on_delivered(chunk, seq);
    }

    /// Restarts counting on all paths: retransmissions may go to any path.
    fn on_timeout(&mut self, _: PathIndex, first: u64, _: Time) {
        for path in &mut self.paths {
            path.reports.restart(first);
        }
    }

    fn forget_path(&mut self, gone: PathIndex) {
        if let Some(path) = self.paths.get_mut(usize::from(gone.0)) {
            *path = PathReports::new();
        }
    }

    fn search(&mut self, sack: &AppliedSack<'_>, search: &mut Search<'_>) -> bool {
        let weight = self.weight(sack.sack);
        let count = u8::try_from(search.paths.len()).unwrap_or(u8::MAX);
        let mut entered = false;
        for index in (0..count).map(PathIndex) {
            let needed = search.needed;
            let path = self.path_mut(index);
            let (recovery, cumulative) = search
                .concurrent()
                .map_or((Recovery::Open, Cumulative::Unmoved), |concurrent| {
                    (concurrent.recovery(index), concurrent.cumulative(index))
                });
            let suspects = path.suspects(weight, needed, recovery, cumulative);
            let mut lost = None;
            for seq in suspects.start.max(search.ring.first_seq())..suspects.end {
                if path.is_missing(search.ring, seq, index) {
                    search.mark(seq);
                    lost = Some(seq);
                }
            }
            if let Some(seq) = lost
                && recovery == Recovery::Open
            {
                search.shares.on_loss_reported(index, seq);
                entered = true;
            }
        }
        if entered {
            search.enter_path_recoveries();
        }
        entered
    }

    fn footprint(&self) -> usize {
        self.paths.capacity() * size_of::<PathReports>()
    }
}

impl PathReports {
    const fn new() -> Self {
        Self {
            reports: GapReports::new(),
            highest: 0,
            latest: None,
            newly: None,
        }
    }

    fn on_delivered(&mut self, chunk: &Sent, seq: u64) {
        self.highest = self.highest.max(seq + 1);
        self.latest = self.latest.max(Some(chunk.sent_at));
        let newly = self.newly.get_or_insert(Newly {
            lowest: seq,
            highest: seq,
            count: 0,
        });
        newly.lowest = newly.lowest.min(seq);
        newly.highest = newly.highest.max(seq);
        newly.count += 1;
    }

    /// The chunks that reached the required miss indications with this SACK, including chunks of
    /// other paths.
    ///
    /// A SACK for several packets counts as several reports for chunks below everything it newly
    /// acknowledges, and as one report for the chunks between (DAC).
    fn suspects(
        &mut self,
        weight: u8,
        needed: u8,
        recovery: Recovery,
        cumulative: Cumulative,
    ) -> Range<u64> {
        let Some(newly) = self.newly else {
            return 0..0;
        };
        // RFC 9260 §7.2.4, in Fast Recovery: every missing chunk gets a report.
        let highest = if recovery == Recovery::Fast && cumulative == Cumulative::Advanced {
            self.highest.saturating_sub(1).max(newly.highest)
        } else {
            newly.highest
        };
        let mut suspects = self.reports.on_report(highest, needed);
        for _ in 1..u64::from(weight).min(newly.count) {
            suspects.end = self.reports.on_report(newly.lowest, needed).end;
        }
        suspects
    }

    /// Whether a chunk with enough miss indications of path `index` counts as lost: it is in flight
    /// on this path, was not fast retransmitted, and left no later than the latest delivered chunk.
    fn is_missing(&self, ring: &Ring, seq: u64, index: PathIndex) -> bool {
        ring.get(seq).is_some_and(|chunk| {
            chunk.path == index
                && chunk.state == ChunkState::InFlight
                && chunk.is_fast_eligible()
                && self.latest.is_some_and(|latest| chunk.sent_at <= latest)
        })
    }
}
