use alloc::vec::Vec;
use core::fmt;

use crate::list::Element;
use crate::{ChunkType, List, Tsn};

/// SACK: reports received TSNs (RFC 9260 §3.3.4).
///
/// ```text
/// 0       8       16              31
/// +-------+-------+---------------+
/// |   3   |p|  0  |    length     |   p: packets, 2 bits, the rest 0
///                                     length: 16 + 4 x gap blocks + 4 x duplicates
/// +-------+-------+---------------+
/// |      cumulative TSN ack       |
/// +-------------------------------+
/// |            a_rwnd             |
/// +---------------+---------------+
/// |  gap blocks   |  duplicates   |
/// +---------------+---------------+
/// |  block start  |   block end   |   each gap block
/// +---------------+---------------+
/// |         duplicate TSN         |   each duplicate
/// +-------------------------------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sack<'a> {
    /// Every TSN up to this one has been received.
    pub cumulative_tsn_ack: Tsn,
    /// Free receive window in bytes.
    pub a_rwnd: u32,
    /// Blocks received beyond the cumulative TSN. At most 65535 fit.
    pub gap_blocks: List<'a, GapBlock>,
    /// Duplicate TSNs. At most 65535 fit.
    pub duplicates: List<'a, Tsn>,
    /// Packets with DATA since the previous SACK: 1, 2, or 3 for three and more; 0 if not given.
    /// Set only by receivers of concurrent multipath transfer (Iyengar, Amer and Stewart 2006), in
    /// flags that RFC 9260 reserves, as in FreeBSD and usrsctp.
    pub packets: u8,
}

impl<'a> Sack<'a> {
    /// Bytes before the gap blocks, the chunk header included.
    pub const HEADER_LEN: usize = 16;
    /// Highest value of [`packets`](Self::packets).
    pub const MOST_PACKETS: u8 = 3;
    /// Bit position of the count in the flags.
    const PACKETS_SHIFT: u32 = 6;

    pub(crate) const fn encoded_len(&self) -> usize {
        Self::HEADER_LEN + self.gap_blocks.encoded_len() + self.duplicates.encoded_len()
    }

    /// Both counts must match the length, which alone determines the bounds.
    pub(crate) fn from_wire(flags: u8, value: &'a [u8]) -> Option<Self> {
        let (&[t0, t1, t2, t3, w0, w1, w2, w3, g0, g1, d0, d1], lists) =
            value.split_first_chunk::<12>()?;
        let gap_blocks_len = usize::from(u16::from_be_bytes([g0, g1])) * GapBlock::LEN;
        let duplicates_len = usize::from(u16::from_be_bytes([d0, d1])) * Tsn::LEN;
        let (gap_blocks, duplicates) = lists.split_at_checked(gap_blocks_len)?;
        if duplicates.len() != duplicates_len {
            return None;
        }
        Some(Self {
            cumulative_tsn_ack: Tsn(u32::from_be_bytes([t0, t1, t2, t3])),
            a_rwnd: u32::from_be_bytes([w0, w1, w2, w3]),
            gap_blocks: List::from_wire(gap_blocks)?,
            duplicates: List::from_wire(duplicates)?,
            packets: flags >> Self::PACKETS_SHIFT,
        })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let flags = self.packets.min(Self::MOST_PACKETS) << Self::PACKETS_SHIFT;
        out.extend_from_slice(&super::header(ChunkType::SACK, flags, self.encoded_len()));
        out.extend_from_slice(&self.cumulative_tsn_ack.0.to_be_bytes());
        out.extend_from_slice(&self.a_rwnd.to_be_bytes());
        out.extend_from_slice(&count_field(self.gap_blocks.len()));
        out.extend_from_slice(&count_field(self.duplicates.len()));
        self.gap_blocks.write(out);
        self.duplicates.write(out);
    }
}

/// The fields, without the chunk's name; blocks as offsets from the cumulative TSN.
impl fmt::Display for Sack<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            cumulative_tsn_ack,
            a_rwnd,
            gap_blocks,
            duplicates,
            packets,
        } = self;
        write!(
            f,
            "cum {cumulative_tsn_ack} a_rwnd {a_rwnd} gaps [{gap_blocks}] dups [{duplicates}]"
        )?;
        if *packets > 0 {
            write!(f, " packets {packets}")?;
        }
        Ok(())
    }
}

/// A run of TSNs received beyond the cumulative TSN.
///
/// The receiver must check that `start` does not exceed `end`, and that blocks are in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GapBlock {
    /// First TSN of the run, as an offset from the cumulative TSN.
    pub start: u16,
    /// Last TSN of the run, as an offset from the cumulative TSN.
    pub end: u16,
}

impl fmt::Display for GapBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.start, self.end)
    }
}

impl Element for GapBlock {
    const LEN: usize = 4;

    #[inline]
    fn split(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (&[s0, s1, e0, e1], rest) = bytes.split_first_chunk()?;
        let start = u16::from_be_bytes([s0, s1]);
        Some((
            Self {
                start,
                end: u16::from_be_bytes([e0, e1]),
            },
            rest,
        ))
    }

    #[inline]
    fn write(self, out: &mut Vec<u8>) {
        let [s0, s1] = self.start.to_be_bytes();
        let [e0, e1] = self.end.to_be_bytes();
        out.extend_from_slice(&[s0, s1, e0, e1]);
    }
}

impl Element for Tsn {
    const LEN: usize = 4;

    #[inline]
    fn split(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (number, rest) = bytes.split_first_chunk()?;
        Some((Self(u32::from_be_bytes(*number)), rest))
    }

    #[inline]
    fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0.to_be_bytes());
    }
}

/// A count that the chunk's length, already checked to fit 16 bits, keeps below 65536.
pub(super) fn count_field(count: usize) -> [u8; 2] {
    u16::try_from(count).unwrap_or(u16::MAX).to_be_bytes()
}

#[cfg(test)]
mod tests;
