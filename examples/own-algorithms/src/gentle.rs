use sheave_sim::engine::{Ack, CongestionControl, Loss, NewPath, NewReno, Time};

/// New Reno, but a loss that gap reports show costs an eighth of the window, not half.
#[derive(Clone, Debug)]
pub(crate) struct Gentle(NewReno);

impl Gentle {
    pub(crate) fn new(path: &NewPath) -> Self {
        Self(NewReno::new(path.pmdcs, path.rules, path.initial))
    }
}

impl CongestionControl for Gentle {
    fn on_ack(&mut self, ack: &Ack) {
        self.0.on_ack(ack);
    }

    fn on_loss(&mut self, now: Time, loss: Loss) {
        let window = self.0.cwnd();
        self.0.on_loss(now, loss);
        if loss != Loss::Timeout {
            // Windows left by another endpoint are taken over in the same way.
            self.0.on_resume(window / 8 * 7, window / 8 * 7);
        }
    }

    fn on_mark(&mut self, now: Time) {
        self.0.on_mark(now);
    }

    fn on_idle(&mut self, rtos: u32) {
        self.0.on_idle(rtos);
    }

    fn on_pmdcs(&mut self, pmdcs: u64) {
        self.0.on_pmdcs(pmdcs);
    }

    fn cwnd(&self) -> u64 {
        self.0.cwnd()
    }

    fn ssthresh(&self) -> u64 {
        self.0.ssthresh()
    }
}
