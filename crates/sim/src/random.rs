/// A random generator whose output depends only on a seed and a label, on every platform.
///
/// Uses xoshiro256++. Transcendental functions are computed in software, so that platform libraries
/// cannot change a run.
#[derive(Clone, Debug)]
pub struct Random {
    seed: u64,
    state: [u64; 4],
}

impl Random {
    /// Creates a generator from `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut mixer = seed;
        let mut state = [0; 4];
        for word in &mut state {
            mixer = mixer.wrapping_add(0x9e37_79b9_7f4a_7c15);
            *word = mixed(mixer);
        }
        Self { seed, state }
    }

    /// Derives an independent generator for one purpose from the seed and `label`, so that draws
    /// for one purpose do not affect another.
    pub fn fork(&self, label: &str) -> Self {
        let hash = label.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3_u64)
        });
        Self::new(mixed(self.seed ^ mixed(hash)))
    }

    /// A uniform 64-bit number.
    pub fn u64(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.state;
        let drawn = a.wrapping_add(*d).rotate_left(23).wrapping_add(*a);
        let shifted = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= shifted;
        *d = d.rotate_left(45);
        drawn
    }

    /// A uniform number in 0..n; 0 if `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        loop {
            let product = u128::from(self.u64()) * u128::from(n);
            let (whole, rest) = ((product >> 64) as u64, low(product));
            // Values below 2^64 mod n would bias the result.
            if rest >= n || rest >= n.wrapping_neg().checked_rem(n).unwrap_or(0) {
                return whole;
            }
        }
    }

    /// A uniform number in 0..1.
    pub fn unit(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
        (self.u64() >> 11) as f64 * STEP
    }

    /// Returns true with that probability.
    pub fn happens(&mut self, probability: Probability) -> bool {
        self.unit() < probability.0
    }

    /// An exponentially distributed number with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -libm::log(1.0 - self.unit())
    }

    /// A normally distributed number with mean 0 and standard deviation 1.
    pub fn normal(&mut self) -> f64 {
        // Marsaglia's polar method; the second result is discarded, so no state is kept between
        // draws.
        loop {
            let (x, y) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                return x * libm::sqrt(-2.0 * libm::log(square) / square);
            }
        }
    }

    /// A Pareto-distributed number with minimum 1 and that shape.
    pub fn pareto(&mut self, shape: f64) -> f64 {
        libm::pow(1.0 - self.unit(), -1.0 / shape)
    }
}

/// A probability, 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Probability(f64);

impl Probability {
    /// Probability 0.
    pub const NEVER: Self = Self(0.0);
    /// Probability 1.
    pub const ALWAYS: Self = Self(1.0);

    /// Creates a probability; values outside 0 to 1 are clamped, NaN becomes 0.
    #[must_use]
    pub const fn new(value: f64) -> Self {
        if value > 0.0 {
            Self(value.min(1.0))
        } else {
            Self::NEVER
        }
    }

    /// The value, 0 to 1.
    #[must_use]
    pub const fn value(self) -> f64 {
        self.0
    }
}

/// The lower half.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the lower half is what is wanted"
)]
const fn low(wide: u128) -> u64 {
    wide as u64
}

/// The finaliser of splitmix64: each input bit affects about half of the output bits.
const fn mixed(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests;
