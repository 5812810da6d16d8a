//! Tail loss probes (TLP, RFC 8985 §7).

use core::time::Duration;

use sheave_engine::Time;

use super::Sender;
use super::acks::{AckNews, Content};
use super::board::Board;
use super::recovery::{Due, Recovery};
use crate::tcp::congestion::Loss;
use crate::tcp::range_set::Range;

/// Probe timeout before the first round-trip measurement (RFC 8985 §7.2).
const UNMEASURED: Duration = Duration::from_secs(1);

/// State of tail loss probes: the timer for the next one, and the last one sent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tail {
    /// When a probe is due.
    pub(super) at: Option<Time>,
    pub(super) due: Due,
    probe: Option<Probe>,
}

/// A probe that has not been fully acknowledged.
#[derive(Clone, Copy, Debug)]
struct Probe {
    /// End of all data sent up to and including the probe (TLP.end_seq).
    end: u64,
    content: ProbeContent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProbeContent {
    New,
    /// A retransmission of the last segment (TLP.is_retrans).
    Last,
}

impl Tail {
    /// Whether no probe is scheduled, due, or outstanding.
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
            // The acknowledgement of a single segment may be delayed.
            timeout += self.options.rto_min;
        }
        let at = now + timeout;
        self.tail.at = Some(self.retransmit_at.map_or(at, |rto| rto.min(at)));
    }

    /// Triggers a probe if due; the retransmission timer then waits for the reply.
    pub(super) fn run_tail(&mut self, now: Time) {
        if self.tail.at.is_some_and(|at| at <= now) {
            self.tail.at = None;
            self.tail.due = Due::Yes;
            self.retransmit_at = Some(now + self.rto.rto());
        }
    }

    // RFC 8985 §7.3: new data regardless of the congestion window, or else the last segment.
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

    // RFC 8985 §7.4.2. Without DSACK, a bare duplicate shows that the last segment arrived twice.
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
