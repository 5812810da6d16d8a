use alloc::vec::Vec;
use core::fmt;

use crate::list::Element;
use crate::{ChunkType, List, Tsn};

/// CORRUPTION: lists chunks that arrived with a damaged payload, from the paper "chunk checksum".
///
/// Placed directly before a SACK. Its type makes receivers without support skip it without a
/// report.
///
/// ```text
/// 0       8       16              31
/// +-------+-------+---------------+
/// |  159  |   0   |    length     |   length: 4 + 8 x events
/// +-------+-------+---------------+
/// |              TSN              |   each event
/// +-------------------------------+
/// |  microseconds, of its finder  |
/// +-------------------------------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Corruption<'a> {
    /// The damaged chunks, in any order.
    pub events: List<'a, CorruptionEvent>,
}

/// A chunk whose header arrived intact in a damaged packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CorruptionEvent {
    /// TSN of the chunk.
    pub tsn: Tsn,
    /// Time of detection: microseconds of the receiver's clock, with arbitrary origin, modulo 2^32.
    pub found_at: u32,
}

impl<'a> Corruption<'a> {
    /// Bytes before the events, the chunk header included.
    pub const HEADER_LEN: usize = 4;

    pub(crate) fn from_wire(value: &'a [u8]) -> Option<Self> {
        List::from_wire(value).map(|events| Self { events })
    }

    pub(crate) const fn encoded_len(&self) -> usize {
        Self::HEADER_LEN + self.events.encoded_len()
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&super::header(ChunkType::CORRUPTION, 0, self.encoded_len()));
        self.events.write(out);
    }
}

impl fmt::Display for Corruption<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tsns [{}]", self.events)
    }
}

/// The TSN and the finder's time.
impl fmt::Display for CorruptionEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {} us", self.tsn, self.found_at)
    }
}

impl Element for CorruptionEvent {
    const LEN: usize = 8;

    #[inline]
    fn split(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (&[t0, t1, t2, t3, f0, f1, f2, f3], rest) = bytes.split_first_chunk()?;
        let tsn = Tsn(u32::from_be_bytes([t0, t1, t2, t3]));
        let found_at = u32::from_be_bytes([f0, f1, f2, f3]);
        Some((Self { tsn, found_at }, rest))
    }

    #[inline]
    fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.tsn.0.to_be_bytes());
        out.extend_from_slice(&self.found_at.to_be_bytes());
    }
}
