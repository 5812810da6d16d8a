use alloc::vec::Vec;
use core::fmt;

use crate::print::Hex;
use crate::tlv::{self, HEADER_LEN};
use crate::tlv_list::TlvItem;
use crate::{Causes, ParameterType, RawParameter};

/// The outcome of an [`AsconfRequest`](crate::AsconfRequest). The diagrams show type, length and
/// value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsconfOutcome<'a> {
    /// The request was carried out (RFC 5061 §4.2.5).
    ///
    /// ```text
    /// | 0xC005 | 8 | id, 4 bytes |
    /// ```
    Success {
        /// Correlation id of the request.
        id: u32,
    },
    /// The request was refused (RFC 5061 §4.2.3).
    ///
    /// ```text
    /// | 0xC003 | length | id, 4 bytes | causes ... |
    /// ```
    Failure {
        /// Correlation id of the request.
        id: u32,
        /// The reasons for the refusal.
        causes: Causes<'a>,
    },
    /// A type that is not known here.
    Unknown(RawParameter<'a>),
}

impl AsconfOutcome<'_> {
    /// The type, which is written in the first two bytes.
    #[must_use]
    pub const fn parameter_type(&self) -> ParameterType {
        match self {
            Self::Success { .. } => ParameterType::SUCCESS_INDICATION,
            Self::Failure { .. } => ParameterType::ERROR_CAUSE_INDICATION,
            Self::Unknown(raw) => raw.parameter_type,
        }
    }
}

impl<'a> TlvItem<'a> for AsconfOutcome<'a> {
    fn from_wire(kind: u16, value: &'a [u8], whole: &'a [u8]) -> Result<Self, &'static str> {
        let parameter_type = ParameterType(kind);
        match parameter_type {
            ParameterType::SUCCESS_INDICATION => value
                .try_into()
                .map(|id| Self::Success {
                    id: u32::from_be_bytes(id),
                })
                .map_err(|_| "Success Indication not of 8 bytes"),
            ParameterType::ERROR_CAUSE_INDICATION => value
                .split_first_chunk()
                .map(|(id, causes)| Self::Failure {
                    id: u32::from_be_bytes(*id),
                    causes: Causes::from_wire(causes),
                })
                .ok_or("Error Cause Indication below 8 bytes"),
            _ => Ok(Self::Unknown(RawParameter::new(
                parameter_type,
                value,
                whole,
            ))),
        }
    }

    fn encoded_len(&self) -> usize {
        HEADER_LEN
            + match self {
                Self::Success { .. } => 4,
                Self::Failure { causes, .. } => 4 + causes.encoded_len(),
                Self::Unknown(raw) => raw.value.len(),
            }
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&tlv::header(self.parameter_type().0, self.encoded_len()));
        match self {
            Self::Success { id } => out.extend_from_slice(&id.to_be_bytes()),
            Self::Failure { id, causes } => {
                out.extend_from_slice(&id.to_be_bytes());
                causes.write(out);
            }
            Self::Unknown(raw) => out.extend_from_slice(raw.value),
        }
    }
}

impl fmt::Display for AsconfOutcome<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parameter_type().fmt(f)?;
        match self {
            Self::Success { id } => write!(f, " {id}"),
            Self::Failure { id, causes } => write!(f, " {id}: {causes}"),
            Self::Unknown(raw) => write!(f, " {}", Hex(raw.value)),
        }
    }
}
