use core::fmt;

use hmac::{Hmac, KeyInit, Mac};
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng};
use sha2::Sha256;

/// The only source of randomness: ChaCha12 from a seed of 32 bytes.
///
/// With a seed from the operating system its draws cannot be predicted; with a fixed one a run
/// repeats itself on every platform, in debug and release.
#[derive(Clone)]
pub(crate) struct Rng {
    source: ChaCha12Rng,
}

impl Rng {
    /// A source whose draws follow from `seed` alone.
    pub(crate) fn new(seed: [u8; 32]) -> Self {
        Self {
            source: ChaCha12Rng::from_seed(seed),
        }
    }

    /// A source of its own for one purpose. It follows from the seed and `label` alone, so that
    /// one purpose's draws change nothing for another.
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

    /// Any number.
    pub(crate) fn u32(&mut self) -> u32 {
        self.source.next_u32()
    }

    /// Any number.
    pub(crate) fn u64(&mut self) -> u64 {
        self.source.next_u64()
    }

    /// Any number but 0: what tags and nonces need (RFC 9260 §5.3.1).
    pub(crate) fn nonzero_u32(&mut self) -> u32 {
        loop {
            let number = self.u32();
            if number != 0 {
                return number;
            }
        }
    }

    /// A number from 0 to `n`, exclusive, all equally likely; 0 if `n` is 0.
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

/// Shows how much was drawn, and nothing of the seed, which would tell the draws to come.
impl fmt::Debug for Rng {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rng")
            .field("drawn", &self.source.get_word_pos())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
