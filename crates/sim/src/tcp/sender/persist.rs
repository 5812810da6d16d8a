use core::time::Duration;

use sheave_engine::Time;

use super::Sender;
use super::recovery::{Due, Recovery};
use super::tail::Tail;
use crate::tcp::range_set::Range;

/// The longest wait between two window probes (RFC 9293 §3.8.6.1 leaves it open).
const PERSIST_MAX: Duration = Duration::from_secs(60);

/// Zero-window probing (RFC 9293 §3.8.6.1): the peer's window is too small to send, and no data in
/// flight could trigger a window update.
#[derive(Clone, Copy, Debug)]
pub(super) struct Persist {
    pub(super) at: Time,
    interval: Duration,
    probe: Due,
}

impl Persist {
    /// Sends a probe if due; the interval doubles.
    pub(super) fn on_timeout(&mut self, now: Time) {
        if self.at <= now {
            self.probe = Due::Yes;
            self.interval = (self.interval * 2).min(PERSIST_MAX);
            self.at = now + self.interval;
        }
    }
}

impl Sender {
    /// Starts probing, since the next segment does not fit the window.
    pub(super) fn enter_persist(&mut self, now: Time) {
        let interval = self.rto.rto().min(PERSIST_MAX);
        self.retransmit_at = None;
        self.tail = Tail::default();
        self.persist = Some(Persist {
            at: now + interval,
            interval,
            probe: Due::No,
        });
    }

    /// The probe, if it is due.
    pub(super) fn poll_probe(&mut self, now: Time, max: u64) -> Option<Range> {
        let persist = self.persist.as_mut().filter(|p| p.probe == Due::Yes)?;
        persist.probe = Due::No;
        self.counts.probes += 1;
        if self.flight() > 0 {
            self.counts.retransmissions += 1;
            return Some(Range::new(self.una, self.nxt));
        }
        let window = self.window.edge().saturating_sub(self.nxt);
        let len = self.unsent().min(max).min(window.max(1));
        let range = Range::new(self.nxt, self.nxt + len);
        self.nxt = range.end;
        self.board.on_sent(now, range);
        self.last_sent = now;
        if window > 0 {
            // The silly-window override: sends data instead of a probe.
            self.persist = None;
            self.retransmit_at = Some(now + self.rto.rto());
        }
        Some(range)
    }

    /// The window is open again, or the probe's byte was accepted.
    pub(super) fn leave_persist(&mut self) {
        if self.persist.is_none() || !(self.window.edge() > self.nxt || self.fits_whole()) {
            return;
        }
        self.persist = None;
        if self.flight() > 0 {
            // The probe's byte was not accepted, so it is sent first.
            self.board.on_timeout(self.una, self.nxt);
            self.recovery = Recovery::Timeout { point: self.nxt };
        }
    }

    /// Whether nothing remains to be sent that the window could block.
    fn fits_whole(&self) -> bool {
        self.flight() == 0 && self.unsent() == 0
    }
}
