use crate::{CommonHeader, Packet, checksum};

/// Verifies the checksums of packets that come one after the other, as
/// [`Packet::checksum_is_valid`] does, and faster where they are alike.
///
/// What the common header adds to a packet's CRC32c depends on the header and the number of bytes
/// behind it alone, since CRCs are linear. Where two packets in a row have the same, it is noted,
/// and those that follow are taken a CRC of in one piece, without the header.
#[derive(Clone, Debug, Default)]
pub struct Verifier {
    header: CommonHeader,
    len: usize,
    share: Option<u32>,
}

impl Verifier {
    /// Whether the checksum that `packet` carries is its CRC32c (RFC 9260 §6.8).
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
