use core::ops::Range;

use super::super::gap_reports::GapReports;
use super::super::ring::Sent;
use super::cumulative;
use crate::Time;
use crate::congestion::{Cumulative, Recovery};

/// The sender's state of one path among several that carry new data.
#[derive(Clone, Debug)]
pub(super) struct ConcurrentPath {
    /// Bytes of chunks that were last sent here and are not cumulatively acknowledged.
    pub(super) held: u64,
    reports: GapReports,
    /// The end of this path's Fast Recovery: all before that chunk is still to be repaired.
    repair: Option<u64>,
    /// The chunk after the highest that was delivered here.
    highest: u64,
    /// When the chunk was sent that was sent last of those delivered here.
    latest: Option<Time>,
    /// The oldest chunk that is in flight here for the first time, or the next to be cut.
    expected: u64,
    sack: Heard,
}

/// The content of the SACK at hand for a path.
#[derive(Clone, Copy, Debug)]
struct Heard {
    /// Whether a loss was being repaired when it came.
    was: Recovery,
    /// The oldest chunk that was in flight.
    earliest: Option<u64>,
    /// The lowest and the highest chunk that it is the first to acknowledge, and how many there
    /// are.
    newly: Option<Newly>,
    cumulative: Cumulative,
}

#[derive(Clone, Copy, Debug)]
struct Newly {
    lowest: u64,
    highest: u64,
    count: u64,
}

impl Default for ConcurrentPath {
    fn default() -> Self {
        Self {
            held: 0,
            reports: GapReports::new(),
            repair: None,
            highest: 0,
            latest: None,
            expected: 0,
            sack: Heard {
                was: Recovery::Open,
                earliest: None,
                newly: None,
                cumulative: Cumulative::Unmoved,
            },
        }
    }
}

impl ConcurrentPath {
    /// A SACK came; `expected` and `earliest` are the oldest chunks in flight, the former of those
    /// that were sent once.
    pub(super) fn begin(&mut self, expected: u64, earliest: Option<u64>) {
        self.expected = expected;
        self.sack = Heard {
            was: self.recovery(),
            earliest,
            newly: None,
            cumulative: Cumulative::Unmoved,
        };
    }

    pub(super) fn on_delivered(&mut self, chunk: &Sent, seq: u64) {
        // CUC, version 2: retransmissions, which may have come from another path, do not hold up
        // the count of what is sent for the first time.
        let advanced = if chunk.is_first_transmission() {
            seq <= self.expected
        } else {
            self.sack.earliest.is_some_and(|earliest| seq <= earliest)
        };
        if self.sack.cumulative == Cumulative::Unmoved {
            self.sack.cumulative = cumulative(advanced);
        }
        self.highest = self.highest.max(seq + 1);
        self.latest = self.latest.max(Some(chunk.sent_at));
        let newly = self.sack.newly.get_or_insert(Newly {
            lowest: seq,
            highest: seq,
            count: 0,
        });
        newly.lowest = newly.lowest.min(seq);
        newly.highest = newly.highest.max(seq);
        newly.count += 1;
    }

    /// Whether the SACK is the first to acknowledge something here.
    pub(super) const fn heard(&self) -> bool {
        self.sack.newly.is_some()
    }

    /// The chunks that have got enough miss indications with this SACK; others' are among them.
    ///
    /// A SACK for several packets counts as several reports for chunks below all that it is the
    /// first to acknowledge, and as one for those between (DAC).
    pub(super) fn suspects(&mut self, weight: u8, needed: u8) -> Range<u64> {
        let Some(newly) = self.sack.newly else {
            return 0..0;
        };
        // RFC 9260 §7.2.4, in Fast Recovery: all that is missing gets a report.
        let repairing = self.recovery() == Recovery::Fast;
        let highest = if repairing && self.sack.cumulative == Cumulative::Advanced {
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

    pub(super) const fn expected(&self) -> u64 {
        self.expected
    }

    pub(super) const fn cumulative(&self) -> Cumulative {
        self.sack.cumulative
    }

    pub(super) const fn was(&self) -> Recovery {
        self.sack.was
    }

    pub(super) const fn latest(&self) -> Option<Time> {
        self.latest
    }

    pub(super) const fn recovery(&self) -> Recovery {
        match self.repair {
            None => Recovery::Open,
            Some(_) => Recovery::Fast,
        }
    }

    pub(super) const fn enter_recovery(&mut self, until: u64) {
        self.repair = Some(until);
    }

    pub(super) const fn leave_recovery(&mut self) {
        self.repair = None;
    }

    /// The oldest chunk that was last sent here and is not acknowledged is `oldest`.
    pub(super) fn on_oldest(&mut self, oldest: Option<u64>) {
        if let Some(until) = self.repair
            && oldest.is_none_or(|oldest| oldest >= until)
        {
            self.repair = None;
        }
    }

    /// Counting starts over from chunk `first`.
    pub(super) fn restart(&mut self, first: u64) {
        self.reports.restart(first);
    }
}
