use alloc::vec::Vec;
use core::fmt;
use core::net::IpAddr;

use crate::print::Hex;
use crate::tlv::{self, HEADER_LEN};
use crate::tlv_list::TlvItem;
use crate::{Parameter, ParameterType, RawParameter};

/// A change requested by an [`Asconf`](crate::Asconf) chunk.
///
/// The outcome repeats `id`. The address 0.0.0.0 or `::` means the packet's source address, or, in
/// a deletion, all other addresses. The diagrams show type, length and value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsconfRequest<'a> {
    /// Adds an address of the sender (RFC 5061 §4.2.1).
    ///
    /// ```text
    /// | 0xC001 | 8 + n | id, 4 bytes | address parameter, n bytes |
    /// ```
    Add {
        /// Correlation id of the request.
        id: u32,
        /// The address.
        address: IpAddr,
    },
    /// Deletes an address of the sender (RFC 5061 §4.2.2).
    ///
    /// ```text
    /// | 0xC002 | 8 + n | id, 4 bytes | address parameter, n bytes |
    /// ```
    Delete {
        /// Correlation id of the request.
        id: u32,
        /// The address.
        address: IpAddr,
    },
    /// Makes an address of the sender the primary destination (RFC 5061 §4.2.4).
    ///
    /// ```text
    /// | 0xC004 | 8 + n | id, 4 bytes | address parameter, n bytes |
    /// ```
    SetPrimary {
        /// Correlation id of the request.
        id: u32,
        /// The address.
        address: IpAddr,
    },
    /// A type that is not known here.
    Unknown(RawParameter<'a>),
}

impl AsconfRequest<'_> {
    /// The type, which is written in the first two bytes.
    #[must_use]
    pub const fn parameter_type(&self) -> ParameterType {
        match self {
            Self::Add { .. } => ParameterType::ADD_IP_ADDRESS,
            Self::Delete { .. } => ParameterType::DELETE_IP_ADDRESS,
            Self::SetPrimary { .. } => ParameterType::SET_PRIMARY_ADDRESS,
            Self::Unknown(raw) => raw.parameter_type,
        }
    }

    /// The correlation id of the request. For an unknown request, the first four bytes of the
    /// value, if present.
    #[must_use]
    pub fn id(&self) -> u32 {
        match self {
            Self::Add { id, .. } | Self::Delete { id, .. } | Self::SetPrimary { id, .. } => *id,
            Self::Unknown(raw) => raw
                .value
                .first_chunk()
                .map_or(0, |id| u32::from_be_bytes(*id)),
        }
    }
}

impl<'a> TlvItem<'a> for AsconfRequest<'a> {
    fn from_wire(kind: u16, value: &'a [u8], whole: &'a [u8]) -> Result<Self, &'static str> {
        let parameter_type = ParameterType(kind);
        let request = match parameter_type {
            ParameterType::ADD_IP_ADDRESS => {
                read(value).map(|(id, address)| Self::Add { id, address })
            }
            ParameterType::DELETE_IP_ADDRESS => {
                read(value).map(|(id, address)| Self::Delete { id, address })
            }
            ParameterType::SET_PRIMARY_ADDRESS => {
                read(value).map(|(id, address)| Self::SetPrimary { id, address })
            }
            _ => Some(Self::Unknown(RawParameter::new(
                parameter_type,
                value,
                whole,
            ))),
        };
        request.ok_or("an address change without a number and one address")
    }

    fn encoded_len(&self) -> usize {
        HEADER_LEN
            + match self {
                Self::Add { address, .. }
                | Self::Delete { address, .. }
                | Self::SetPrimary { address, .. } => 4 + super::address(*address).encoded_len(),
                Self::Unknown(raw) => raw.value.len(),
            }
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&tlv::header(self.parameter_type().0, self.encoded_len()));
        match self {
            Self::Add { id, address }
            | Self::Delete { id, address }
            | Self::SetPrimary { id, address } => {
                out.extend_from_slice(&id.to_be_bytes());
                super::address(*address).write(out);
            }
            Self::Unknown(raw) => out.extend_from_slice(raw.value),
        }
    }
}

/// Parses a correlation id, followed by one address.
fn read(value: &[u8]) -> Option<(u32, IpAddr)> {
    let (id, rest) = value.split_first_chunk()?;
    let parameter = Parameter::parse(rest).ok()?;
    let address = match parameter {
        Parameter::Ipv4Address(ip) => ip.into(),
        Parameter::Ipv6Address(ip) => ip.into(),
        _ => return None,
    };
    (parameter.encoded_len() == rest.len()).then_some((u32::from_be_bytes(*id), address))
}

impl fmt::Display for AsconfRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parameter_type().fmt(f)?;
        match self {
            Self::Add { id, address }
            | Self::Delete { id, address }
            | Self::SetPrimary { id, address } => write!(f, " {id}: {address}"),
            Self::Unknown(raw) => write!(f, " {}", Hex(raw.value)),
        }
    }
}
