/// CRC32c of `bytes` as SCTP uses it (RFC 9260 Appendix A).
#[inline]
#[must_use]
pub fn crc32c(bytes: &[u8]) -> u32 {
    crc_fast::crc32_iscsi(bytes)
}

/// CRC32c of a packet with its checksum field (bytes 8 to 11) taken as zero.
pub(crate) fn packet_crc32c(packet: &[u8]) -> u32 {
    let Some((ports_and_tag, rest)) = packet.split_first_chunk::<8>() else {
        return 0;
    };
    let mut digest = crc_fast::Digest::new(crc_fast::CrcAlgorithm::Crc32Iscsi);
    digest.update(ports_and_tag);
    digest.update(&[0; 4]);
    digest.update(rest.get(4..).unwrap_or_default());
    u32::try_from(digest.finalize()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
