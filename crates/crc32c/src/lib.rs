//! CRC32c (RFC 9260 Appendix A), the checksum of SCTP packets, at the speed of the processor.
//!
//! ```
//! let whole = sheave_crc32c::crc32c(b"123456789");
//! assert_eq!(whole, 0xe306_9283);
//! assert_eq!(sheave_crc32c::append(sheave_crc32c::crc32c(b"1234"), b"56789"), whole);
//! ```
#![no_std]

#[cfg(feature = "std")]
extern crate std;

#[cfg(target_arch = "x86_64")]
mod lanes;
mod power;
mod table;

/// CRC32c of `bytes`.
#[inline]
#[must_use]
pub fn crc32c(bytes: &[u8]) -> u32 {
    append(0, bytes)
}

/// CRC32c of `bytes` behind others, whose CRC32c is `crc` (0 where there are none).
#[inline]
#[must_use]
pub fn append(crc: u32, bytes: &[u8]) -> u32 {
    #[cfg(feature = "std")]
    if has_wide_folds() && bytes.len() >= WIDE {
        return folded(crc, bytes);
    }
    #[cfg(target_arch = "x86_64")]
    if lanes::are_available() {
        // SAFETY: the processor has what `lanes::append` is compiled for.
        #[allow(unsafe_code, reason = "asked for one line above")]
        return unsafe { lanes::append(crc, bytes) };
    }
    table::append(crc, bytes)
}

/// The fewest bytes for which wide folds are faster.
#[cfg(feature = "std")]
const WIDE: usize = if cfg!(target_arch = "x86_64") { 256 } else { 0 };

/// Whether `crc-fast` is the fastest here. Folds of 128 bits are slower than three lanes.
#[cfg(feature = "std")]
#[inline]
fn has_wide_folds() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::is_x86_feature_detected!("avx512vl")
        && std::is_x86_feature_detected!("vpclmulqdq");
    #[cfg(not(target_arch = "x86_64"))]
    true
}

/// `append` by `crc-fast`.
#[cfg(feature = "std")]
fn folded(crc: u32, bytes: &[u8]) -> u32 {
    use crc_fast::{CrcAlgorithm, Digest};

    if crc == 0 {
        return crc_fast::crc32_iscsi(bytes);
    }
    let mut digest = Digest::new_with_init_state(CrcAlgorithm::Crc32Iscsi, u64::from(!crc));
    digest.update(bytes);
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a 32-bit CRC in a general type"
    )]
    let crc = digest.finalize() as u32;
    crc
}

#[cfg(test)]
mod tests;
