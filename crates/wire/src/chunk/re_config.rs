mod parameter;

use alloc::vec::Vec;
use core::fmt;

pub use parameter::{ReConfigParameter, ReConfigResult};

use crate::ChunkType;
use crate::tlv::HEADER_LEN;
use crate::tlv_list::TlvList;

/// RE-CONFIG: requests to reset or add streams, and answers to them (RFC 6525 §3.1).
///
/// ```text
/// 0       8       16              31
/// +-------+-------+---------------+
/// |  130  |   0   |    length     |
/// +-------+-------+---------------+
/// | one parameter, padded         |
/// +-------------------------------+
/// | another one, perhaps          |
/// +-------------------------------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReConfig<'a> {
    /// The request or response: one or two parameters.
    pub parameters: TlvList<'a, ReConfigParameter<'a>>,
}

impl<'a> ReConfig<'a> {
    /// Parameters are checked during iteration.
    pub(crate) const fn from_wire(value: &'a [u8]) -> Self {
        Self {
            parameters: TlvList::from_wire(value),
        }
    }

    /// Bytes on the wire, header included, padding not.
    #[must_use]
    pub fn encoded_len(&self) -> usize {
        HEADER_LEN + self.parameters.encoded_len()
    }

    /// Appends the whole chunk without padding. One longer than 65535 bytes cannot be expressed.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&super::header(ChunkType::RE_CONFIG, 0, self.encoded_len()));
        self.parameters.write(out);
    }
}

/// The parameters in brackets.
impl fmt::Display for ReConfig<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parameters.fmt(f)
    }
}
