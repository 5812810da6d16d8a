use alloc::vec::Vec;
use core::fmt;
use core::net::IpAddr;

use crate::print::Hex;
use crate::tlv::{self, HEADER_LEN};
use crate::tlv_list::TlvItem;
use crate::{Parameter, ParameterType, RawParameter};

/// A change that an [`Asconf`](crate::Asconf) chunk asks for.
///
/// `id` comes back in the outcome. The address 0.0.0.0 or `::` stands for the one that the packet
/// comes from; in a deletion, for all others. The diagrams show type, length and value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsconfRequest<'a> {
    /// The sender has another address (RFC 5061 §4.2.1).
    ///
    /// ```text
    /// | 0xC001 | 8 + n | id, 4 bytes | address parameter, n bytes |
    /// ```
    Add {
        /// Names the request.
        id: u32,
        /// The address.
        address: IpAddr,
    },
    /// The sender has an address no longer (RFC 5061 §4.2.2).
    ///
    /// ```text
    /// | 0xC002 | 8 + n | id, 4 bytes | address parameter, n bytes |
    /// ```
    Delete {
        /// Names the request.
        id: u32,
        /// The address.
        address: IpAddr,
    },
    /// The address that the sender wants to get data at (RFC 5061 §4.2.4).
    ///
    /// ```text
    /// | 0xC004 | 8 + n | id, 4 bytes | address parameter, n bytes |
    /// ```
    SetPrimary {
        /// Names the request.
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

    /// The name of the request; of an unknown one, the four bytes where all have it, if they are
    /// there.
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

/// A number, and the one address after it.
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
