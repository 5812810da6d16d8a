use super::{Ack, CongestionControl, Loss, NewReno, WindowRules};
use crate::{Coupling, Time};

/// [`NewReno`] on one of several paths that an association uses concurrently, with coupled windows;
/// see [`Coupling`] for the rules.
///
/// Coupling scales New Reno's growth. A loss cuts only the window of the path that lost.
#[derive(Clone, Debug)]
pub struct Coupled {
    reno: NewReno,
    coupling: Coupling,
    siblings: Siblings,
}

/// Sums over the paths on which an association sends new data, including this one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Siblings {
    /// Congestion windows, bytes.
    pub cwnd: u64,
    /// Slow-start thresholds, bytes.
    pub ssthresh: u64,
    /// Sum of cwnd/rtt, bytes per second.
    pub rate: u64,
    /// cwnd/rtt of this path alone, bytes per second.
    pub own_rate: u64,
    /// Largest cwnd/rtt² of any path, bytes per square second.
    pub best_pull: u128,
}

/// A share of one, as a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Share {
    of: u128,
    whole: u128,
}

impl Share {
    /// This share of `bytes`, rounded up and at most `bytes`; all of `bytes` if the share is
    /// unknown.
    fn take(self, bytes: u64) -> u64 {
        if self.whole == 0 || self.of >= self.whole {
            return bytes;
        }
        let share = u128::from(bytes)
            .saturating_mul(self.of)
            .div_ceil(self.whole);
        u64::try_from(share).map_or(bytes, |share| share.min(bytes))
    }
}

impl Coupled {
    /// A window as [`NewReno::new`] makes it.
    #[must_use]
    pub fn new(pmdcs: u64, rules: WindowRules, initial: u64, coupling: Coupling) -> Self {
        Self {
            reno: NewReno::new(pmdcs, rules, initial),
            coupling,
            siblings: Siblings::default(),
        }
    }

    /// The share of New Reno's growth allowed on this path.
    fn growth(&self) -> Share {
        let siblings = &self.siblings;
        let starting = self.reno.cwnd() <= self.reno.ssthresh();
        match self.coupling {
            Coupling::Uncoupled => ALL,
            Coupling::PooledThresholds => Share {
                of: self.reno.ssthresh().into(),
                whole: siblings.ssthresh.into(),
            },
            Coupling::PooledRates => Share {
                of: siblings.own_rate.into(),
                whole: siblings.rate.into(),
            },
            // RFC 6356 §3: slow start is unchanged. In congestion avoidance each byte adds
            // alpha/cwnd_total instead of 1/cwnd, where alpha = cwnd_total * max(cwnd/rtt^2) / (sum
            // of cwnd/rtt)^2.
            Coupling::LinkedIncreases if starting => ALL,
            Coupling::LinkedIncreases => Share {
                of: u128::from(self.reno.cwnd()).saturating_mul(siblings.best_pull),
                whole: u128::from(siblings.rate).saturating_mul(siblings.rate.into()),
            },
        }
    }

    /// The threshold after a loss, if it differs from half of the window.
    fn threshold(&self) -> Option<u64> {
        let cwnd = self.reno.cwnd();
        let siblings = &self.siblings;
        match self.coupling {
            Coupling::Uncoupled | Coupling::LinkedIncreases => None,
            Coupling::PooledThresholds => {
                let least = self
                    .growth()
                    .take(4 * self.reno.pmdcs())
                    .max(self.reno.pmdcs());
                let left = cwnd.saturating_sub(siblings.cwnd.max(cwnd) / 2);
                Some(left.max(least))
            }
            Coupling::PooledRates => {
                // Half of the total rate, in bytes of this path; at least half of its window.
                let half = u128::from(cwnd).saturating_mul(siblings.rate.into());
                let half = half.checked_div(2 * u128::from(siblings.own_rate));
                let half = half.map_or(u64::MAX, |half| u64::try_from(half).unwrap_or(u64::MAX));
                let taken = half.max(cwnd / 2);
                Some(cwnd.saturating_sub(taken).max(self.reno.pmdcs()))
            }
        }
    }
}

/// The share of a lone path: all of the growth.
const ALL: Share = Share { of: 1, whole: 1 };

impl CongestionControl for Coupled {
    fn on_siblings(&mut self, siblings: &Siblings) {
        self.siblings = *siblings;
    }

    fn on_ack(&mut self, ack: &Ack) {
        let share = self.growth();
        let before = self.reno.cwnd();
        self.reno.on_ack(ack);
        let grown = self.reno.cwnd().saturating_sub(before);
        self.reno.shrink_to(before + share.take(grown));
    }

    fn on_loss(&mut self, now: Time, loss: Loss) {
        let threshold = self.threshold();
        self.reno.on_loss(now, loss);
        if let Some(threshold) = threshold {
            self.reno.lower_to(threshold);
        }
    }

    fn on_mark(&mut self, now: Time) {
        let threshold = self.threshold();
        self.reno.on_mark(now);
        if let Some(threshold) = threshold {
            self.reno.lower_to(threshold);
        }
    }

    super::as_new_reno!();
}

#[cfg(test)]
mod tests;
