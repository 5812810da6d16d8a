use core::time::Duration;

use sheave_engine::Time;

use crate::{Probability, Random};

/// Propagation delay of packets after their last bit has left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Delay {
    /// Delay of every packet.
    pub base: Duration,
    /// Additional delay that varies from packet to packet.
    pub variation: Variation,
    /// Whether the variation lets packets overtake each other.
    pub order: Order,
}

impl Delay {
    /// A constant delay.
    #[must_use]
    pub const fn constant(base: Duration) -> Self {
        Self {
            base,
            variation: Variation::None,
            order: Order::Kept,
        }
    }
}

/// The variable part of the delay.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Variation {
    /// No variation.
    #[default]
    None,
    /// Uniform, from minus to plus `spread`.
    Uniform {
        /// The largest deviation.
        spread: Duration,
    },
    /// Normally distributed around 0.
    Normal {
        /// The standard deviation.
        deviation: Duration,
    },
    /// An added delay with a long tail: a Pareto distribution shifted to start at 0.
    Pareto {
        /// Mean of the added delay.
        mean: Duration,
        /// Shape, above 1; smaller values give longer tails (at 2 and below the variance is
        /// infinite).
        shape: f64,
    },
}

/// Whether packets keep their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// A packet arrives no earlier than those sent before it.
    #[default]
    Kept,
    /// Each packet's delay is its own.
    Free,
}

/// Packets delayed so that others overtake them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reordering {
    /// Share of packets affected.
    pub probability: Probability,
    /// Additional delay of affected packets.
    pub extra: Duration,
}

/// Delay state of a link.
#[derive(Debug)]
pub(crate) struct Propagation {
    delay: Delay,
    random: Random,
    latest: Time,
}

impl Propagation {
    pub(crate) fn new(delay: Delay, random: Random) -> Self {
        Self {
            delay,
            random,
            latest: Time::ZERO,
        }
    }

    /// Arrival time of a packet whose last bit leaves at `sent`.
    pub(crate) fn arrival(&mut self, sent: Time) -> Time {
        let base = self.delay.base;
        let random = &mut self.random;
        let due = match self.delay.variation {
            Variation::None => sent + base,
            Variation::Uniform { spread } => {
                sent + shifted(base, spread, 2.0 * random.unit() - 1.0)
            }
            Variation::Normal { deviation } => sent + shifted(base, deviation, random.normal()),
            Variation::Pareto { mean, shape } => {
                let extra = (random.pareto(shape) - 1.0) * (shape - 1.0);
                sent + shifted(base, mean, extra)
            }
        };
        match self.delay.order {
            Order::Free => due,
            Order::Kept => {
                self.latest = self.latest.max(due);
                self.latest
            }
        }
    }
}

/// `base` plus `factor` times `unit`, in whole nanoseconds; at least zero.
fn shifted(base: Duration, unit: Duration, factor: f64) -> Duration {
    let nanos = libm::round(unit.as_nanos() as f64 * factor);
    // The conversion from floating point saturates.
    #[expect(clippy::cast_possible_truncation, reason = "saturates")]
    let span = Duration::from_nanos(nanos.abs() as u64);
    if nanos < 0.0 {
        base.saturating_sub(span)
    } else {
        base.saturating_add(span)
    }
}

#[cfg(test)]
mod tests;
