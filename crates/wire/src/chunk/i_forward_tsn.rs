use alloc::vec::Vec;
use core::fmt;

use super::forward_tsn::{Forward, Skipped};
use crate::list::Element;
use crate::{ChunkType, Mid, StreamId};

/// I-FORWARD-TSN: abandons messages, for which the receiver must no longer wait, with I-DATA in use
/// (RFC 8260 §2.3.1).
///
/// ```text
/// 0       8       16              31
/// +-------+-------+---------------+
/// |  194  |   0   |    length     |   length: 8 + 8 x skipped
/// +-------+-------+---------------+
/// |      new cumulative TSN       |
/// +---------------+-------------+-+
/// |    stream     |  reserved   |U|   each stream
/// +---------------+-------------+-+
/// |              MID              |
/// +-------------------------------+
/// ```
pub type IForwardTsn<'a> = Forward<'a, SkippedMessages>;

/// Skipped messages of one stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkippedMessages {
    /// Their stream.
    pub stream: StreamId,
    /// Whether ordered or unordered messages are skipped.
    pub order: MessageOrder,
    /// MID of the last skipped message.
    pub mid: Mid,
}

/// Selects one of a stream's two MID sequences: the U bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MessageOrder {
    /// The sequence of ordered messages.
    Ordered,
    /// The sequence of unordered messages.
    Unordered,
}

impl Skipped for SkippedMessages {
    const CHUNK_TYPE: ChunkType = ChunkType::I_FORWARD_TSN;
    const WORDS: [&'static str; 2] = ["tsn", "skipped"];
}

/// The stream and the MID.
impl fmt::Display for SkippedMessages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unordered = match self.order {
            MessageOrder::Ordered => "",
            MessageOrder::Unordered => "U",
        };
        write!(f, "{}:{}{unordered}", self.stream, self.mid)
    }
}

impl Element for SkippedMessages {
    const LEN: usize = 8;

    fn split(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (&[s0, s1, _, u, m0, m1, m2, m3], rest) = bytes.split_first_chunk()?;
        let skipped = Self {
            stream: StreamId(u16::from_be_bytes([s0, s1])),
            order: if u & 1 == 0 {
                MessageOrder::Ordered
            } else {
                MessageOrder::Unordered
            },
            mid: Mid(u32::from_be_bytes([m0, m1, m2, m3])),
        };
        Some((skipped, rest))
    }

    fn write(self, out: &mut Vec<u8>) {
        let unordered = u16::from(self.order == MessageOrder::Unordered);
        out.extend_from_slice(&self.stream.0.to_be_bytes());
        out.extend_from_slice(&unordered.to_be_bytes());
        out.extend_from_slice(&self.mid.0.to_be_bytes());
    }
}
