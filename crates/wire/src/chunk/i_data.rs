use alloc::vec::Vec;
use core::fmt;

use crate::print::Text;
use crate::{ChunkType, DataFlags, Fsn, Mid, Ppid, StreamId, Tsn, tlv};

/// I-DATA: a user message or a fragment, numbered so that fragments of messages on different
/// streams may be interleaved (RFC 8260 §2.1).
///
/// Sent only to peers that have agreed to it.
///
/// ```text
/// 0       8       16              31
/// +-------+-------+---------------+
/// |  64   |   IUBE|    length     |   length: 20 + bytes of payload
/// +-------+-------+---------------+
/// |              TSN              |
/// +---------------+---------------+
/// |    stream     |   reserved    |
/// +---------------+---------------+
/// |              MID              |
/// +-------------------------------+
/// |  PPID of a beginning, or FSN  |
/// +-------------------------------+
/// | payload                       |
/// +-------------------------------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IData<'a> {
    /// Place within the message, order and urgency.
    pub flags: DataFlags,
    /// Transmission sequence number of the chunk.
    pub tsn: Tsn,
    /// Stream of the message.
    pub stream: StreamId,
    /// Message identifier, counted separately for ordered and unordered messages of a stream.
    pub mid: Mid,
    /// The payload protocol identifier in a first fragment (B bit), otherwise the fragment sequence
    /// number; both share one field on the wire.
    pub ppid_or_fsn: u32,
    /// User bytes. Empty user data is an error, which the parser leaves to the receiver.
    pub payload: &'a [u8],
}

impl<'a> IData<'a> {
    /// Bytes before the payload, the chunk header included.
    pub const HEADER_LEN: usize = 20;

    #[inline]
    pub(crate) fn from_wire(flags: u8, value: &'a [u8]) -> Option<Self> {
        let (fixed, payload) = value.split_first_chunk::<16>()?;
        let [t0, t1, t2, t3, i0, i1, _, _, m0, m1, m2, m3, p0, p1, p2, p3] = *fixed;
        Some(Self {
            flags: DataFlags::from_bits(flags),
            tsn: Tsn(u32::from_be_bytes([t0, t1, t2, t3])),
            stream: StreamId(u16::from_be_bytes([i0, i1])),
            mid: Mid(u32::from_be_bytes([m0, m1, m2, m3])),
            ppid_or_fsn: u32::from_be_bytes([p0, p1, p2, p3]),
            payload,
        })
    }

    /// The message's payload protocol identifier, which its first fragment carries.
    #[must_use]
    pub const fn ppid(&self) -> Option<Ppid> {
        if self.flags.contains(DataFlags::BEGINNING) {
            Some(Ppid(self.ppid_or_fsn))
        } else {
            None
        }
    }

    /// The fragment sequence number: 0 for the first fragment.
    #[must_use]
    pub const fn fsn(&self) -> Fsn {
        if self.flags.contains(DataFlags::BEGINNING) {
            Fsn(0)
        } else {
            Fsn(self.ppid_or_fsn)
        }
    }

    /// Bytes on the wire, header included, padding not.
    #[must_use]
    pub const fn encoded_len(&self) -> usize {
        Self::HEADER_LEN + self.payload.len()
    }

    /// Appends the whole chunk without padding. One longer than 65535 bytes cannot be expressed.
    #[inline]
    pub fn write(&self, out: &mut Vec<u8>) {
        let [high, low] = tlv::length_field(self.encoded_len());
        let head = u32::from_be_bytes([ChunkType::I_DATA.0, self.flags.bits(), high, low]);
        let first = u64::from(head) << 32 | u64::from(self.tsn.0);
        let second = u64::from(self.stream.0) << 48 | u64::from(self.mid.0);
        let numbers = u128::from(first) << 64 | u128::from(second);
        out.extend_from_slice(&numbers.to_be_bytes());
        out.extend_from_slice(&self.ppid_or_fsn.to_be_bytes());
        out.extend_from_slice(self.payload);
    }
}

/// The fields, without the chunk's name.
impl fmt::Display for IData<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            flags,
            tsn,
            stream,
            mid,
            payload,
            ..
        } = self;
        write!(f, "tsn {tsn} stream {stream} mid {mid} ")?;
        match self.ppid() {
            Some(ppid) => write!(f, "ppid {ppid}")?,
            None => write!(f, "fsn {}", self.fsn())?,
        }
        write!(f, " flags {flags}, {}", Text(payload))
    }
}

#[cfg(test)]
mod tests;
