use alloc::vec::Vec;
use core::fmt;

use crate::tlv::HEADER_LEN;
use crate::{Causes, ChunkType};

/// ERROR: reports errors that do not end the association (RFC 9260 §3.3.10).
///
/// ```text
/// 0       8       16              31
/// +-------+-------+---------------+
/// |   9   |   0   |    length     |
/// +-------+-------+---------------+
/// | causes                        |
/// +-------------------------------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorChunk<'a> {
    /// The errors, one cause or more.
    pub causes: Causes<'a>,
}

impl<'a> ErrorChunk<'a> {
    pub(crate) fn encoded_len(&self) -> usize {
        HEADER_LEN + self.causes.encoded_len()
    }

    pub(crate) const fn from_wire(value: &'a [u8]) -> Self {
        Self {
            causes: Causes::from_wire(value),
        }
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&super::header(ChunkType::ERROR, 0, self.encoded_len()));
        self.causes.write(out);
    }
}

/// The causes, without the chunk's name.
impl fmt::Display for ErrorChunk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.causes.fmt(f)
    }
}
