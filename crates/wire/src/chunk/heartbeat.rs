use alloc::vec::Vec;
use core::fmt;

use crate::print::Hex;
use crate::tlv::{HEADER_LEN, Walk};
use crate::{ChunkType, ParameterType, tlv};

/// HEARTBEAT and HEARTBEAT ACK: a probe of one path and its echo (RFC 9260 §3.3.5, §3.3.6).
///
/// ```text
/// 0       8       16              31
/// +-------+-------+---------------+
/// | 4 | 5 |   0   |    length     |
/// +-------+-------+---------------+
/// |       1       | length of info|   one parameter, Heartbeat Info
/// +---------------+---------------+
/// | info                          |
/// +-------------------------------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heartbeat<'a> {
    /// Value of the Heartbeat Info parameter, which the peer returns unchanged.
    pub info: &'a [u8],
}

impl<'a> Heartbeat<'a> {
    pub(crate) const fn encoded_len(&self) -> usize {
        2 * HEADER_LEN + self.info.len()
    }

    /// The body must begin with a Heartbeat Info parameter; bytes after the parameter are ignored.
    pub(crate) fn from_wire(value: &'a [u8]) -> Result<Self, &'static str> {
        match Walk::new(value, 0).next() {
            Some(Ok(tlv)) if tlv.kind() == ParameterType::HEARTBEAT_INFO.0 => {
                Ok(Self { info: tlv.value })
            }
            _ => Err("heartbeat without Heartbeat Info"),
        }
    }

    pub(crate) fn write(&self, chunk_type: ChunkType, out: &mut Vec<u8>) {
        out.extend_from_slice(&super::header(chunk_type, 0, self.encoded_len()));
        let kind = ParameterType::HEARTBEAT_INFO.0;
        out.extend_from_slice(&tlv::header(kind, HEADER_LEN + self.info.len()));
        out.extend_from_slice(self.info);
    }
}

/// The info, without the chunk's name.
impl fmt::Display for Heartbeat<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "info {}", Hex(self.info))
    }
}
