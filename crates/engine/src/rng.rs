use core::fmt;

use hmac::{Hmac, KeyInit, Mac};
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng};
use sha2::Sha256;

/// The only source of randomness: ChaCha12 with a 32-byte seed.
///
/// With a seed from the operating system, its output is unpredictable; with a fixed seed, a run
/// repeats exactly on every platform, in debug and release builds.
#[derive(Clone)]
pub(crate) struct Rng {
    source: ChaCha12Rng,
}

impl Rng {
    /// Creates a generator whose output depends only on `seed`.
    pub(crate) fn new(seed: [u8; 32]) -> Self {
        Self {
            source: ChaCha12Rng::from_seed(seed),
        }
    }

    /// Derives a separate generator from the seed and `label` alone, so that draws for one purpose
    /// do not affect another.
    pub(crate) fn fork(&self, label: &str) -> Self {
        let mut block = [0; 64];
        block
            .iter_mut()
            .zip(self.source.get_seed())
            .for_each(|(to, from)| *to = from);
        let mut mac = Hmac::<Sha256>::new(&block.into());
        mac.update(label.as_bytes());
        Self::new(mac.finalize().into_bytes().into())
    }

    /// A uniform random number.
    pub(crate) fn u32(&mut self) -> u32 {
        self.source.next_u32()
    }

    /// A uniform random number.
    pub(crate) fn u64(&mut self) -> u64 {
        self.source.next_u64()
    }

    /// A random number other than 0, for tags and nonces (RFC 9260 §5.3.1).
    pub(crate) fn nonzero_u32(&mut self) -> u32 {
        loop {
            let number = self.u32();
            if number != 0 {
                return number;
            }
        }
    }

    /// A uniform random number below `n`; 0 if `n` is 0.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        // Draws in the last, incomplete round of `n` would favour the small remainders.
        let rounds = u64::MAX - u64::MAX.checked_rem(n).unwrap_or(0);
        loop {
            let number = self.u64();
            if number < rounds || n == 0 {
                return number.checked_rem(n).unwrap_or(0);
            }
        }
    }

    /// Overwrites `out` with random bytes.
    pub(crate) fn fill(&mut self, out: &mut [u8]) {
        self.source.fill_bytes(out);
    }
}

/// Shows how much was drawn, but not the seed, which would reveal future draws.
impl fmt::Debug for Rng {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rng")
            .field("drawn", &self.source.get_word_pos())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
