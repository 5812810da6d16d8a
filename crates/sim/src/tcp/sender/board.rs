use core::time::Duration;

use sheave_engine::Time;

use crate::tcp::range_set::Range;
use crate::tcp::scoreboard::Scoreboard;
use crate::tcp::timed_board::{Repair, TimedBoard};
use crate::tcp::{LossDetection, Selective};

/// The sender's record of data in flight, with its loss detection.
#[derive(Clone, Debug)]
pub(super) enum Board {
    /// Detects loss from SACKed data above (RFC 6675); without SACK, only timeouts mark losses.
    Reports(Scoreboard),
    /// Detects loss from the time since transmission (RACK, RFC 8985).
    Times(TimedBoard),
}

/// Input of a search for losses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    pub(super) una: u64,
    /// Bytes newly SACKed by the current acknowledgement.
    pub(super) news_of_sack: u64,
    pub(super) repair: Repair,
    pub(super) srtt: Option<Duration>,
}

impl Board {
    /// Creates the record; time-based detection needs the peer's SACKs.
    pub(super) fn chosen(detection: LossDetection, selective: Selective, smss: u64) -> Self {
        match (detection, selective) {
            (LossDetection::Rack, Selective::On) => Self::Times(TimedBoard::default()),
            (LossDetection::Sack, _) | (_, Selective::Off) => Self::Reports(Scoreboard::new(smss)),
        }
    }

    pub(super) fn on_sent(&mut self, now: Time, range: Range) {
        if let Self::Times(board) = self {
            board.on_sent(now, range);
        }
    }

    pub(super) fn on_retransmit(&mut self, now: Time, range: Range) {
        match self {
            Self::Reports(board) => board.on_retransmit(range.end),
            Self::Times(board) => board.on_retransmit(now, range),
        }
    }

    /// Handles the cumulative acknowledgement, before the SACK blocks, which are for later data.
    pub(super) fn on_cumulative(&mut self, now: Time, ack: u64) {
        if let Self::Times(board) = self {
            board.advance(now, ack);
        }
    }

    /// Handles a SACK block; returns the number of newly SACKed bytes.
    pub(super) fn report(&mut self, now: Time, block: Range) -> u64 {
        match self {
            Self::Reports(board) => board.report(block),
            Self::Times(board) => board.report(now, block),
        }
    }

    pub(super) fn advance(&mut self, una: u64) {
        if let Self::Reports(board) = self {
            board.advance(una);
        }
    }

    /// Round trip of the most recently delivered segment; time-based detection only.
    pub(super) const fn rtt(&self) -> Option<Duration> {
        match self {
            Self::Reports(_) => None,
            Self::Times(board) => Some(board.rtt()),
        }
    }

    /// Whether there is a loss that must start a recovery, unless one is in progress.
    pub(super) fn finds_loss(&mut self, now: Time, search: &Search) -> bool {
        match self {
            Self::Reports(board) => search.news_of_sack > 0 && board.is_lost(search.una),
            Self::Times(board) => board.find_losses(now, search.repair, search.srtt),
        }
    }

    /// The flight size used to react to a loss, given `flight` bytes up to the highest position
    /// sent. Time-based recovery keeps sending new data while a hole persists, so the congestion
    /// window is a better upper bound (RFC 9438 §4.6).
    pub(super) fn flight_at_loss(&self, flight: u64, cwnd: u64) -> u64 {
        match self {
            Self::Reports(_) => flight,
            Self::Times(_) => flight.min(cwnd),
        }
    }

    /// Whether each retransmission of the first hole restarts the retransmission timer.
    pub(super) const fn restarts_timer(&self) -> bool {
        matches!(self, Self::Times(_))
    }

    /// Whether three duplicate acknowledgements indicate a loss, even without SACK blocks.
    pub(super) const fn counts_duplicates(&self) -> bool {
        matches!(self, Self::Reports(_))
    }

    /// When to search for losses even without an acknowledgement.
    pub(super) const fn doubt(&self) -> Option<Time> {
        match self {
            Self::Reports(_) => None,
            Self::Times(board) => board.doubt(),
        }
    }

    #[inline]
    pub(super) fn pipe(&self, una: u64, nxt: u64) -> u64 {
        match self {
            Self::Reports(board) => board.pipe(una, nxt),
            Self::Times(board) => board.pipe(),
        }
    }

    pub(super) fn begin(&mut self, una: u64) {
        if let Self::Reports(board) = self {
            board.begin(una);
        }
    }

    pub(super) fn on_timeout(&mut self, una: u64, nxt: u64) {
        match self {
            Self::Reports(board) => board.on_timeout(una, nxt),
            Self::Times(board) => board.on_timeout(),
        }
    }

    pub(super) fn next_lost(&self, una: u64) -> Option<Range> {
        match self {
            Self::Reports(board) => board.next_lost(una),
            Self::Times(board) => board.next_lost(),
        }
    }

    pub(super) fn next_doubtful(&self, una: u64) -> Option<Range> {
        match self {
            Self::Reports(board) => board.next_doubtful(una),
            Self::Times(_) => None,
        }
    }

    pub(super) fn next_rescue(&self, una: u64, nxt: u64) -> Option<Range> {
        match self {
            Self::Reports(board) => board.next_rescue(una, nxt),
            // Tail loss probes replace the rescue retransmission.
            Self::Times(_) => None,
        }
    }

    pub(super) fn on_rescue(&mut self, point: u64) {
        if let Self::Reports(board) = self {
            board.on_rescue(point);
        }
    }
}
