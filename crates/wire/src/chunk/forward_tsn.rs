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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForwardTsn<'a> {
    /// The new cumulative TSN: every TSN up to it counts as received.
    pub new_cumulative_tsn: Tsn,
    /// Streams with abandoned ordered messages. At most 16381 fit.
    pub skipped: List<'a, SkippedStream>,
}

/// A stream with abandoned ordered messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SkippedStream {
    /// The stream.
    pub stream: StreamId,
    /// SSN of the last abandoned message.
    pub ssn: Ssn,
}

impl<'a> ForwardTsn<'a> {
    /// Bytes before the streams, the chunk header included.
    pub const HEADER_LEN: usize = 8;

    /// `None` if the length is not that of a TSN and whole entries. Flags are ignored.
    pub(crate) fn from_wire(value: &'a [u8]) -> Option<Self> {
        let (new_cumulative_tsn, skipped) = read(value)?;
        Some(Self {
            new_cumulative_tsn,
            skipped,
        })
    }

    /// Bytes on the wire, header included.
    #[must_use]
    pub const fn encoded_len(&self) -> usize {
        Self::HEADER_LEN + self.skipped.encoded_len()
    }

    /// Appends the whole chunk. One longer than 65535 bytes cannot be expressed.
    pub fn write(&self, out: &mut Vec<u8>) {
        let (tsn, skipped) = (self.new_cumulative_tsn, &self.skipped);
        write(ChunkType::FORWARD_TSN, tsn, skipped, out);
    }
}

/// The TSN and the list of FORWARD TSN or I-FORWARD-TSN.
pub(super) fn read<T: Element>(value: &[u8]) -> Option<(Tsn, List<'_, T>)> {
    let (tsn, skipped) = value.split_first_chunk()?;
    let tsn = Tsn(u32::from_be_bytes(*tsn));
    Some((tsn, List::from_wire(skipped)?))
}

pub(super) fn write<T: Element>(
    chunk_type: ChunkType,
    tsn: Tsn,
    skipped: &List<'_, T>,
    out: &mut Vec<u8>,
) {
    let len = ForwardTsn::HEADER_LEN + skipped.encoded_len();
    out.extend_from_slice(&super::header(chunk_type, 0, len));
    out.extend_from_slice(&tsn.0.to_be_bytes());
    skipped.write(out);
}

impl fmt::Display for ForwardTsn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            new_cumulative_tsn,
            skipped,
        } = self;
        write!(f, "cum {new_cumulative_tsn} streams [{skipped}]")
    }
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
