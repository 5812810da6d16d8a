//! Processing of acknowledgements by the sender.

use sheave_engine::Time;

use super::recovery;
use super::{Sender, window};
use crate::tcp::Selective;
use crate::tcp::congestion::{Ack, UseOfWindow};
use crate::tcp::range_set::Range;

/// Contents of an acknowledgement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckNews<'a> {
    /// The position up to which everything is acknowledged.
    pub(crate) ack: u64,
    /// The window, bytes from `ack`.
    pub(crate) window: u64,
    /// Position of the segment in the peer's stream.
    pub(crate) seq: u64,
    /// The SACK blocks.
    pub(crate) blocks: &'a [Range],
    /// Whether the segment may be a duplicate acknowledgement (RFC 5681 §2).
    pub(crate) content: Content,
}

/// Whether a segment contains more than an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Only an acknowledgement.
    Bare,
    /// Data, SYN or FIN.
    Loaded,
}

/// Whether an acknowledgement was valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Digest {
    /// The acknowledgement was processed.
    Taken,
    /// The acknowledgement covers data that was never sent: reply and drop the segment
    /// (RFC 9293 §3.10.7.4).
    Unsent,
}

impl Sender {
    /// Handles an acknowledgement.
    pub(crate) fn on_ack(&mut self, now: Time, news: &AckNews<'_>) -> Digest {
        if news.ack > self.nxt {
            return Digest::Unsent;
        }
        if news.ack < self.una {
            return Digest::Taken;
        }
        if self.is_at_rest() {
            self.window.update(news.seq, news.ack, news.window);
            return Digest::Taken;
        }
        let use_of_window = self.use_of_window();
        let moved = self.window.update(news.seq, news.ack, news.window);
        self.answer_tail(news);
        self.board.on_cumulative(now, news.ack);
        let news_of_sack = self.on_blocks(now, news.blocks);
        if news.ack > self.una {
            self.on_new_ack(now, news.ack, use_of_window);
        } else if self.is_duplicate(news, moved, news_of_sack) {
            self.on_duplicate();
        }
        self.find_losses(now, news_of_sack);
        self.arm_tail(now);
        self.leave_persist();
        Digest::Taken
    }

    fn use_of_window(&self) -> UseOfWindow {
        let full = self.pipe() + self.smss > self.congestion.cwnd();
        if full || self.una < self.held_back {
            UseOfWindow::Full
        } else {
            UseOfWindow::Partial
        }
    }

    fn on_blocks(&mut self, now: Time, blocks: &[Range]) -> u64 {
        if self.selective == Selective::Off {
            return 0;
        }
        let mut new = 0;
        for block in blocks {
            // Ignores blocks of unsent or already acknowledged data.
            if block.start >= self.una && block.start < block.end && block.end <= self.nxt {
                new += self.board.report(now, *block);
            }
        }
        new
    }

    // RFC 6675 §2 with SACK, RFC 5681 §2 without.
    fn is_duplicate(&self, news: &AckNews<'_>, moved: window::Moved, news_of_sack: u64) -> bool {
        match self.selective {
            Selective::On => news_of_sack > 0,
            Selective::Off => {
                self.flight() > 0
                    && self.persist.is_none()
                    && news.content == Content::Bare
                    && moved == window::Moved::No
            }
        }
    }

    fn on_new_ack(&mut self, now: Time, ack: u64, use_of_window: UseOfWindow) {
        let bytes = ack - self.una;
        self.prev_una = self.una;
        self.una = ack;
        self.buffer.release(ack);
        self.board.advance(ack);
        let timed = self.rto.on_ack(now, ack);
        self.dup_acks = 0;
        self.expiries = 0;
        let news = Ack {
            now,
            bytes,
            flight: self.nxt - ack,
            rtt: self.board.rtt().or(timed),
            use_of_window,
            srtt: self.rto.srtt(),
        };
        let timer = self.advance_recovery(&news);
        // RFC 6298 §5.2 and §5.3
        if self.flight() == 0 {
            self.retransmit_at = None;
        } else if timer == recovery::Timer::Restart {
            self.retransmit_at = Some(now + self.rto.rto());
        }
    }
}
