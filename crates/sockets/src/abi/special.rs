//! Requests that need descriptors or the program's memory.

use super::{Abi, OptionName};
use crate::{Errno, Special};

/// Longest address list for `sctp_connectx`, bytes.
const MOST_ADDRESSES: usize = 64 << 10;

impl Abi {
    /// Recognizes a `setsockopt` or `getsockopt` request that needs descriptors or the program's
    /// memory; `None` if [`set_option`](crate::Stack::set_option) or
    /// [`option`](crate::Stack::option) handles it.
    ///
    /// # Errors
    /// The errors of `setsockopt` and `getsockopt`.
    pub fn special(self, level: i32, name: i32, value: &[u8]) -> Result<Option<Special>, Errno> {
        if level != self.levels().sctp {
            return Ok(None);
        }
        let at = |offset: usize| {
            let bytes = value.get(offset..).and_then(<[u8]>::first_chunk);
            bytes
                .map(|bytes| u32::from_ne_bytes(*bytes))
                .ok_or(Errno::EINVAL)
        };
        let special = match self.option(name) {
            Some(OptionName::PeelOff) => Special::PeelOff {
                assoc: at(0)?.cast_signed(),
                flags: 0,
                descriptor_at: 4,
            },
            Some(OptionName::PeelOffFlags) => Special::PeelOff {
                assoc: at(0)?.cast_signed(),
                flags: at(8)?,
                descriptor_at: 4,
            },
            Some(OptionName::Connectx | OptionName::ConnectxOld) => {
                Special::Connect(self.addresses(value)?)
            }
            Some(OptionName::Connectx3) => {
                let pointer = value.get(8..16).and_then(|bytes| bytes.try_into().ok());
                Special::ConnectAt {
                    pointer: pointer.map(u64::from_ne_bytes).ok_or(Errno::EINVAL)?,
                    length: usize::try_from(at(4)?)
                        .ok()
                        .filter(|length| (1..=MOST_ADDRESSES).contains(length))
                        .ok_or(Errno::EINVAL)?,
                }
            }
            _ => return Ok(None),
        };
        Ok(Some(special))
    }
}
