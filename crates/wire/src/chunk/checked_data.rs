use alloc::vec::Vec;
use core::fmt;

use crate::{Chunk, ChunkType, CommonHeader, Data, RawChunk, crc32c, tlv};

/// CHECKED DATA: a DATA chunk with a checksum of its own header, from the paper "chunk checksum".
///
/// Sent only to peers that have agreed to it. Its type makes other receivers skip it without a
/// report.
///
/// ```text
/// 0       8       16              31
/// +-------+-------+---------------+
/// |  158  |   IUBE|    length     |   length: 20 + bytes of payload
/// +-------+-------+---------------+
/// |              TSN              |
/// +---------------+---------------+
/// |    stream     |      SSN      |
/// +---------------+---------------+
/// |             PPID              |
/// +-------------------------------+
/// | header CRC32c, low byte first |
/// +-------------------------------+
/// | payload                       |
/// +-------------------------------+
/// ```
///
/// The header CRC32c covers these 20 bytes, with its own field taken as zero. In the first such
/// chunk of a packet it also covers the common header before them, whose checksum field is taken as
/// zero, too, since the packet's checksum in turn covers the header CRC32c.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckedData<'a> {
    /// The fields of a DATA chunk.
    pub data: Data<'a>,
    /// The header CRC32c that the chunk carries.
    pub header_checksum: u32,
}

impl<'a> CheckedData<'a> {
    /// Bytes before the payload, the chunk header included.
    pub const HEADER_LEN: usize = 20;

    /// Bytes on the wire, header included, padding not.
    pub(crate) const fn encoded_len(&self) -> usize {
        Self::HEADER_LEN + self.data.payload.len()
    }

    /// The header checksum is not verified.
    pub(crate) fn from_wire(flags: u8, value: &'a [u8]) -> Option<Self> {
        let (fixed, rest) = value.split_first_chunk::<12>()?;
        let (checksum, payload) = rest.split_first_chunk::<4>()?;
        let data = Data::from_wire(flags, fixed)?;
        Some(Self {
            data: Data { payload, ..data },
            header_checksum: u32::from_le_bytes(*checksum),
        })
    }

    /// Parses a chunk of type [`ChunkType::CHECKED_DATA`] if its header arrived undamaged, even if
    /// the packet did not. `first`: the packet's common header, for the first such chunk of a
    /// packet.
    #[must_use]
    pub fn verified(raw: &RawChunk<'a>, first: Option<CommonHeader>) -> Option<Self> {
        let Ok(Chunk::CheckedData(checked)) = Chunk::from_raw(raw) else {
            return None;
        };
        let header = raw.bytes().first_chunk::<{ CheckedData::HEADER_LEN }>()?;
        (header_crc32c(first, header) == checked.header_checksum).then_some(checked)
    }

    /// Appends the chunk with its stored header checksum, without padding.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let [fields @ .., _, _, _, _] = header_of(&self.data);
        out.extend_from_slice(&fields);
        out.extend_from_slice(&self.header_checksum.to_le_bytes());
        out.extend_from_slice(self.data.payload);
    }

    /// Creates the chunk from `data`, computing the header checksum. `first`: the packet's common
    /// header, for the first such chunk of a packet.
    pub(crate) fn of(data: Data<'a>, first: Option<CommonHeader>) -> Self {
        Self {
            data,
            header_checksum: header_crc32c(first, &header_of(&data)),
        }
    }
}

impl fmt::Display for CheckedData<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} header crc {:08x}", self.data, self.header_checksum)
    }
}

/// The 20 bytes before the payload, with a checksum of zero.
fn header_of(data: &Data<'_>) -> [u8; CheckedData::HEADER_LEN] {
    let [high, low] = tlv::length_field(CheckedData::HEADER_LEN + data.payload.len());
    let [t0, t1, t2, t3] = data.tsn.0.to_be_bytes();
    let [i0, i1] = data.stream.0.to_be_bytes();
    let [n0, n1] = data.ssn.0.to_be_bytes();
    let [p0, p1, p2, p3] = data.ppid.0.to_be_bytes();
    let (kind, flags) = (ChunkType::CHECKED_DATA.0, data.flags.bits());
    [
        kind, flags, high, low, t0, t1, t2, t3, i0, i1, n0, n1, p0, p1, p2, p3, 0, 0, 0, 0,
    ]
}

/// CRC32c of the 20 bytes with their checksum field taken as zero, optionally after a common
/// header.
fn header_crc32c(first: Option<CommonHeader>, header: &[u8; CheckedData::HEADER_LEN]) -> u32 {
    let mut bytes = [0; CommonHeader::LEN + CheckedData::HEADER_LEN];
    let (common, chunk) = bytes.split_at_mut(CommonHeader::LEN);
    if let (Some(to), Some(from)) = (chunk.first_chunk_mut::<16>(), header.first_chunk::<16>()) {
        *to = *from;
    }
    match first {
        Some(header) => {
            common.copy_from_slice(&header.to_bytes());
            crc32c(&bytes)
        }
        None => crc32c(chunk),
    }
}

#[cfg(test)]
mod tests;
