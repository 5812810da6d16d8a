use super::{Ack, CongestionControl, Loss, SlowStart, UseOfWindow};
use crate::tcp::Counting;

/// Slow start, additive increase, halving (RFC 5681).
#[derive(Clone, Debug)]
pub struct NewReno {
    start: SlowStart,
    counting: Counting,
    cwnd: u64,
    ssthresh: u64,
    /// Bytes acknowledged since the window last grew, in congestion avoidance.
    acked: u64,
}

impl NewReno {
    /// Creates the state in slow start, without a threshold.
    #[must_use]
    pub const fn new(start: SlowStart, counting: Counting) -> Self {
        Self {
            start,
            counting,
            cwnd: start.initial,
            ssthresh: u64::MAX,
            acked: 0,
        }
    }

    // RFC 5681 §3.1
    fn congestion_avoidance(&mut self, bytes: u64) {
        let smss = self.start.smss;
        match self.counting {
            Counting::Acknowledgements => self.cwnd += (smss * smss / self.cwnd).max(1),
            Counting::Bytes => {
                self.acked += bytes;
                if self.acked >= self.cwnd {
                    self.acked -= self.cwnd;
                    self.cwnd += smss;
                }
            }
        }
    }
}

impl CongestionControl for NewReno {
    fn on_ack(&mut self, ack: &Ack) {
        if ack.use_of_window == UseOfWindow::Partial {
            return;
        }
        if self.cwnd < self.ssthresh {
            self.cwnd += self.start.growth(ack.bytes);
        } else {
            self.congestion_avoidance(ack.bytes);
        }
    }

    // RFC 5681 §3.1, equation 4, and §3.2
    fn on_loss(&mut self, loss: Loss, flight: u64) {
        let half = (flight / 2).max(2 * self.start.smss);
        self.ssthresh = match loss {
            Loss::Duplicates | Loss::Timeout => half,
            // The data sent beyond the window during recovery is no measure of the path.
            Loss::TimeoutInRecovery => half.min(self.ssthresh),
            Loss::RepeatedTimeout => self.ssthresh,
        };
        self.cwnd = match loss {
            Loss::Duplicates => self.ssthresh,
            Loss::Timeout | Loss::TimeoutInRecovery | Loss::RepeatedTimeout => self.start.smss,
        };
        self.acked = 0;
    }

    fn on_recovered(&mut self, flight: u64) {
        let smss = self.start.smss;
        self.cwnd = self.ssthresh.min(flight.max(smss) + smss);
    }

    fn on_idle(&mut self) {
        self.cwnd = self.cwnd.min(self.start.initial);
        self.acked = 0;
    }

    fn cwnd(&self) -> u64 {
        self.cwnd
    }

    fn ssthresh(&self) -> u64 {
        self.ssthresh
    }
}
