use alloc::vec::Vec;
use core::fmt;

use crate::{ChunkType, Tsn};

/// CWR: the window was reduced because of an [`EcnEcho`](crate::EcnEcho), or shortly before it (RFC
/// 4960 Appendix A).
///
/// ```text
/// 0       8       16              31
/// +-------+-------+---------------+
/// |  13   |   0   |       8       |
/// +-------+-------+---------------+
/// |          lowest TSN           |
/// +-------------------------------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cwr {
    /// TSN of the acknowledged ECNE.
    pub lowest_tsn: Tsn,
}

impl Cwr {
    /// Bytes of the whole chunk.
    pub const LEN: usize = 8;

    /// Parses the TSN; bytes after it are ignored.
    pub(crate) fn from_wire(value: &[u8]) -> Option<Self> {
        let tsn = value.first_chunk()?;
        Some(Self {
            lowest_tsn: Tsn(u32::from_be_bytes(*tsn)),
        })
    }

    pub(crate) fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&super::header(ChunkType::CWR, 0, Self::LEN));
        out.extend_from_slice(&self.lowest_tsn.0.to_be_bytes());
    }
}

impl fmt::Display for Cwr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lowest tsn {}", self.lowest_tsn)
    }
}
