use sheave_engine::Time;

use super::hystart::{HyStart, SlowStartStage};
use super::{Ack, CongestionControl, Loss, SlowStart, UseOfWindow};
use crate::tcp::SlowStartExit;

/// C of RFC 9438 §4.1.1 with the value of §5.1, segments per cubic second.
const C: f64 = 0.4;
/// beta_cubic (RFC 9438 §4.6).
const BETA: f64 = 0.7;
/// alpha_cubic while the Reno-friendly window is below the window of the last loss (RFC 9438 §4.3).
const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);

/// CUBIC (RFC 9438): window growth is a cubic function of the time since the last loss.
///
/// Windows are in segments, as in the RFC's formulas.
#[derive(Clone, Debug)]
pub struct Cubic {
    start: SlowStart,
    cwnd: f64,
    ssthresh: f64,
    /// Window at the last loss, reduced by fast convergence if it applies.
    w_max: f64,
    /// Window just before the last loss.
    cwnd_prior: f64,
    epoch: Epoch,
    /// Slow-start exit detection; reset after a timeout.
    hystart: Option<HyStart>,
    exit: SlowStartExit,
}

/// Start of the current stage of congestion avoidance.
#[derive(Clone, Copy, Debug)]
enum Epoch {
    /// The stage starts with the next acknowledgement; the curve aims at `w_max`.
    AfterLoss,
    /// The stage starts with the next acknowledgement, at the plateau (RFC 9438 §4.8).
    AfterTimeout,
    Running(Curve),
}

#[derive(Clone, Copy, Debug)]
struct Curve {
    began: Time,
    /// Time until the curve reaches its plateau, seconds.
    k: f64,
    /// The plateau.
    origin: f64,
    /// Estimate of Reno's window.
    w_est: f64,
}

impl Curve {
    // RFC 9438 §4.2, figure 1
    fn window(&self, t: f64) -> f64 {
        let d = t - self.k;
        C * d * d * d + self.origin
    }
}

impl Cubic {
    /// Creates the state in slow start, without a threshold.
    #[must_use]
    pub fn new(start: SlowStart, exit: SlowStartExit) -> Self {
        Self {
            start,
            cwnd: segments(start.initial, start.smss),
            ssthresh: f64::INFINITY,
            w_max: 0.0,
            cwnd_prior: 0.0,
            epoch: Epoch::AfterTimeout,
            hystart: watched(exit),
            exit,
        }
    }

    fn slow_start(&mut self, ack: &Ack) {
        self.cwnd += segments(self.start.growth(ack.bytes), self.start.smss);
        let smss = segments(self.start.smss, 1);
        let stage = self
            .hystart
            .as_mut()
            .map(|hystart| hystart.on_ack(ack, self.cwnd, smss));
        if stage == Some(SlowStartStage::IsOver) {
            self.hystart = None;
            self.ssthresh = self.cwnd;
        }
    }

    fn curve(&mut self, now: Time) -> Curve {
        let (k, origin) = match self.epoch {
            Epoch::Running(curve) => return curve,
            Epoch::AfterLoss if self.cwnd < self.w_max => {
                (cube_root((self.w_max - self.cwnd) / C), self.w_max)
            }
            Epoch::AfterLoss | Epoch::AfterTimeout => (0.0, self.cwnd),
        };
        Curve {
            began: now,
            k,
            origin,
            w_est: self.cwnd,
        }
    }

    // RFC 9438 §4.7, fast convergence
    fn remember_window(&mut self) {
        self.w_max = if self.cwnd < self.w_max {
            self.cwnd * (1.0 + BETA) / 2.0
        } else {
            self.cwnd
        };
        self.cwnd_prior = self.cwnd;
    }

    fn congestion_avoidance(&mut self, ack: &Ack) {
        let mut curve = self.curve(ack.now);
        let acked = segments(ack.bytes, self.start.smss);
        // RFC 9438 §4.3
        let alpha = if curve.w_est < self.cwnd_prior {
            ALPHA
        } else {
            1.0
        };
        curve.w_est += alpha * acked / self.cwnd;
        self.epoch = Epoch::Running(curve);
        let t = ack.now.since(curve.began).as_secs_f64();
        let rtt = ack.srtt.unwrap_or_default().as_secs_f64();
        if curve.window(t) < curve.w_est {
            self.cwnd = self.cwnd.max(curve.w_est);
        } else {
            // RFC 9438 §4.2, §4.4, §4.5
            let target = curve.window(t + rtt).clamp(self.cwnd, 1.5 * self.cwnd);
            self.cwnd += (target - self.cwnd) / self.cwnd * acked;
        }
    }
}

impl CongestionControl for Cubic {
    fn on_ack(&mut self, ack: &Ack) {
        if ack.use_of_window == UseOfWindow::Partial {
            return;
        }
        if self.cwnd < self.ssthresh {
            self.slow_start(ack);
        } else {
            self.congestion_avoidance(ack);
        }
    }

    fn on_loss(&mut self, loss: Loss, flight: u64) {
        let reduced = (segments(flight, self.start.smss) * BETA).max(2.0);
        match loss {
            Loss::Duplicates | Loss::Timeout => {
                self.remember_window();
                // RFC 9438 §4.6
                self.ssthresh = reduced;
            }
            // The data sent beyond the window during recovery is no measure of the path.
            Loss::TimeoutInRecovery => self.ssthresh = self.ssthresh.min(reduced),
            Loss::RepeatedTimeout => {}
        }
        (self.cwnd, self.epoch) = match loss {
            Loss::Duplicates => (self.ssthresh, Epoch::AfterLoss),
            Loss::Timeout | Loss::TimeoutInRecovery | Loss::RepeatedTimeout => {
                self.hystart = watched(self.exit);
                (1.0, Epoch::AfterTimeout)
            }
        };
    }

    fn on_recovered(&mut self, flight: u64) {
        let flight = segments(flight, self.start.smss);
        self.cwnd = self.ssthresh.min(flight.max(1.0) + 1.0);
    }

    fn on_idle(&mut self) {
        self.cwnd = self.cwnd.min(segments(self.start.initial, self.start.smss));
        // RFC 9438 §5.8: idle time does not count.
        self.epoch = Epoch::AfterLoss;
    }

    fn cwnd(&self) -> u64 {
        bytes(self.cwnd, self.start.smss)
    }

    fn ssthresh(&self) -> u64 {
        bytes(self.ssthresh, self.start.smss)
    }
}

fn watched(exit: SlowStartExit) -> Option<HyStart> {
    match exit {
        SlowStartExit::Loss => None,
        SlowStartExit::HyStart => Some(HyStart::new()),
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "windows are far below 2^53 bytes"
)]
fn segments(bytes: u64, smss: u64) -> f64 {
    bytes as f64 / smss as f64
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, which is what infinity wants"
)]
fn bytes(segments: f64, smss: u64) -> u64 {
    (segments * smss as f64) as u64
}

/// Cube root by Newton's method: bit-identical on all machines, unlike a platform's mathematical
/// library.
fn cube_root(x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let mut root = x.max(1.0);
    for _ in 0..200 {
        let next = (2.0 * root + x / (root * root)) / 3.0;
        if next >= root {
            break;
        }
        root = next;
    }
    root
}

#[cfg(test)]
mod tests;
