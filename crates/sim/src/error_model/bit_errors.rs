use sheave_engine::Time;

use super::{ErrorModel, Hit};
use crate::{Probability, Random};

/// The probability of each bit error, independent of all others.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BitErrorRate(pub Probability);

/// Positions of bit errors; only errors cost a random draw.
#[derive(Debug)]
pub(crate) struct BitErrors {
    rate: f64,
    random: Random,
    /// Correct bits before the next error.
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

    /// Positions of the errors among the next `bits` bits.
    pub(crate) fn next(&mut self, bits: u64, mut wrong: impl FnMut(u64)) {
        let mut at = self.right;
        while at < bits {
            wrong(at);
            at = at.saturating_add(1).saturating_add(self.gap());
        }
        self.right = at - bits;
    }

    /// Correct bits before an error: geometrically distributed.
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
