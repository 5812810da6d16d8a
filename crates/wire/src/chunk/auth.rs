use alloc::vec::Vec;
use core::fmt;

use crate::ChunkType;
use crate::print::Hex;

/// AUTH: authenticates the chunks that follow it in the packet (RFC 4895 §5.1).
///
/// ```text
/// 0       8       16              31
/// +-------+-------+---------------+
/// |  15   |   0   |    length     |
/// +-------+-------+---------------+
/// | shared key id |    HMAC id    |
/// +---------------+---------------+
/// | HMAC, 20 or 32 bytes          |
/// +-------------------------------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Auth<'a> {
    /// Id of the shared key for the HMAC.
    pub key: u16,
    /// The HMAC algorithm.
    pub algorithm: u16,
    /// The HMAC over this chunk, with its HMAC field zeroed, and all chunks after it.
    pub hmac: &'a [u8],
}

impl<'a> Auth<'a> {
    /// Bytes before the HMAC.
    pub const HEADER_LEN: usize = 8;

    pub(crate) fn from_wire(value: &'a [u8]) -> Option<Self> {
        let (&[k0, k1, h0, h1], hmac) = value.split_first_chunk()?;
        Some(Self {
            key: u16::from_be_bytes([k0, k1]),
            algorithm: u16::from_be_bytes([h0, h1]),
            hmac,
        })
    }

    /// Bytes on the wire, padding not included.
    #[must_use]
    pub const fn encoded_len(&self) -> usize {
        Self::HEADER_LEN + self.hmac.len()
    }

    /// The bytes of the chunk that precede its HMAC.
    #[must_use]
    pub fn head(&self) -> [u8; 8] {
        let [a, b, c, d] = super::header(ChunkType::AUTH, 0, self.encoded_len());
        let [k0, k1] = self.key.to_be_bytes();
        let [h0, h1] = self.algorithm.to_be_bytes();
        [a, b, c, d, k0, k1, h0, h1]
    }

    /// Appends the whole chunk without padding.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.head());
        out.extend_from_slice(self.hmac);
    }
}

impl fmt::Display for Auth<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.algorithm {
            1 => "SHA-1",
            3 => "SHA-256",
            _ => "unknown",
        };
        write!(
            f,
            "key {} algorithm {} ({name}) {}",
            self.key,
            self.algorithm,
            Hex(self.hmac)
        )
    }
}
