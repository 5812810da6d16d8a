use alloc::vec::Vec;
use core::fmt;

use crate::ChunkType;

/// PAD: meaningless bytes that lengthen a packet (RFC 4820 §3).
///
/// The chunk type makes receivers without support skip it without a report.
///
/// ```text
/// 0       8       16              31
/// +-------+-------+---------------+
/// |  132  |   0   |    length     |
/// +-------+-------+---------------+
/// | zeros                         |
/// +-------------------------------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pad {
    /// Bytes of the whole chunk, 4 to 65535.
    pub len: u16,
}

impl Pad {
    /// Length of the shortest PAD chunk, bytes.
    pub const LEAST_LEN: usize = 4;

    pub(crate) fn from_wire(value: &[u8]) -> Option<Self> {
        let len = u16::try_from(Self::LEAST_LEN + value.len()).ok()?;
        Some(Self { len })
    }

    /// Length written, at least that of the chunk header.
    pub(crate) fn encoded_len(self) -> usize {
        usize::from(self.len).max(Self::LEAST_LEN)
    }

    pub(crate) fn write(self, out: &mut Vec<u8>) {
        let len = self.encoded_len();
        out.extend_from_slice(&super::header(ChunkType::PAD, 0, len));
        out.resize(out.len() + len - Self::LEAST_LEN, 0);
    }
}

impl fmt::Display for Pad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len)
    }
}

#[cfg(test)]
mod tests;
