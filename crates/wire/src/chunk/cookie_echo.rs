use alloc::vec::Vec;
use core::fmt;

use crate::ChunkType;
use crate::print::Hex;
use crate::tlv::HEADER_LEN;

/// COOKIE ECHO: the State Cookie on its way back to who made it (RFC 9260 §3.3.11).
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
    /// The State Cookie parameter's value, opaque to all but its maker.
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
