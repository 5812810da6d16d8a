//! Probes of the tail of a flight (TLP, RFC 8985 §7).

use core::time::Duration;

use sheave_engine::Time;

use super::Sender;
use super::acks::{AckNews, Content};
use super::board::Board;
use super::recovery::{Due, Recovery};
use crate::tcp::congestion::Loss;
use crate::tcp::range_set::Range;

/// The probe timeout before a round trip was measured (RFC 8985 §7.2).
const UNMEASURED: Duration = Duration::from_secs(1);

/// The timer of the next probe, and the last one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tail {
    /// The time at which a probe is due.
    pub(super) at: Option<Time>,
    pub(super) due: Due,
    probe: Option<Probe>,
}

/// A probe that is not answered for good.
#[derive(Clone, Copy, Debug)]
struct Probe {
    /// The end of what was sent before and with it (TLP.end_seq).
    end: u64,
    content: ProbeContent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProbeContent {
    New,
    /// The last segment once more (TLP.is_retrans).
    Last,
}

impl Tail {
    /// Whether no probe is due, awaited or unanswered.
    pub(super) fn is_idle(&self) -> bool {
        self.at.is_none() && self.due == Due::No && self.probe.is_none()
    }
}

impl Sender {
    // RFC 8985 §7.2
    pub(super) fn arm_tail(&mut self, now: Time) {
        self.tail.at = None;
        self.tail.due = Due::No;
        let Board::Times(board) = &self.board else {
            return;
        };
        let idle = self.una == 0 || self.flight() == 0;
        if idle
            || self.recovery != Recovery::Open
            || self.tail.probe.is_some()
            || board.has_sacked()
        {
            return;
        }
        let mut timeout = self.rto.srtt().map_or(UNMEASURED, |srtt| 2 * srtt);
        if self.flight() <= self.smss {
            // The acknowledgement of a lone segment may be delayed.
            timeout += self.options.rto_min;
        }
        let at = now + timeout;
        self.tail.at = Some(self.retransmit_at.map_or(at, |rto| rto.min(at)));
    }

    /// Has a probe sent, if it is time: the retransmission timer then waits for its answer.
    pub(super) fn run_tail(&mut self, now: Time) {
        if self.tail.at.is_some_and(|at| at <= now) {
            self.tail.at = None;
            self.tail.due = Due::Yes;
            self.retransmit_at = Some(now + self.rto.rto());
        }
    }

    // RFC 8985 §7.3: new data, whatever the congestion window says, or else the last segment.
    pub(super) fn poll_tail(&mut self, now: Time, max: u64) -> Option<Range> {
        self.tail.due = Due::No;
        let new = self.poll_new(now, max, u64::MAX);
        let content = match new {
            Some(_) => ProbeContent::New,
            None => ProbeContent::Last,
        };
        let range = match (new, &self.board) {
            (Some(range), _) => range,
            (None, Board::Times(board)) => {
                let range = board.last()?;
                self.send_again(now, range);
                range
            }
            (None, Board::Reports(_)) => return None,
        };
        self.counts.tail_probes += 1;
        self.tail.at = None;
        self.tail.probe = Some(Probe {
            end: self.nxt,
            content,
        });
        Some(range)
    }

    // RFC 8985 §7.4.2. Without DSACK a bare duplicate shows that the last segment came twice.
    pub(super) fn answer_tail(&mut self, news: &AckNews<'_>) {
        let Some(probe) = self.tail.probe.filter(|probe| news.ack >= probe.end) else {
            return;
        };
        let bare = news.content == Content::Bare && news.blocks.is_empty();
        if probe.content == ProbeContent::Last {
            if news.ack == probe.end && !(bare && news.ack == self.una) {
                return;
            }
            if news.ack > probe.end && self.recovery == Recovery::Open {
                // The probe repaired a loss.
                self.reduce_window(Loss::Duplicates, self.flight());
            }
        }
        self.tail.probe = None;
    }
}
