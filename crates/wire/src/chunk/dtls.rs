use alloc::vec::Vec;
use core::fmt;

use crate::print::Hex;
use crate::{ChunkType, dtls};

/// DTLS: the chunks of a packet in one encrypted record (draft-ietf-tsvwg-sctp-dtls-chunk-04 §4.2).
///
/// Must be the only chunk in its packet. The ciphertext is aligned to four bytes so that the chunks
/// can be parsed where they were decrypted.
///
/// ```text
/// 0       8       16              31
/// +-------+-------+---------------+
/// | 0x41  | flags |    length     |   flags: 1 protected by a restart key context
/// +-------+-------+---------------+
/// |   0   | 0x28+e| sequence, enc.|   e: two bits of the epoch
/// +-------+-------+---------------+
/// | ciphertext: chunks, content type 23, tag of 16 bytes
/// +-------------------------------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dtls<'a> {
    /// The key context of the record.
    pub context: DtlsContext,
    /// The padding byte before the record; the sender sets it to zero, the receiver ignores it.
    pub padding: u8,
    /// The record: a three-byte header and the ciphertext, for senders that follow the draft.
    pub record: &'a [u8],
}

/// The kind of key context that protects a DTLS chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DtlsContext {
    /// Used while both ends keep their state.
    Primary,
    /// Used to restart the association after an end lost its state (R bit).
    Restart,
}

impl<'a> Dtls<'a> {
    /// Bytes before the record: the chunk header and one byte of padding.
    pub const HEADER_LEN: usize = 5;
    /// Bytes of a record's header: flags and a sequence number of 16 bits.
    pub const RECORD_HEADER_LEN: usize = 3;
    /// First byte of a record, without the two epoch bits (RFC 9147 §4): no connection id, 16-bit
    /// sequence number, no length.
    pub const RECORD_FLAGS: u8 = 0b0010_1000;

    pub(crate) fn from_wire(flags: u8, value: &'a [u8]) -> Option<Self> {
        let (padding, record) = value.split_first()?;
        Some(Self {
            context: match flags & dtls::RESTART_FLAG {
                0 => DtlsContext::Primary,
                _ => DtlsContext::Restart,
            },
            padding: *padding,
            record,
        })
    }

    pub(crate) const fn encoded_len(&self) -> usize {
        Self::HEADER_LEN + self.record.len()
    }

    /// The five bytes before a record of `len` bytes.
    #[must_use]
    pub fn head(context: DtlsContext, len: usize) -> [u8; 5] {
        let flags = match context {
            DtlsContext::Primary => 0,
            DtlsContext::Restart => dtls::RESTART_FLAG,
        };
        let [kind, flags, high, low] =
            super::header(ChunkType::DTLS, flags, Self::HEADER_LEN + len);
        [kind, flags, high, low, 0]
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let [kind, flags, high, low, _] = Self::head(self.context, self.record.len());
        out.extend_from_slice(&[kind, flags, high, low, self.padding]);
        out.extend_from_slice(self.record);
    }
}

impl fmt::Display for Dtls<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.context == DtlsContext::Restart {
            f.write_str("restart, ")?;
        }
        match self.record.split_first_chunk() {
            Some((&[flags, s0, s1], ciphertext)) if flags & !3 == Self::RECORD_FLAGS => write!(
                f,
                "epoch ..{:02b}, encrypted sequence {:04x}, ciphertext {}",
                flags & 3,
                u16::from_be_bytes([s0, s1]),
                Hex(ciphertext)
            ),
            _ => write!(f, "record {}", Hex(self.record)),
        }
    }
}
