use super::{Ack, CongestionControl, Loss, NewReno, Recovery, WindowRules};
use crate::Time;

/// "ECN discrimination", an alternative to the chunk checksum, from Ye, Saadawi and Lee (2004) as
/// described in the paper "chunk checksum": [`NewReno`], except that a loss in a window of data
/// without any mark counts as corruption. The lost data is retransmitted and the window stays
/// unchanged. A mark cuts the window as usual.
///
/// Not recommended. A router that does not mark (most do not), or whose queue is full, drops
/// packets, which this sender takes for corruption. Without marking routers, only a timeout makes
/// the sender back off, at the expense of every flow on the path.
///
/// Own choices, where the paper says nothing: T3-rtx counts as congestion, since nothing came from
/// the peer; and the window grows while a loss that counts as corruption is repaired. If the peer
/// does not support ECN, the control is plain [`NewReno`].
#[derive(Clone, Debug)]
pub struct EcnDiscrimination {
    reno: NewReno,
    repair: RepairCause,
}

/// The presumed cause of the losses under repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RepairCause {
    OfDamage,
    OfCongestion,
}

impl EcnDiscrimination {
    /// A window as [`NewReno::new`] makes it.
    #[must_use]
    pub fn new(pmdcs: u64, rules: WindowRules, initial: u64) -> Self {
        Self {
            reno: NewReno::new(pmdcs, rules, initial),
            repair: RepairCause::OfCongestion,
        }
    }
}

impl CongestionControl for EcnDiscrimination {
    fn on_ack(&mut self, ack: &Ack) {
        match self.repair {
            RepairCause::OfDamage => self.reno.on_ack(&Ack {
                recovery: Recovery::Open,
                ..*ack
            }),
            RepairCause::OfCongestion => self.reno.on_ack(ack),
        }
    }

    fn on_loss(&mut self, now: Time, loss: Loss) {
        match loss {
            Loss::Unmarked => self.repair = RepairCause::OfDamage,
            Loss::GapReports | Loss::Timeout => {
                self.repair = RepairCause::OfCongestion;
                self.reno.on_loss(now, loss);
            }
        }
    }

    fn on_mark(&mut self, now: Time) {
        self.repair = RepairCause::OfCongestion;
        self.reno.on_mark(now);
    }

    super::as_new_reno!();
}

#[cfg(test)]
mod tests;
