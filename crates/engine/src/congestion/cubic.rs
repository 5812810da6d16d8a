use super::{Ack, CongestionControl, Loss, NewReno, Recovery, WindowRules};
use crate::Time;
use crate::on_demand::{Blank, OnDemand};

/// C (RFC 9438 §4.1.1, value from §5.1), packets per cubic second.
const C: f64 = 0.4;
/// beta_cubic (RFC 9438 §4.6).
const BETA: f64 = 0.7;
/// alpha_cubic while the Reno-friendly window is below the window of the last loss (RFC 9438 §4.3).
const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);

/// CUBIC (RFC 9438) for SCTP. In congestion avoidance the window follows a cubic function of the
/// time since the last loss, so growth depends little on the round trip and large windows recover
/// quickly. A loss cuts the window by 30 %. The window is never smaller than New Reno's would be.
///
/// Slow start and idle periods work as in [`NewReno`]. A cut is undone if all its losses prove
/// spurious (§4.9.2), or if the timeout was spurious (§4.9.1), which only
/// [`LossDetection::Rack`](crate::LossDetection::Rack) detects.
#[derive(Clone, Debug)]
pub struct Cubic {
    reno: NewReno,
    /// Created when the first slow start ends.
    course: OnDemand<Course>,
}

/// The course of congestion avoidance.
#[derive(Clone, Debug)]
struct Course {
    /// Window growth not yet amounting to a whole byte, packets.
    fraction: f64,
    /// The window at the last loss, reduced by fast convergence if it applies, packets.
    w_max: f64,
    /// The window just before the last loss, packets.
    cwnd_prior: f64,
    epoch: Epoch,
    /// The state before the last cut.
    undo: Option<WindowBefore>,
}

impl Course {
    const NONE: Self = Self {
        fraction: 0.0,
        w_max: 0.0,
        cwnd_prior: 0.0,
        epoch: Epoch::AfterTimeout,
        undo: None,
    };
}

impl Blank for Course {
    fn blank() -> &'static Self {
        const NONE: &Course = &Course::NONE;
        NONE
    }

    fn fresh() -> Self {
        Self::NONE
    }
}

/// The beginning of the current stage of congestion avoidance.
#[derive(Clone, Copy, Debug)]
enum Epoch {
    /// The stage begins with the next acknowledgement; the curve aims at `w_max`.
    AfterLoss,
    /// The stage begins with the next acknowledgement, at its plateau (RFC 9438 §4.8).
    AfterTimeout,
    Running(Curve),
}

#[derive(Clone, Copy, Debug)]
struct Curve {
    began: Time,
    /// The last time at which the window was in use; idle time does not count towards growth.
    used: Time,
    /// Seconds until the curve reaches its plateau.
    k: f64,
    /// The plateau, packets.
    origin: f64,
    /// The window that New Reno would have, packets.
    w_est: f64,
}

#[derive(Clone, Copy, Debug)]
struct WindowBefore {
    cwnd: u64,
    ssthresh: u64,
    w_max: f64,
    cwnd_prior: f64,
    epoch: Epoch,
}

impl Curve {
    // RFC 9438 §4.2, figure 1
    fn window(&self, t: f64) -> f64 {
        let d = t - self.k;
        C * d * d * d + self.origin
    }
}

impl Cubic {
    /// A window as [`NewReno::new`] makes it.
    #[must_use]
    pub fn new(pmdcs: u64, rules: WindowRules, initial: u64) -> Self {
        Self {
            reno: NewReno::new(pmdcs, rules, initial),
            course: OnDemand::NONE,
        }
    }

    fn packets(&self, bytes: u64) -> f64 {
        packets(bytes, self.reno.pmdcs())
    }

    fn curve(&self, now: Time) -> Curve {
        let cwnd = self.packets(self.reno.cwnd());
        let (k, origin) = match self.course.epoch {
            Epoch::Running(curve) => return curve,
            Epoch::AfterLoss if cwnd < self.course.w_max => {
                (cube_root((self.course.w_max - cwnd) / C), self.course.w_max)
            }
            Epoch::AfterLoss | Epoch::AfterTimeout => (0.0, cwnd),
        };
        Curve {
            began: now,
            used: now,
            k,
            origin,
            w_est: cwnd,
        }
    }

    fn congestion_avoidance(&mut self, ack: &Ack) {
        let mut curve = self.curve(ack.now);
        if !self.reno.was_full(ack) {
            // RFC 9438 §5.8
            curve.began = curve.began + ack.now.since(curve.used);
            curve.used = ack.now;
            self.course.epoch = Epoch::Running(curve);
            return;
        }
        curve.used = ack.now;
        let acked = self.packets(ack.bytes);
        let cwnd = self.packets(self.reno.cwnd()) + self.course.fraction;
        // RFC 9438 §4.3
        let alpha = if curve.w_est < self.course.cwnd_prior {
            ALPHA
        } else {
            1.0
        };
        curve.w_est += alpha * acked / cwnd;
        self.course.epoch = Epoch::Running(curve);
        let t = ack.now.since(curve.began).as_secs_f64();
        let rtt = ack.srtt.unwrap_or_default().as_secs_f64();
        let grown = if curve.window(t) < curve.w_est {
            cwnd.max(curve.w_est)
        } else {
            // RFC 9438 §4.2, §4.4, §4.5
            let target = curve.window(t + rtt).clamp(cwnd, 1.5 * cwnd);
            cwnd + (target - cwnd) / cwnd * acked
        };
        self.take(grown);
    }

    /// Sets the window to a number of packets; `cwnd` becomes whole bytes.
    fn take(&mut self, window: f64) {
        let bytes = bytes(window, self.reno.pmdcs());
        self.course.fraction = window - self.packets(bytes);
        self.reno.set(bytes, self.reno.ssthresh());
    }

    // RFC 9438 §4.7, fast convergence
    fn remember_window(&mut self) {
        let cwnd = self.packets(self.reno.cwnd());
        self.course.w_max = if cwnd < self.course.w_max {
            cwnd * (1.0 + BETA) / 2.0
        } else {
            cwnd
        };
        self.course.cwnd_prior = cwnd;
        self.course.fraction = 0.0;
    }

    /// The window after a loss or a mark (RFC 9438 §4.6).
    fn reduced(&self) -> u64 {
        let kept = self.packets(self.reno.cwnd()) * BETA;
        bytes(kept, self.reno.pmdcs()).max(self.reno.least())
    }

    fn note_before(&mut self) {
        self.course.undo = Some(WindowBefore {
            cwnd: self.reno.cwnd(),
            ssthresh: self.reno.ssthresh(),
            w_max: self.course.w_max,
            cwnd_prior: self.course.cwnd_prior,
            epoch: self.course.epoch,
        });
    }

    fn cut(&mut self) {
        self.note_before();
        let reduced = self.reduced();
        self.remember_window();
        self.reno.set(reduced, reduced);
        self.course.epoch = Epoch::AfterLoss;
    }
}

impl CongestionControl for Cubic {
    fn on_ack(&mut self, ack: &Ack) {
        // At the threshold, RFC 5681 §3.1 allows either phase. A loss leaves the window exactly
        // there.
        let starts = self.reno.cwnd() < self.reno.ssthresh();
        if starts || ack.recovery == Recovery::Fast {
            self.reno.on_ack(ack);
        } else {
            self.reno.on_sign_of_use();
            self.congestion_avoidance(ack);
        }
    }

    fn on_loss(&mut self, _now: Time, loss: Loss) {
        match loss {
            Loss::GapReports | Loss::Unmarked => self.cut(),
            // RFC 9438 §4.8
            Loss::Timeout => {
                self.note_before();
                let reduced = self.reduced();
                self.remember_window();
                self.reno.set(self.reno.pmdcs(), reduced);
                self.course.epoch = Epoch::AfterTimeout;
            }
        }
    }

    fn on_mark(&mut self, _now: Time) {
        let cwnd = self.reno.cwnd();
        self.cut();
        self.course.undo = None;
        // An ECNE must not raise a window that is below the minimum threshold.
        self.reno
            .set(self.reno.cwnd().min(cwnd), self.reno.ssthresh());
    }

    fn on_spurious_loss(&mut self, _now: Time) {
        if let Some(course) = self.course.existing()
            && let Some(before) = course.undo.take()
            && before.cwnd > self.reno.cwnd()
        {
            self.reno.set(before.cwnd, before.ssthresh);
            (course.w_max, course.cwnd_prior) = (before.w_max, before.cwnd_prior);
            course.epoch = before.epoch;
        }
    }

    fn on_idle(&mut self, rtos: u32) {
        let before = self.reno.cwnd();
        self.reno.on_idle(rtos);
        if self.reno.cwnd() < before
            && let Some(course) = self.course.existing()
        {
            course.fraction = 0.0;
            course.epoch = Epoch::AfterLoss;
        }
    }

    fn on_resume(&mut self, cwnd: u64, ssthresh: u64) {
        self.reno.on_resume(cwnd, ssthresh);
    }

    fn on_pmdcs(&mut self, pmdcs: u64) {
        let before = self.reno.pmdcs();
        self.reno.on_pmdcs(pmdcs);
        // These windows are counted in packets, whose size has changed.
        if pmdcs != before
            && pmdcs > 0
            && let Some(course) = self.course.existing()
        {
            let scale = packets(before, pmdcs);
            course.w_max *= scale;
            course.cwnd_prior *= scale;
            course.fraction = 0.0;
            course.epoch = Epoch::AfterLoss;
            course.undo = None;
        }
    }

    fn cwnd(&self) -> u64 {
        self.reno.cwnd()
    }

    fn ssthresh(&self) -> u64 {
        self.reno.ssthresh()
    }

    fn footprint(&self) -> usize {
        size_of::<Self>() + self.course.footprint()
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "windows are far below 2^53 bytes"
)]
fn packets(bytes: u64, pmdcs: u64) -> f64 {
    bytes as f64 / pmdcs.max(1) as f64
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates"
)]
fn bytes(packets: f64, pmdcs: u64) -> u64 {
    (packets * pmdcs as f64) as u64
}

/// Cube root by Newton's method: bit-identical on all machines, and `core` has no `cbrt`.
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
