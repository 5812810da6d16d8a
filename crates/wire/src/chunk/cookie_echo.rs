use alloc::vec::Vec;
use core::fmt;

use crate::ChunkType;
use crate::print::Hex;
use crate::tlv::HEADER_LEN;

/// COOKIE ECHO: returns the State Cookie to its creator (RFC 9260 §3.3.11).
///
/// ```text
/// 0       8       16              31
/// +-------+-------+---------------+
/// |  10   |   0   |    length     |
/// +-------+-------+---------------+
/// | cookie                        |
/// +-------------------------------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CookieEcho<'a> {
    /// Value of the State Cookie parameter, opaque to everyone but its creator.
    pub cookie: &'a [u8],
}

impl CookieEcho<'_> {
    pub(crate) const fn encoded_len(&self) -> usize {
        HEADER_LEN + self.cookie.len()
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&super::header(
            ChunkType::COOKIE_ECHO,
            0,
            self.encoded_len(),
        ));
        out.extend_from_slice(self.cookie);
    }
}

/// The cookie, without the chunk's name.
impl fmt::Display for CookieEcho<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Hex(self.cookie).fmt(f)
    }
}

#[cfg(test)]
mod tests;
