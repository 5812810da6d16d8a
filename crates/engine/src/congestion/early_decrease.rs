use super::{Ack, CongestionControl, Loss, NewReno, Recovery, WindowRules};
use crate::{DecreaseTrigger, Time};

/// "Early decrease": [`NewReno`] with one more stage between congestion avoidance and fast
/// retransmission, from the paper "multihoming failure avoidance".
///
/// After the growth step of a SACK, while cwnd is above ssthresh and the path looks congested,
/// cwnd is cut by a factor, 0.144 in the paper, instead of waiting for a loss to halve it. Once
/// everything sent has been acknowledged, growth starts again.
///
/// The paper gives two accounts of when a path looks congested; see [`DecreaseTrigger`].
#[derive(Clone, Debug)]
pub struct EarlyDecrease {
    reno: NewReno,
    trigger: DecreaseTrigger,
    /// Thousandths of cwnd that one step removes.
    factor: u16,
    outlook: Outlook,
}

/// Whether the path looks congested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outlook {
    Clear,
    Congested,
}

impl EarlyDecrease {
    /// Creates a window as in [`NewReno::new`]; each early step removes `factor` thousandths of it.
    #[must_use]
    pub fn new(
        pmdcs: u64,
        rules: WindowRules,
        initial: u64,
        trigger: DecreaseTrigger,
        factor: u16,
    ) -> Self {
        let outlook = match trigger {
            DecreaseTrigger::Heartbeat => Outlook::Clear,
            DecreaseTrigger::Always => Outlook::Congested,
        };
        Self {
            reno: NewReno::new(pmdcs, rules, initial),
            trigger,
            factor: factor.min(1000),
            outlook,
        }
    }

    /// Cuts the window by one early step, not below ssthresh.
    fn decrease(&mut self) {
        if self.reno.cwnd() > self.reno.ssthresh() {
            let kept = u64::from(1000 - self.factor);
            self.reno.shrink_to(self.reno.cwnd() * kept / 1000);
        }
    }
}

impl CongestionControl for EarlyDecrease {
    fn on_ack(&mut self, ack: &Ack) {
        self.reno.on_ack(ack);
        if ack.flight == 0 {
            if self.trigger == DecreaseTrigger::Heartbeat {
                self.outlook = Outlook::Clear;
            }
        } else if ack.recovery == Recovery::Open && self.outlook == Outlook::Congested {
            self.decrease();
        }
    }

    fn on_loss(&mut self, now: Time, loss: Loss) {
        self.reno.on_loss(now, loss);
    }

    fn on_mark(&mut self, now: Time) {
        self.reno.on_mark(now);
    }

    fn on_probe_unanswered(&mut self) {
        self.outlook = Outlook::Congested;
        if self.trigger == DecreaseTrigger::Heartbeat {
            self.decrease();
        }
    }

    fn on_probe_answered(&mut self) {
        if self.trigger == DecreaseTrigger::Heartbeat {
            self.outlook = Outlook::Clear;
        }
    }

    super::as_new_reno!();
}

#[cfg(test)]
mod tests;
