//! Loss detection and retransmission by the sender.

use sheave_engine::Time;

use super::recovery::{self, Due, Recovery};
use super::tail::Tail;
use super::{Repair, Search, Sender};
use crate::tcp::Selective;
use crate::tcp::congestion::{Ack, Loss};
use crate::tcp::range_set::Range;

/// Number of duplicate acknowledgements that indicate a loss (RFC 5681 §3.2).
const DUP_THRESH: u32 = 3;

impl Sender {
    pub(super) fn on_duplicate(&mut self) {
        self.counts.dup_acks += 1;
        self.dup_acks = self.dup_acks.saturating_add(1);
        if let Recovery::Reno(reno) = &mut self.recovery {
            reno.on_duplicate(self.smss);
        } else if self.recovery == Recovery::Open
            && self.board.counts_duplicates()
            && self.dup_acks >= DUP_THRESH
            && self.may_fast_retransmit()
        {
            self.fast_retransmit();
        }
    }

    /// Searches for losses and starts a recovery.
    pub(super) fn find_losses(&mut self, now: Time, news_of_sack: u64) {
        let repair = match self.recovery {
            Recovery::Open => Repair::None,
            Recovery::Sack { .. } | Recovery::Reno(_) | Recovery::Timeout { .. } => {
                Repair::UnderWay
            }
        };
        let search = Search {
            una: self.una,
            news_of_sack,
            repair,
            srtt: self.rto.srtt(),
        };
        if self.board.finds_loss(now, &search) && repair == Repair::None {
            self.fast_retransmit();
        }
    }

    // RFC 6582 §3.2, step 1, with the heuristic of §4.1: duplicates caused by go-back-N indicate no
    // loss. With SACK, duplicates report new data and cannot mislead.
    fn may_fast_retransmit(&self) -> bool {
        self.selective == Selective::On
            || self.una > self.recover
            || (self.congestion.cwnd() > self.smss && self.una - self.prev_una <= 4 * self.smss)
    }

    /// Notifies the congestion control of a loss, with `flight` bytes up to the highest position
    /// sent.
    pub(super) fn reduce_window(&mut self, loss: Loss, flight: u64) {
        let flight = self.board.flight_at_loss(flight, self.congestion.cwnd());
        self.congestion.on_loss(loss, flight);
    }

    pub(super) fn fast_retransmit(&mut self) {
        // RFC 5681 §3.2, step 2: bytes sent by limited transmit do not count.
        let flight = self.flight().saturating_sub(self.limited);
        self.reduce_window(Loss::Duplicates, flight);
        self.counts.fast_retransmits += 1;
        self.limited = 0;
        self.recover = self.nxt;
        self.board.begin(self.una);
        self.tail = Tail::default();
        self.recovery = match self.selective {
            Selective::On => Recovery::on_sacks(self.nxt),
            Selective::Off => Recovery::on_duplicates(self.nxt, self.smss),
        };
    }

    // RFC 6298 §5.4 to §5.6, RFC 5681 §3.1, RFC 6582 §3.2 step 4, RFC 6675 §5.1
    pub(super) fn on_expiry(&mut self) {
        let loss = match self.recovery {
            _ if self.expiries > 0 => Loss::RepeatedTimeout,
            Recovery::Sack { .. } | Recovery::Reno(_) => Loss::TimeoutInRecovery,
            Recovery::Open | Recovery::Timeout { .. } => Loss::Timeout,
        };
        self.expiries += 1;
        self.counts.timeouts += 1;
        self.reduce_window(loss, self.flight());
        self.rto.back_off();
        self.board.on_timeout(self.una, self.nxt);
        self.tail = Tail::default();
        self.recover = self.nxt;
        self.recovery = Recovery::Timeout { point: self.nxt };
        self.dup_acks = 0;
        self.limited = 0;
        self.retransmit_at = None;
    }

    /// Updates the recovery after an acknowledgement of new data.
    pub(super) fn advance_recovery(&mut self, news: &Ack) -> recovery::Timer {
        let (una, smss) = (self.una, self.smss);
        match &mut self.recovery {
            Recovery::Open => {
                self.limited = 0;
                // The SYN's acknowledgement does not grow the window.
                if self.prev_una > 0 {
                    self.congestion.on_ack(news);
                }
            }
            Recovery::Sack { point, .. } => {
                if una >= *point {
                    self.recovery = Recovery::Open;
                }
            }
            Recovery::Reno(reno) => {
                if una >= reno.point {
                    self.congestion.on_recovered(self.nxt - una);
                    self.recovery = Recovery::Open;
                } else {
                    return reno.on_partial_ack(news.bytes, smss);
                }
            }
            Recovery::Timeout { point } => {
                let over = una >= *point;
                self.congestion.on_ack(news);
                if over {
                    self.recovery = Recovery::Open;
                }
            }
        }
        recovery::Timer::Restart
    }

    // RFC 6675 §5: step 4.3, then step C with the rules of NextSeg() in turn.
    pub(super) fn poll_sack(&mut self, now: Time, max: u64, first: Due) -> Option<Range> {
        let max = max.min(self.smss);
        if first == Due::Yes {
            self.recovery.on_due_sent();
            let lost = self.board.next_lost(self.una);
            let hole = lost
                .or_else(|| self.board.next_doubtful(self.una))
                .unwrap_or(Range::new(self.una, self.nxt));
            let range = cut(hole, max);
            self.send_again(now, range);
            // RFC 6675 §6: the first retransmission may restart the timer.
            self.retransmit_at = Some(now + self.rto.rto());
            return Some(range);
        }
        if self.pipe() + self.smss > self.congestion.cwnd() {
            return None;
        }
        if let Some(lost) = self.board.next_lost(self.una) {
            let range = cut(lost, max);
            self.send_again(now, range);
            return Some(range);
        }
        if let Some(range) = self.poll_new(now, max, self.congestion.cwnd()) {
            return Some(range);
        }
        if let Some(doubtful) = self.board.next_doubtful(self.una) {
            let range = cut(doubtful, max);
            self.send_again(now, range);
            return Some(range);
        }
        let rescue = self.board.next_rescue(self.una, self.nxt)?;
        let range = Range::new(rescue.start.max(rescue.end.saturating_sub(max)), rescue.end);
        self.board.on_rescue(self.recover);
        self.count_again(now);
        Some(range)
    }

    // RFC 6582 §3.2
    pub(super) fn poll_reno(&mut self, now: Time, max: u64, reno: recovery::Reno) -> Option<Range> {
        if reno.due == Due::Yes {
            self.recovery.on_due_sent();
            let range = cut(Range::new(self.una, self.nxt), max.min(self.smss));
            self.send_again(now, range);
            return Some(range);
        }
        let budget = reno.budget(self.congestion.cwnd(), self.smss);
        self.poll_new(now, max, budget)
    }

    // Slow start through the lost data (RFC 5681 §3.1), then new data.
    pub(super) fn poll_after_timeout(&mut self, now: Time, max: u64) -> Option<Range> {
        let Some(lost) = self.board.next_lost(self.una) else {
            return self.poll_new(now, max, self.congestion.cwnd());
        };
        let range = cut(lost, max.min(self.smss));
        if self.pipe() + range.len() > self.congestion.cwnd() {
            self.held_back = self.nxt;
            return None;
        }
        self.send_again(now, range);
        Some(range)
    }
}

/// The first positions of a range, at most `max`.
fn cut(range: Range, max: u64) -> Range {
    Range::new(range.start, range.end.min(range.start + max))
}
