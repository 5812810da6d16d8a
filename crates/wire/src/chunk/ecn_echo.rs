use alloc::vec::Vec;
use core::fmt;

use crate::{ChunkType, Tsn};

/// ECNE: a packet arrived with the mark Congestion Experienced (RFC 4960 Appendix A; RFC 9260
/// reserves the type but omits the chunk).
///
/// ```text
/// 0       8       16              31
/// +-------+-------+---------------+
/// |  12   |   0   |       8       |
/// +-------+-------+---------------+
/// |          lowest TSN           |
/// +-------------------------------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EcnEcho {
    /// The lowest TSN in the marked packet.
    pub lowest_tsn: Tsn,
}

impl EcnEcho {
    /// Bytes of the whole chunk.
    pub const LEN: usize = 8;

    /// Bytes after the TSN are ignored: some stacks send a packet count there
    /// (draft-stewart-tsvwg-sctpecn).
    pub(crate) fn from_wire(value: &[u8]) -> Option<Self> {
        let tsn = value.first_chunk()?;
        Some(Self {
            lowest_tsn: Tsn(u32::from_be_bytes(*tsn)),
        })
    }

    pub(crate) fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&super::header(ChunkType::ECNE, 0, Self::LEN));
        out.extend_from_slice(&self.lowest_tsn.0.to_be_bytes());
    }
}

impl fmt::Display for EcnEcho {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lowest tsn {}", self.lowest_tsn)
    }
}
