use alloc::vec::Vec;
use core::fmt;

use crate::tlv::HEADER_LEN;
use crate::{Causes, ChunkType};

/// ABORT: ends the association immediately (RFC 9260 §3.3.7).
///
/// ```text
/// 0       8       16              31
/// +-------+-------+---------------+
/// |   6   |      T|    length     |
/// +-------+-------+---------------+
/// | causes                        |
/// +-------------------------------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abort<'a> {
    /// The end whose verification tag the packet carries.
    pub reflected: TagReflection,
    /// The reasons for the abort.
    pub causes: Causes<'a>,
}

impl<'a> Abort<'a> {
    pub(crate) fn encoded_len(&self) -> usize {
        HEADER_LEN + self.causes.encoded_len()
    }

    pub(crate) const fn from_wire(flags: u8, value: &'a [u8]) -> Self {
        let reflected = TagReflection::from_flags(flags);
        Self {
            reflected,
            causes: Causes::from_wire(value),
        }
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let flags = self.reflected.flags();
        out.extend_from_slice(&super::header(ChunkType::ABORT, flags, self.encoded_len()));
        self.causes.write(out);
    }
}

/// The fields, without the chunk's name.
impl fmt::Display for Abort<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.causes, self.reflected)
    }
}

/// The T bit of ABORT and SHUTDOWN COMPLETE (RFC 9260 §8.5.1): whose tag the packet carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TagReflection {
    /// T = 0: the tag chosen by the receiver.
    #[default]
    Own,
    /// T = 1: the sender has no association, and reflects the tag of the packet that it answers.
    Reflected,
}

impl TagReflection {
    pub(crate) const fn from_flags(flags: u8) -> Self {
        if flags & 1 == 0 {
            Self::Own
        } else {
            Self::Reflected
        }
    }

    pub(crate) const fn flags(self) -> u8 {
        match self {
            Self::Own => 0,
            Self::Reflected => 1,
        }
    }
}

/// Prints a remark for a reflected tag, and nothing otherwise.
impl fmt::Display for TagReflection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own => Ok(()),
            Self::Reflected => f.write_str(" tag reflected"),
        }
    }
}
