use core::time::Duration;

use sheave_engine::Time;

use crate::{Probability, Random};

/// Propagation delay of packets after their last bit has left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Delay {
    /// Delay of every packet.
    pub base: Duration,
    /// Additional delay that differs from packet to packet.
    pub variation: Variation,
    /// Whether a packet may overtake another because of the variation.
    pub order: Order,
}

impl Delay {
    /// The same for all packets.
    #[must_use]
    pub const fn constant(base: Duration) -> Self {
        Self {
            base,
            variation: Variation::None,
            order: Order::Kept,
        }
    }
}

/// The part of a delay that differs from packet to packet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Variation {
    /// There is none.
    #[default]
    None,
    /// Anything from `spread` less to `spread` more, all equally likely.
    Uniform {
        /// The most that is added or taken away.
        spread: Duration,
    },
    /// Normally distributed around 0.
    Normal {
        /// The standard deviation.
        deviation: Duration,
    },
    /// Added with a long tail: a Pareto distribution that begins at 0.
    Pareto {
        /// The mean of what is added.
        mean: Duration,
        /// The shape, above 1; the smaller, the longer the tail (at 2 and below the variance is
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

/// Packets that are held back so that others overtake them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reordering {
    /// Share of packets that are delayed.
    pub probability: Probability,
    /// Additional delay of these packets.
    pub extra: Duration,
}

/// A link's delay at work.
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

    /// When a packet arrives whose last bit leaves at `sent`.
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

/// `base` and `factor` times `unit`, to the nanosecond; never below zero.
fn shifted(base: Duration, unit: Duration, factor: f64) -> Duration {
    let nanos = libm::round(unit.as_nanos() as f64 * factor);
    // A conversion from floating point keeps to the ends of the range.
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
