use alloc::vec::Vec;
use core::fmt;

use crate::list::Element;
use crate::{ChunkType, List, Ssn, StreamId, Tsn};

/// FORWARD TSN: abandons data, for which the receiver must no longer wait (RFC 3758 §3.2).
///
/// ```text
/// 0       8       16              31
/// +-------+-------+---------------+
/// |  192  |   0   |    length     |   length: 8 + 4 x streams
/// +-------+-------+---------------+
/// |      new cumulative TSN       |
/// +---------------+---------------+
/// |    stream     |      SSN      |   each stream
/// +---------------+---------------+
/// ```
pub type ForwardTsn<'a> = Forward<'a, SkippedStream>;

/// The body of [`ForwardTsn`] and [`IForwardTsn`](crate::IForwardTsn).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forward<'a, T: Skipped> {
    /// The new cumulative TSN: every TSN up to it counts as received.
    pub new_cumulative_tsn: Tsn,
    /// The last skipped message of each affected stream. At most 16381 streams fit a FORWARD TSN.
    pub skipped: List<'a, T>,
}

/// The skipped messages of a stream, as a chunk type names them.
pub trait Skipped: Element {
    /// The chunk type.
    const CHUNK_TYPE: ChunkType;
    /// The words before the TSN and the list in print.
    const WORDS: [&'static str; 2];
}

/// A stream with abandoned ordered messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SkippedStream {
    /// The stream.
    pub stream: StreamId,
    /// SSN of the last abandoned message.
    pub ssn: Ssn,
}

impl<'a, T: Skipped> Forward<'a, T> {
    /// Bytes before the streams, the chunk header included.
    pub const HEADER_LEN: usize = 8;

    /// `None` if the length is not that of a TSN and whole entries. Flags are ignored.
    pub(crate) fn from_wire(value: &'a [u8]) -> Option<Self> {
        let (tsn, skipped) = value.split_first_chunk()?;
        Some(Self {
            new_cumulative_tsn: Tsn(u32::from_be_bytes(*tsn)),
            skipped: List::from_wire(skipped)?,
        })
    }

    /// Bytes on the wire, header included.
    #[must_use]
    pub const fn encoded_len(&self) -> usize {
        Self::HEADER_LEN + self.skipped.encoded_len()
    }

    /// Appends the whole chunk. One longer than 65535 bytes cannot be expressed.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&super::header(T::CHUNK_TYPE, 0, self.encoded_len()));
        out.extend_from_slice(&self.new_cumulative_tsn.0.to_be_bytes());
        self.skipped.write(out);
    }
}

impl<T: Skipped + fmt::Display> fmt::Display for Forward<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tsn, skipped) = (self.new_cumulative_tsn, &self.skipped);
        let [cumulative, list] = T::WORDS;
        write!(f, "{cumulative} {tsn} {list} [{skipped}]")
    }
}

impl Skipped for SkippedStream {
    const CHUNK_TYPE: ChunkType = ChunkType::FORWARD_TSN;
    const WORDS: [&'static str; 2] = ["cum", "streams"];
}

/// Stream and SSN, with a colon between them.
impl fmt::Display for SkippedStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.stream, self.ssn)
    }
}

impl Element for SkippedStream {
    const LEN: usize = 4;

    #[inline]
    fn split(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (&[i0, i1, s0, s1], rest) = bytes.split_first_chunk()?;
        let stream = StreamId(u16::from_be_bytes([i0, i1]));
        let ssn = Ssn(u16::from_be_bytes([s0, s1]));
        Some((Self { stream, ssn }, rest))
    }

    #[inline]
    fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.stream.0.to_be_bytes());
        out.extend_from_slice(&self.ssn.0.to_be_bytes());
    }
}
