//! Three lanes of the instruction `crc32`: its latency is three cycles, and one can begin in each.

use core::arch::x86_64::{
    _mm_clmulepi64_si128, _mm_crc32_u8, _mm_crc32_u32, _mm_crc32_u64, _mm_cvtsi128_si64,
    _mm_set_epi64x,
};

use crate::power::times_x;

/// The most words of eight bytes in a lane: so the table of powers stays small.
const MOST: usize = 128;

/// The fewest words in a lane: below, to join lanes takes longer than they gain.
const FEWEST: usize = 8;

/// For n words, x^(64n - 33): the product with a register, taken as a word, puts it n words further on.
static POWERS: [u32; 2 * MOST + 1] = {
    let mut powers = [0; 2 * MOST + 1];
    // x^31, for one word.
    let mut power = 1;
    let mut words = 1;
    while words < powers.len() {
        powers[words] = power;
        let mut bit = 0;
        while bit < 64 {
            power = times_x(power);
            bit += 1;
        }
        words += 1;
    }
    powers
};

/// Whether the processor has the instructions.
#[inline]
pub(crate) fn are_available() -> bool {
    #[cfg(feature = "std")]
    return std::is_x86_feature_detected!("sse4.2") && std::is_x86_feature_detected!("pclmulqdq");
    #[cfg(not(feature = "std"))]
    return cfg!(all(target_feature = "sse4.2", target_feature = "pclmulqdq"));
}

/// CRC32c of `bytes` behind others, whose CRC32c is `crc`.
#[target_feature(enable = "sse4.2,pclmulqdq")]
pub(crate) fn append(crc: u32, bytes: &[u8]) -> u32 {
    let (mut words, last) = bytes.as_chunks();
    let mut register = u64::from(!crc);
    while words.len() >= 3 * FEWEST {
        let (block, rest) = words.split_at(3 * (words.len() / 3).min(MOST));
        register = three(register, block);
        words = rest;
    }
    for word in words {
        register = _mm_crc32_u64(register, u64::from_le_bytes(*word));
    }
    let mut register = u32::try_from(register).unwrap_or_default();
    let (half, last) = last.as_chunks();
    for half in half {
        register = _mm_crc32_u32(register, u32::from_le_bytes(*half));
    }
    for byte in last {
        register = _mm_crc32_u8(register, *byte);
    }
    !register
}

/// Continues a register with words that are a multiple of three.
#[target_feature(enable = "sse4.2,pclmulqdq")]
fn three(register: u64, words: &[[u8; 8]]) -> u64 {
    let lane = words.len() / 3;
    let (first, rest) = words.split_at(lane);
    let (second, third) = rest.split_at(lane);
    let (mut a, mut b, mut c) = (register, 0, 0);
    let mut last = 0;
    for ((x, y), z) in first.iter().zip(second).zip(third) {
        a = _mm_crc32_u64(a, u64::from_le_bytes(*x));
        b = _mm_crc32_u64(b, u64::from_le_bytes(*y));
        // The third lane is one word behind: both products join it together with its last word.
        c = _mm_crc32_u64(c, last);
        last = u64::from_le_bytes(*z);
    }
    let joined = moved(a, 2 * lane) ^ moved(b, lane) ^ last;
    _mm_crc32_u64(c, joined)
}

/// A register as the word that leaves in another, when it is taken there, what the register would be
/// `words` words on.
#[target_feature(enable = "sse4.2,pclmulqdq")]
#[inline]
fn moved(register: u64, words: usize) -> u64 {
    let factors = _mm_set_epi64x(i64::from(POWERS[words]), register.cast_signed());
    let product = _mm_clmulepi64_si128(factors, factors, 0x10);
    _mm_cvtsi128_si64(product).cast_unsigned()
}
