use crc_fast::{CrcAlgorithm, Digest};

use crate::CommonHeader;

/// CRC32c of `bytes` (RFC 9260 Appendix A).
#[inline]
#[must_use]
pub fn crc32c(bytes: &[u8]) -> u32 {
    crc_fast::crc32_iscsi(bytes)
}

/// CRC32c of a packet with its checksum field (bytes 8 to 11) taken as zero (RFC 9260 §6.8).
///
/// The header is digested from a copy so that the packet stays unmodified. Only two pieces are
/// digested, since each call costs several nanoseconds.
pub(crate) fn packet_crc32c(header: CommonHeader, chunks: &[u8]) -> u32 {
    let mut digest = Digest::new(CrcAlgorithm::Crc32Iscsi);
    digest.update(&header.to_bytes());
    digest.update(chunks);
    let crc = digest.finalize();
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a 32-bit CRC in a general type"
    )]
    let crc = crc as u32;
    crc
}

#[cfg(test)]
mod tests;
