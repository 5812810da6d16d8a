use sheave_engine::Time;

use super::{ErrorModel, Hit};
use crate::{Probability, Random};

/// The probability that a bit is wrong, each independently of the others.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BitErrorRate(pub Probability);

/// Wrong bits, one after the other: only they cost a draw.
#[derive(Debug)]
pub(crate) struct BitErrors {
    rate: f64,
    random: Random,
    /// Right bits before the next wrong one.
    right: u64,
}

impl BitErrors {
    pub(crate) fn new(rate: BitErrorRate, random: Random) -> Self {
        let mut errors = Self {
            rate: rate.0.value(),
            random,
            right: 0,
        };
        errors.right = errors.gap();
        errors
    }

    /// The places of the wrong ones among the next `bits` bits.
    pub(crate) fn next(&mut self, bits: u64, mut wrong: impl FnMut(u64)) {
        let mut at = self.right;
        while at < bits {
            wrong(at);
            at = at.saturating_add(1).saturating_add(self.gap());
        }
        self.right = at - bits;
    }

    /// Right bits up to a wrong one: geometrically distributed.
    fn gap(&mut self) -> u64 {
        if self.rate <= 0.0 {
            return u64::MAX;
        }
        let unit = 1.0 - self.random.unit();
        let gap = libm::log(unit) / libm::log1p(-self.rate);
        #[expect(clippy::cast_possible_truncation, reason = "saturates")]
        let gap = gap as u64;
        gap
    }
}

impl ErrorModel for BitErrors {
    fn judge(&mut self, _now: Time, len: u32) -> Hit {
        let mut hit = false;
        self.next(u64::from(len) * 8, |_| hit = true);
        hit.into()
    }
}
