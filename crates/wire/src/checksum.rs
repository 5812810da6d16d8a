use crate::CommonHeader;

pub use sheave_crc32c::crc32c;

/// CRC32c of a packet with its checksum field (bytes 8 to 11) taken as zero (RFC 9260 §6.8).
///
/// The header is taken from a copy so that the packet stays unmodified.
pub(crate) fn packet_crc32c(header: CommonHeader, chunks: &[u8]) -> u32 {
    sheave_crc32c::append(crc32c(&header.to_bytes()), chunks)
}

#[cfg(test)]
mod tests;
