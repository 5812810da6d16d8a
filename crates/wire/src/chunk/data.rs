use alloc::vec::Vec;
use core::fmt;

use crate::print::Text;
use crate::{ChunkType, Ppid, Ssn, StreamId, Tsn, tlv};

/// DATA: a user message or one fragment of it (RFC 9260 §3.3.1).
///
/// ```text
/// 0       8       16              31
/// +-------+-------+---------------+
/// |   0   |   IUBE|    length     |   length: 16 + bytes of payload
/// +-------+-------+---------------+
/// |              TSN              |
/// +---------------+---------------+
/// |    stream     |      SSN      |
/// +---------------+---------------+
/// |             PPID              |
/// +-------------------------------+
/// | payload                       |
/// +-------------------------------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data<'a> {
    /// Place within the message, order and urgency.
    pub flags: DataFlags,
    /// Transmission sequence number of the chunk.
    pub tsn: Tsn,
    /// Stream of the message.
    pub stream: StreamId,
    /// Stream sequence number of the message; meaningless if unordered.
    pub ssn: Ssn,
    /// Payload protocol identifier, opaque to SCTP.
    pub ppid: Ppid,
    /// User bytes. Empty user data is an error (§6.2), which the parser leaves to the receiver.
    pub payload: &'a [u8],
}

impl<'a> Data<'a> {
    /// Bytes before the payload, the chunk header included.
    pub const HEADER_LEN: usize = 16;

    /// Bytes on the wire, header included, padding not.
    #[inline]
    #[must_use]
    pub const fn encoded_len(&self) -> usize {
        Self::HEADER_LEN + self.payload.len()
    }

    #[inline]
    pub(crate) fn from_wire(flags: u8, value: &'a [u8]) -> Option<Self> {
        let (&[t0, t1, t2, t3, i0, i1, n0, n1, p0, p1, p2, p3], payload) =
            value.split_first_chunk::<12>()?;
        Some(Self {
            flags: DataFlags::from_bits(flags),
            tsn: Tsn(u32::from_be_bytes([t0, t1, t2, t3])),
            stream: StreamId(u16::from_be_bytes([i0, i1])),
            ssn: Ssn(u16::from_be_bytes([n0, n1])),
            ppid: Ppid(u32::from_be_bytes([p0, p1, p2, p3])),
            payload,
        })
    }

    #[inline]
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let [high, low] = tlv::length_field(self.encoded_len());
        let head = u32::from_be_bytes([ChunkType::DATA.0, self.flags.bits(), high, low]);
        let first = u64::from(head) << 32 | u64::from(self.tsn.0);
        let numbers = u32::from(self.stream.0) << 16 | u32::from(self.ssn.0);
        let second = u64::from(numbers) << 32 | u64::from(self.ppid.0);
        let header: [u8; 16] = (u128::from(first) << 64 | u128::from(second)).to_be_bytes();
        out.extend_from_slice(&header);
        out.extend_from_slice(self.payload);
    }
}

/// The fields, without the chunk's name.
impl fmt::Display for Data<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            flags,
            tsn,
            stream,
            ssn,
            ppid,
            payload,
        } = self;
        let payload = Text(payload);
        write!(
            f,
            "tsn {tsn} stream {stream} ssn {ssn} ppid {ppid} flags {flags}, {payload}"
        )
    }
}

/// The flags of a DATA chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DataFlags(u8);

impl DataFlags {
    /// No flag: a middle fragment of an ordered message.
    pub const EMPTY: Self = Self(0);
    /// E: the chunk ends its message.
    pub const ENDING: Self = Self(1);
    /// B: the chunk begins its message.
    pub const BEGINNING: Self = Self(2);
    /// U: the message is not ordered within its stream.
    pub const UNORDERED: Self = Self(4);
    /// I: the sender asks for an immediate SACK (RFC 7053).
    pub const IMMEDIATE: Self = Self(8);

    /// The flags in a chunk's second byte; reserved bits are ignored.
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits & 0x0f)
    }

    /// The flags as a chunk's second byte.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The union of both.
    #[inline]
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether every flag of `other` is set.
    #[inline]
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// The letters of RFC 9260, or a dash.
impl fmt::Display for DataFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::EMPTY {
            return f.write_str("-");
        }
        let letters = [
            (Self::IMMEDIATE, "I"),
            (Self::UNORDERED, "U"),
            (Self::BEGINNING, "B"),
            (Self::ENDING, "E"),
        ];
        letters
            .iter()
            .filter(|(flag, _)| self.contains(*flag))
            .try_for_each(|(_, l)| f.write_str(l))
    }
}

#[cfg(test)]
mod tests;
