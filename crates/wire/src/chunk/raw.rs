use core::fmt;

use crate::print::Hex;
use crate::tlv::{Tlv, Walk};
use crate::{ChunkType, Malformed};

/// A chunk with an unparsed body: its type is unknown, or the receiver wants to check the type
/// first ([`Chunks::next_raw`](crate::Chunks::next_raw)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RawChunk<'a> {
    /// The type, known here or not.
    pub chunk_type: ChunkType,
    /// The flags; their meaning depends on the type.
    pub flags: u8,
    /// Bytes after the four header bytes, without padding.
    pub value: &'a [u8],
    whole: &'a [u8],
}

impl<'a> RawChunk<'a> {
    /// Splits off the first chunk in `bytes`, whatever its type.
    ///
    /// # Errors
    /// [`Malformed`] if the length is less than four or exceeds the input.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        match Walk::new(bytes, 0).next() {
            Some(tlv) => tlv.map(|tlv| Self::from_tlv(&tlv)),
            None => Err(Malformed {
                at: 0,
                what: "no chunk",
            }),
        }
    }

    /// The whole chunk as received, without padding.
    #[inline]
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        self.whole
    }

    #[inline]
    pub(crate) const fn from_tlv(tlv: &Tlv<'a>) -> Self {
        let [chunk_type, flags] = tlv.head;
        Self {
            chunk_type: ChunkType(chunk_type),
            flags,
            value: tlv.value,
            whole: tlv.whole,
        }
    }
}

/// Text after the type: flags and value.
impl fmt::Display for RawChunk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "flags {:02x}, {}", self.flags, Hex(self.value))
    }
}
