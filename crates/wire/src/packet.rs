use core::{fmt, iter};

use crate::tlv::{self, Walk};
use crate::{Chunk, ChunkType, Data, Malformed, RawChunk, Vtag, checksum};

/// The common header, 12 bytes, without the checksum (RFC 9260 §3.1).
///
/// ```text
/// 0               16              31
/// +---------------+---------------+
/// |  source port  |  destination  |
/// +---------------+---------------+
/// |        verification tag       |
/// +-------------------------------+
/// |  CRC32c, low byte comes first |
/// +-------------------------------+
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CommonHeader {
    /// Sender's SCTP port.
    pub source_port: u16,
    /// Receiver's SCTP port.
    pub destination_port: u16,
    /// The verification tag chosen by the receiver (RFC 9260 §8.5); 0 in a packet with INIT.
    pub vtag: Vtag,
}

impl CommonHeader {
    /// Bytes on the wire, checksum included.
    pub const LEN: usize = 12;

    /// The header in wire format, with the checksum field zero.
    #[inline]
    pub(crate) const fn to_bytes(self) -> [u8; Self::LEN] {
        let [s0, s1] = self.source_port.to_be_bytes();
        let [d0, d1] = self.destination_port.to_be_bytes();
        let [v0, v1, v2, v3] = self.vtag.0.to_be_bytes();
        [s0, s1, d0, d1, v0, v1, v2, v3, 0, 0, 0, 0]
    }
}

/// A received packet with unparsed chunks.
#[derive(Clone, Copy, Debug)]
pub struct Packet<'a> {
    /// Ports and verification tag.
    pub header: CommonHeader,
    checksum: u32,
    bytes: &'a [u8],
}

impl<'a> Packet<'a> {
    /// Parses the common header of `bytes`, a whole packet. The checksum is not verified, and the
    /// chunks are not parsed.
    ///
    /// # Errors
    /// [`Malformed`] if the packet is too short for the common header and one chunk header.
    #[inline]
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let Some(&[s0, s1, d0, d1, v0, v1, v2, v3, c0, c1, c2, c3, _, _, _, _]) =
            bytes.first_chunk::<{ CommonHeader::LEN + tlv::HEADER_LEN }>()
        else {
            return Err(Malformed {
                at: bytes.len(),
                what: "packet ends before its first chunk",
            });
        };
        let header = CommonHeader {
            source_port: u16::from_be_bytes([s0, s1]),
            destination_port: u16::from_be_bytes([d0, d1]),
            vtag: Vtag(u32::from_be_bytes([v0, v1, v2, v3])),
        };
        Ok(Self {
            header,
            checksum: u32::from_le_bytes([c0, c1, c2, c3]),
            bytes,
        })
    }

    /// The checksum in the packet.
    #[inline]
    #[must_use]
    pub const fn checksum(&self) -> u32 {
        self.checksum
    }

    /// Whether the checksum in the packet is its CRC32c (RFC 9260 §6.8). Takes time linear in the
    /// packet's length; neither copies nor modifies the packet.
    #[inline]
    #[must_use]
    pub fn checksum_is_valid(&self) -> bool {
        checksum::packet_crc32c(self.header, self.chunk_bytes()) == self.checksum
    }

    /// The chunks in order; iteration ends after the first error.
    #[inline]
    #[must_use]
    pub fn chunks(&self) -> Chunks<'a> {
        Chunks(Walk::new(self.chunk_bytes(), CommonHeader::LEN))
    }

    /// The type of the first chunk; `None` if the packet has no chunk.
    #[inline]
    #[must_use]
    pub fn first_chunk_type(&self) -> Option<ChunkType> {
        self.bytes.get(CommonHeader::LEN).copied().map(ChunkType)
    }

    /// The whole packet.
    #[inline]
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    #[inline]
    pub(crate) fn chunk_bytes(&self) -> &'a [u8] {
        self.bytes.get(CommonHeader::LEN..).unwrap_or_default()
    }
}

/// Prints a line for the packet and an indented line for each chunk.
impl fmt::Display for Packet<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CommonHeader {
            source_port,
            destination_port,
            vtag,
        } = self.header;
        let verdict = if self.checksum_is_valid() {
            "ok"
        } else {
            "BAD"
        };
        let len = self.bytes.len();
        write!(
            f,
            "SCTP {source_port} > {destination_port} vtag {vtag} crc {verdict}, {len} bytes"
        )?;
        for chunk in self.chunks() {
            match chunk {
                Ok(chunk) => write!(f, "\n    {chunk}")?,
                Err(malformed) => write!(f, "\n    {malformed}")?,
            }
        }
        Ok(())
    }
}

/// The chunks of a [`Packet`] in order.
///
/// A chunk yields [`Malformed`] and ends the iteration if its length is less than four or exceeds
/// the packet, or if its type is known and its body violates the format. A chunk of unknown type
/// yields [`Chunk::Unknown`]; the receiver decides whether to continue.
#[derive(Clone, Debug)]
pub struct Chunks<'a>(Walk<'a>);

impl<'a> Chunks<'a> {
    /// Takes the next chunk if it is DATA and well formed; otherwise takes nothing, and
    /// [`next`](Iterator::next) reports what is there. A fast path for the most common chunk,
    /// without building a [`Chunk`].
    #[inline]
    pub fn next_data(&mut self) -> Option<Data<'a>> {
        let mut walk = self.0;
        let tlv = walk.next_of(ChunkType::DATA.0)?;
        let [_, flags] = tlv.head;
        let data = Data::from_wire(flags, tlv.value)?;
        self.0 = walk;
        Some(data)
    }

    /// The next chunk with its body unparsed, for a receiver that treats some known types as
    /// unknown; [`Chunk::from_raw`] parses the body. A length below four or beyond the packet
    /// yields [`Malformed`] and ends the iteration.
    #[inline]
    pub fn next_raw(&mut self) -> Option<Result<RawChunk<'a>, Malformed>> {
        let step = self.0.next()?;
        Some(step.map(|tlv| RawChunk::from_tlv(&tlv)))
    }

    /// The remaining chunks with unparsed bodies, as from [`next_raw`](Self::next_raw).
    pub fn raw(mut self) -> impl Iterator<Item = Result<RawChunk<'a>, Malformed>> {
        iter::from_fn(move || self.next_raw())
    }
}

impl Chunks<'_> {
    /// Bytes of the packet before the next chunk.
    #[inline]
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.0.at()
    }

    /// Whether no chunks are left.
    #[inline]
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.0.is_over()
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Result<Chunk<'a>, Malformed>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let at = self.0.at();
        let raw = match self.next_raw()? {
            Ok(raw) => raw,
            Err(malformed) => return Some(Err(malformed)),
        };
        Some(Chunk::read(&raw).map_err(|what| {
            self.0.stop();
            Malformed { at, what }
        }))
    }
}

#[cfg(test)]
mod tests;
