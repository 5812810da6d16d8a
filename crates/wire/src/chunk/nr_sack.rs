use alloc::vec::Vec;
use core::fmt;

use super::sack::count_field;
use crate::{ChunkType, GapBlock, List, Tsn};

/// NR-SACK: reports received TSNs, and which of those beyond a gap will never be dropped
/// (draft-natarajan-tsvwg-sctp-nrsack).
///
/// ```text
/// 0       8       16              31
/// +-------+-------+---------------+
/// |  16   |   0   |    length     |   length: 20 + 4 x blocks of both kinds + 4 x duplicates
/// +-------+-------+---------------+
/// |      cumulative TSN ack       |
/// +-------------------------------+
/// |            a_rwnd             |
/// +---------------+---------------+
/// |  gap blocks   | nr gap blocks |
/// +---------------+---------------+
/// |  duplicates   |       0       |
/// +---------------+---------------+
/// |  block start  |   block end   |   each gap block, then each nr gap block
/// +---------------+---------------+
/// |         duplicate TSN         |   each duplicate
/// +-------------------------------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NrSack<'a> {
    /// Every TSN up to this one has been received.
    pub cumulative_tsn_ack: Tsn,
    /// Free receive window in bytes.
    pub a_rwnd: u32,
    /// Blocks received beyond the cumulative TSN that may still be dropped. At most 65535 fit.
    pub gap_blocks: List<'a, GapBlock>,
    /// Blocks received beyond the cumulative TSN that will be kept. At most 65535 fit.
    pub nr_gap_blocks: List<'a, GapBlock>,
    /// Duplicate TSNs. At most 65535 fit.
    pub duplicates: List<'a, Tsn>,
}

impl<'a> NrSack<'a> {
    /// Bytes before the gap blocks, the chunk header included.
    pub const HEADER_LEN: usize = 20;

    /// Bytes on the wire, header included; always a multiple of four.
    #[must_use]
    pub const fn encoded_len(&self) -> usize {
        Self::HEADER_LEN
            + self.gap_blocks.encoded_len()
            + self.nr_gap_blocks.encoded_len()
            + self.duplicates.encoded_len()
    }

    /// The counts must match the length, which alone determines the bounds.
    pub(crate) fn from_wire(value: &'a [u8]) -> Option<Self> {
        let (&[t0, t1, t2, t3, w0, w1, w2, w3, g0, g1, n0, n1, d0, d1, _, _], lists) =
            value.split_first_chunk::<16>()?;
        let blocks = |high, low| usize::from(u16::from_be_bytes([high, low])) * 4;
        let (gap_blocks, lists) = lists.split_at_checked(blocks(g0, g1))?;
        let (nr_gap_blocks, duplicates) = lists.split_at_checked(blocks(n0, n1))?;
        if duplicates.len() != blocks(d0, d1) {
            return None;
        }
        Some(Self {
            cumulative_tsn_ack: Tsn(u32::from_be_bytes([t0, t1, t2, t3])),
            a_rwnd: u32::from_be_bytes([w0, w1, w2, w3]),
            gap_blocks: List::from_wire(gap_blocks)?,
            nr_gap_blocks: List::from_wire(nr_gap_blocks)?,
            duplicates: List::from_wire(duplicates)?,
        })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&super::header(ChunkType::NR_SACK, 0, self.encoded_len()));
        out.extend_from_slice(&self.cumulative_tsn_ack.0.to_be_bytes());
        out.extend_from_slice(&self.a_rwnd.to_be_bytes());
        out.extend_from_slice(&count_field(self.gap_blocks.len()));
        out.extend_from_slice(&count_field(self.nr_gap_blocks.len()));
        out.extend_from_slice(&count_field(self.duplicates.len()));
        out.extend_from_slice(&[0, 0]);
        self.gap_blocks.write(out);
        self.nr_gap_blocks.write(out);
        self.duplicates.write(out);
    }
}

/// The fields, without the chunk's name; blocks as offsets from the cumulative TSN.
impl fmt::Display for NrSack<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            cumulative_tsn_ack,
            a_rwnd,
            gap_blocks,
            nr_gap_blocks,
            duplicates,
        } = self;
        write!(
            f,
            "cum {cumulative_tsn_ack} a_rwnd {a_rwnd} gaps [{gap_blocks}] nr gaps \
             [{nr_gap_blocks}] dups [{duplicates}]"
        )
    }
}

#[cfg(test)]
mod tests;
