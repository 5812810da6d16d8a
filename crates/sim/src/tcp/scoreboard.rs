use super::range_set::{Range, RangeSet};

/// Duplicates that show a loss (DupThresh of RFC 6675 §2).
const DUP_THRESH: u64 = 3;

/// The sender's record of bytes in flight (RFC 6675).
///
/// HighACK and HighData are the caller's `una` and `nxt`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scoreboard {
    smss: u64,
    sacked: RangeSet,
    /// Bytes below this position that are not SACKed are lost, by `IsLost()`.
    reported: u64,
    /// Position like `reported`, but set by a timeout.
    forced: u64,
    /// Everything lost below this position was retransmitted (HighRxt, exclusive).
    high_rxt: u64,
    /// RescueRxt, exclusive; `None` while undefined.
    rescue_rxt: Option<u64>,
}

impl Scoreboard {
    /// Creates an empty record; `smss` is the sender's maximum segment size, bytes.
    pub(crate) fn new(smss: u64) -> Self {
        Self {
            smss,
            ..Self::default()
        }
    }

    /// `Update()`: handles a SACK block; returns how many of its bytes are new.
    pub(crate) fn report(&mut self, block: Range) -> u64 {
        let new = self.sacked.insert(block);
        if new > 0 {
            self.reported = self.loss_edge_by_reports();
        }
        new
    }

    /// Handles acknowledgement of everything below `una`.
    pub(crate) fn advance(&mut self, una: u64) {
        self.sacked.trim_below(una);
    }

    /// `IsLost()`, inverted: the highest position below which everything not SACKed is lost, since
    /// DupThresh ranges, or more than (DupThresh - 1) segments, are SACKed above it.
    fn loss_edge_by_reports(&self) -> u64 {
        let mut ranges = 0;
        let mut bytes = 0;
        for range in self.sacked.highest_first() {
            ranges += 1;
            bytes += range.len();
            if ranges >= DUP_THRESH || bytes > (DUP_THRESH - 1) * self.smss {
                return range.start;
            }
        }
        0
    }

    fn loss_edge(&self) -> u64 {
        self.reported.max(self.forced)
    }

    /// `IsLost()` for a position that is not SACKed.
    pub(crate) fn is_lost(&self, position: u64) -> bool {
        position < self.loss_edge()
    }

    /// `SetPipe()`: estimate of bytes in the network.
    #[inline]
    pub(crate) fn pipe(&self, una: u64, nxt: u64) -> u64 {
        if self.sacked.is_empty() && self.forced <= una {
            return nxt - una + self.high_rxt.min(nxt).saturating_sub(una);
        }
        let from = self.loss_edge().clamp(una, nxt);
        let upto = self.high_rxt.clamp(una, nxt);
        let sacked_above = self.sacked.total() - self.sacked.covered_below(from);
        let not_lost = (nxt - from).saturating_sub(sacked_above);
        let sent_again = (upto - una).saturating_sub(self.sacked.covered_below(upto));
        not_lost + sent_again
    }

    /// Starts a recovery: retransmissions start at `una`.
    pub(crate) fn begin(&mut self, una: u64) {
        self.high_rxt = una;
        self.rescue_rxt = None;
    }

    /// Handles a timeout: everything not SACKed counts as lost (RFC 6675 §5.1 allows keeping SACK
    /// information).
    pub(crate) fn on_timeout(&mut self, una: u64, nxt: u64) {
        self.begin(una);
        self.forced = nxt;
    }

    /// `NextSeg()` rule 1: the first lost part not retransmitted yet.
    pub(crate) fn next_lost(&self, una: u64) -> Option<Range> {
        let edge = self.loss_edge();
        self.hole(una, edge)
            .map(|hole| Range::new(hole.start, hole.end.min(edge)))
    }

    /// `NextSeg()` rule 3: the first part below SACKed data that was not retransmitted.
    pub(crate) fn next_doubtful(&self, una: u64) -> Option<Range> {
        self.hole(una, self.sacked.last()?.start)
    }

    /// The first hole at or above HighRxt that starts below `limit`.
    fn hole(&self, una: u64, limit: u64) -> Option<Range> {
        let start = self.sacked.gap_from(self.high_rxt.max(una));
        if start >= limit {
            return None;
        }
        let end = self.sacked.first_from(start).map_or(limit, |r| r.start);
        Some(Range::new(start, end))
    }

    /// `NextSeg()` rule 4: the highest part in flight not SACKed, once per recovery.
    pub(crate) fn next_rescue(&self, una: u64, nxt: u64) -> Option<Range> {
        if self.rescue_rxt.is_some_and(|rescue| una <= rescue) {
            return None;
        }
        let start = self.sacked.last().map_or(una, |r| r.end).max(una);
        (start < nxt).then(|| Range::new(start.max(nxt.saturating_sub(self.smss)), nxt))
    }

    /// Records retransmission of everything lost up to `end`; the first time also sets RescueRxt
    /// (RFC 6675 §5, step 4.3).
    pub(crate) fn on_retransmit(&mut self, end: u64) {
        self.high_rxt = self.high_rxt.max(end);
        self.rescue_rxt.get_or_insert(end);
    }

    /// Records a rescue retransmission; `point` is RecoveryPoint.
    pub(crate) fn on_rescue(&mut self, point: u64) {
        self.rescue_rxt = Some(point);
    }
}

#[cfg(test)]
mod tests;
