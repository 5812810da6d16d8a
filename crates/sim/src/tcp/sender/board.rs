use core::time::Duration;

use sheave_engine::Time;

use crate::tcp::range_set::Range;
use crate::tcp::scoreboard::Scoreboard;
use crate::tcp::timed_board::{Repair, TimedBoard};
use crate::tcp::{LossDetection, Selective};

/// The sender's record of what is in flight, and its way to find what is lost.
#[derive(Clone, Debug)]
pub(super) enum Board {
    /// By what SACKs report above it (RFC 6675); without SACK only a timeout marks anything.
    Reports(Scoreboard),
    /// By the time since it left (RFC 8985).
    Times(TimedBoard),
}

/// The circumstances of a search for losses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    pub(super) una: u64,
    /// Bytes that SACKs have reported since the last one.
    pub(super) news_of_sack: u64,
    pub(super) repair: Repair,
    pub(super) srtt: Option<Duration>,
}

impl Board {
    /// Times need the peer's SACKs.
    pub(super) fn chosen(detection: LossDetection, selective: Selective, smss: u64) -> Self {
        match (detection, selective) {
            (LossDetection::Rack, Selective::On) => Self::Times(TimedBoard::new()),
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

    /// Takes in a cumulative acknowledgement, before what is reported above it: that came later.
    pub(super) fn on_cumulative(&mut self, now: Time, ack: u64) {
        if let Self::Times(board) = self {
            board.advance(now, ack);
        }
    }

    /// Takes in a SACK block and tells how many bytes of it are new.
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

    /// The round trip of what was delivered last, where each is measured.
    pub(super) const fn rtt(&self) -> Option<Duration> {
        match self {
            Self::Reports(_) => None,
            Self::Times(board) => Some(board.rtt()),
        }
    }

    /// Whether a loss shows that recovery has to begin for, unless it is under way.
    pub(super) fn finds_loss(&mut self, now: Time, search: &Search) -> bool {
        match self {
            Self::Reports(board) => search.news_of_sack > 0 && board.is_lost(search.una),
            Self::Times(board) => board.find_losses(now, search.repair, search.srtt),
        }
    }

    /// The flight that a loss is judged by, of a `flight` up to the highest position sent: recovery by
    /// times lets new data out for as long as the window allows, however long a hole stays, so that
    /// the window is the better measure (RFC 9438 §4.6).
    pub(super) fn flight_at_loss(&self, flight: u64, cwnd: u64) -> u64 {
        match self {
            Self::Reports(_) => flight,
            Self::Times(_) => flight.min(cwnd),
        }
    }

    /// Whether the retransmission timer starts anew when the first hole leaves again, however often.
    pub(super) const fn restarts_timer(&self) -> bool {
        matches!(self, Self::Times(_))
    }

    /// Whether three duplicates show a loss, whatever they report.
    pub(super) const fn counts_duplicates(&self) -> bool {
        matches!(self, Self::Reports(_))
    }

    /// The time at which losses are to be looked for, though no acknowledgement comes.
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
            // A probe of the tail does its work.
            Self::Times(_) => None,
        }
    }

    pub(super) fn on_rescue(&mut self, point: u64) {
        if let Self::Reports(board) = self {
            board.on_rescue(point);
        }
    }
}
