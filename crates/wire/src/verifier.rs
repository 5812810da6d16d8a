use crate::{CommonHeader, Packet, checksum};

/// Verifies the checksums of successive packets, like [`Packet::checksum_is_valid`], but faster for
/// similar packets.
///
/// CRCs are linear, so the common header's contribution to a CRC32c depends only on the header and
/// on the number of bytes after it. When two packets in a row agree in these, the contribution is
/// cached, and later packets need only the CRC of their body in one piece.
#[derive(Clone, Debug, Default)]
pub struct Verifier {
    header: CommonHeader,
    len: usize,
    share: Option<u32>,
}

impl Verifier {
    /// Whether the checksum in `packet` is its CRC32c (RFC 9260 §6.8).
    #[inline]
    #[must_use]
    pub fn is_valid(&mut self, packet: &Packet<'_>) -> bool {
        let chunks = packet.chunk_bytes();
        let is_alike = self.len == chunks.len() && self.header == packet.header;
        match self.share {
            Some(share) if is_alike => checksum::crc32c(chunks) ^ share == packet.checksum(),
            _ => self.learn(packet, is_alike),
        }
    }

    #[inline(never)]
    fn learn(&mut self, packet: &Packet<'_>, is_alike: bool) -> bool {
        let chunks = packet.chunk_bytes();
        let crc = checksum::packet_crc32c(packet.header, chunks);
        self.share = is_alike.then(|| crc ^ checksum::crc32c(chunks));
        (self.header, self.len) = (packet.header, chunks.len());
        crc == packet.checksum()
    }
}

#[cfg(test)]
mod tests;
