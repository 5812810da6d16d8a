use alloc::vec::Vec;
use core::fmt;

use crate::{ChunkType, Tsn};

/// SHUTDOWN: the sender will send no more data (RFC 9260 §3.3.8).
///
/// ```text
/// 0       8       16              31
/// +-------+-------+---------------+
/// |   7   |   0   |       8       |
/// +-------+-------+---------------+
/// |      cumulative TSN ack       |
/// +-------------------------------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shutdown {
    /// Every TSN up to this one has been received.
    pub cumulative_tsn_ack: Tsn,
}

impl Shutdown {
    pub(crate) const LEN: usize = 8;

    pub(crate) fn from_wire(value: &[u8]) -> Option<Self> {
        let tsn = value.try_into().ok()?;
        Some(Self {
            cumulative_tsn_ack: Tsn(u32::from_be_bytes(tsn)),
        })
    }

    pub(crate) fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&super::header(ChunkType::SHUTDOWN, 0, Self::LEN));
        out.extend_from_slice(&self.cumulative_tsn_ack.0.to_be_bytes());
    }
}

/// The field, without the chunk's name.
impl fmt::Display for Shutdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cum {}", self.cumulative_tsn_ack)
    }
}
