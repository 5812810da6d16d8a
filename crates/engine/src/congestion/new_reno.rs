use alloc::boxed::Box;

use super::hystart::{Growth, HyStart};
use super::{Ack, CongestionControl, Cumulative, Loss, Recovery};
use crate::{Time, WindowRules};

/// The congestion control of RFC 9260 §7.2: slow start, congestion avoidance with
/// partial_bytes_acked, halving on gap reports, one packet after a timeout.
#[derive(Clone, Debug)]
pub struct NewReno {
    /// Bytes; an association has one of these for each path, and is small.
    pmdcs: u32,
    rules: WindowRules,
    decay: Decay,
    cwnd: u64,
    ssthresh: u64,
    partial_bytes_acked: u64,
    /// HyStart++ state of the first slow start, created at the first full window.
    watch: Option<Box<HyStart>>,
}

/// The value of ssthresh before the first loss.
const NO_THRESHOLD: u64 = u32::MAX as u64;

/// Whether the window is shrinking during an idle period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decay {
    Fresh,
    Decaying,
}

impl NewReno {
    /// Creates the state with the first window that `rules` allow and no threshold. `initial` is
    /// the byte value that RFC 9260 §7.2.1 bounds between two and four PMDCS.
    #[must_use]
    pub fn new(pmdcs: u64, rules: WindowRules, initial: u64) -> Self {
        Self {
            pmdcs: narrow(pmdcs),
            rules,
            decay: Decay::Fresh,
            cwnd: rules.first_window(pmdcs, initial),
            ssthresh: NO_THRESHOLD,
            partial_bytes_acked: 0,
            watch: None,
        }
    }

    /// Reduces the window, to at least one PMDCS.
    pub(super) fn shrink_to(&mut self, cwnd: u64) {
        self.cwnd = cwnd.max(self.pmdcs()).min(self.cwnd);
    }

    /// Reduces the threshold, and the window to at most the threshold.
    pub(super) fn lower_to(&mut self, ssthresh: u64) {
        self.ssthresh = ssthresh.min(self.ssthresh);
        self.cwnd = self.cwnd.min(self.ssthresh);
    }

    /// Sets window and threshold as another rule computed them.
    pub(super) fn set(&mut self, cwnd: u64, ssthresh: u64) {
        (self.cwnd, self.ssthresh) = (cwnd, ssthresh);
        self.partial_bytes_acked = 0;
        self.watch = None;
    }

    pub(super) const fn is_slow_start(&self) -> bool {
        self.cwnd <= self.ssthresh
    }

    /// Ends the idle period: something was acknowledged.
    pub(super) fn on_sign_of_use(&mut self) {
        self.decay = Decay::Fresh;
    }

    pub(super) const fn pmdcs(&self) -> u64 {
        self.pmdcs as u64
    }

    /// Minimum threshold, bytes.
    pub(super) const fn least(&self) -> u64 {
        self.rules.least(self.pmdcs())
    }

    fn slow_start(&mut self, ack: &Ack) {
        // RFC 9260 §7.2.1: grows only if the window is full, Fast Recovery is off and the
        // Cumulative TSN Ack Point moves; at most by the bytes acknowledged, against ACK splitting.
        if ack.cumulative == Cumulative::Advanced && self.was_full(ack) {
            let step = ack.bytes.min(self.rules.largest_step(self.pmdcs()));
            match self.growth(ack) {
                Growth::Whole => self.cwnd += step,
                Growth::Part(divisor) => self.cwnd += step / divisor,
                // RFC 9406 §4.2
                Growth::Over => {
                    self.ssthresh = self.cwnd;
                    self.watch = None;
                }
            }
        }
    }

    #[inline]
    fn growth(&mut self, ack: &Ack) -> Growth {
        // Later slow starts end at ssthresh (RFC 9406 §4.3).
        if !self.rules.watches_slow_start() || self.ssthresh != NO_THRESHOLD {
            return Growth::Whole;
        }
        let watch = self.watch.get_or_insert_with(|| Box::new(HyStart::new()));
        watch.on_ack(ack)
    }

    /// Whether the window, rather than a lack of data, limited the sender. After a timeout one
    /// packet of any size counts as a full window (RFC 9260 §7.2.3).
    pub(super) fn was_full(&self, ack: &Ack) -> bool {
        ack.flight_before >= self.cwnd || self.cwnd <= self.pmdcs()
    }

    // RFC 9260 §7.2.2
    fn congestion_avoidance(&mut self, ack: &Ack) {
        self.partial_bytes_acked += ack.bytes;
        let full = self.was_full(ack);
        if self.partial_bytes_acked >= self.cwnd {
            if full {
                self.partial_bytes_acked -= self.cwnd;
                self.cwnd += self.pmdcs();
            } else {
                self.partial_bytes_acked = self.cwnd;
            }
        }
        if ack.flight == 0 {
            self.partial_bytes_acked = 0;
        }
    }
}

impl CongestionControl for NewReno {
    fn on_ack(&mut self, ack: &Ack) {
        self.decay = Decay::Fresh;
        if ack.recovery == Recovery::Fast {
            return;
        }
        if self.cwnd <= self.ssthresh {
            self.slow_start(ack);
        } else {
            self.congestion_avoidance(ack);
        }
    }

    // RFC 9260 §7.2.3
    fn on_loss(&mut self, _now: Time, loss: Loss) {
        self.ssthresh = (self.cwnd / 2).max(self.rules.least(self.pmdcs()));
        self.cwnd = match loss {
            Loss::GapReports | Loss::Unmarked => self.ssthresh,
            Loss::Timeout => self.pmdcs(),
        };
        self.partial_bytes_acked = 0;
        self.watch = None;
    }

    // RFC 3168 §6.1.2: reacts as to a loss, but keeps a window below the threshold, since an ECNE
    // must not widen the window.
    fn on_mark(&mut self, _now: Time) {
        self.ssthresh = (self.cwnd / 2).max(self.rules.least(self.pmdcs()));
        self.cwnd = self.cwnd.min(self.ssthresh);
        self.partial_bytes_acked = 0;
        self.watch = None;
    }

    // RFC 9260 §7.2.1, last rule
    fn on_idle(&mut self, rtos: u32) {
        let floor = self.rules.least(self.pmdcs());
        // The threshold is kept while the window does not shrink, so an association that is idle
        // before its first message still begins with slow start.
        if rtos == 0 || self.cwnd <= floor {
            return;
        }
        if self.decay == Decay::Fresh {
            self.ssthresh = self.cwnd;
            self.watch = None;
            self.decay = Decay::Decaying;
        }
        self.cwnd = self.cwnd.checked_shr(rtos).unwrap_or(0).max(floor);
    }

    fn on_resume(&mut self, cwnd: u64, ssthresh: u64) {
        self.set(cwnd, ssthresh);
    }

    fn on_pmdcs(&mut self, pmdcs: u64) {
        self.pmdcs = narrow(pmdcs);
    }

    fn cwnd(&self) -> u64 {
        self.cwnd
    }

    fn ssthresh(&self) -> u64 {
        self.ssthresh
    }
}

/// A PMDCS: at most 65,535 bytes, the longest packet.
fn narrow(pmdcs: u64) -> u32 {
    u32::try_from(pmdcs).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
