use alloc::vec::Vec;

use crate::tlv::HEADER_LEN;
use crate::{ChunkType, TagReflection};

/// SHUTDOWN COMPLETE: the last chunk of an association (RFC 9260 §3.3.13).
///
/// ```text
/// 0       8       16              31
/// +-------+-------+---------------+
/// |  14   |      T|       4       |
/// +-------+-------+---------------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShutdownComplete {
    /// The end whose verification tag the packet carries.
    pub reflected: TagReflection,
}

impl ShutdownComplete {
    pub(crate) const fn from_wire(flags: u8) -> Self {
        Self {
            reflected: TagReflection::from_flags(flags),
        }
    }

    pub(crate) fn write(self, out: &mut Vec<u8>) {
        let flags = self.reflected.flags();
        out.extend_from_slice(&super::header(
            ChunkType::SHUTDOWN_COMPLETE,
            flags,
            HEADER_LEN,
        ));
    }
}
