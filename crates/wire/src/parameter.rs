mod key_management;
mod parameter_type;
mod raw;

use alloc::vec::Vec;
use core::fmt;
use core::net::{Ipv4Addr, Ipv6Addr};

pub use key_management::KeyManagement;
pub use parameter_type::ParameterType;
pub use raw::RawParameter;

use crate::print::{Hex, MAX_ITEMS, Text};
use crate::tlv::{self, HEADER_LEN, Walk};
use crate::tlv_list::{TlvItem, TlvList};
use crate::{ChunkType, List};

/// The parameters of INIT and INIT ACK, in order.
pub type Parameters<'a> = TlvList<'a, Parameter<'a>>;

/// An optional or variable-length parameter of a chunk (RFC 9260 §3.2.1).
///
/// ```text
/// 0               16              31
/// +---------------+---------------+
/// |     type      |    length     |   length: type to the end of value, without padding
/// +---------------+---------------+
/// | value, padded to four bytes   |
/// +-------------------------------+
/// ```
///
/// The diagrams of the variants show type, length and value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter<'a> {
    /// Information that the peer returns unchanged (§3.3.5).
    ///
    /// ```text
    /// | 1 | length | info ... |
    /// ```
    HeartbeatInfo(&'a [u8]),
    /// An address of the sender (§3.3.2.1.1).
    ///
    /// ```text
    /// | 5 | 8 | IPv4 address, 4 bytes |
    /// ```
    Ipv4Address(Ipv4Addr),
    /// An address of the sender (§3.3.2.1.2).
    ///
    /// ```text
    /// | 6 | 20 | IPv6 address, 16 bytes |
    /// ```
    Ipv6Address(Ipv6Addr),
    /// The cookie that the peer returns to prove its address (§3.3.3.1.1).
    ///
    /// ```text
    /// | 7 | length | cookie ... |
    /// ```
    StateCookie(&'a [u8]),
    /// An unrecognized parameter of the peer's INIT, complete (§3.3.3.1.2). Some decoders expect
    /// its padding, too.
    ///
    /// ```text
    /// | 8 | length | type | length | value ... |
    /// ```
    UnrecognizedParameter(&'a [u8]),
    /// A request for a longer cookie life (§3.3.2.1.3).
    ///
    /// ```text
    /// | 9 | 8 | increment, 4 bytes |
    /// ```
    CookiePreservative {
        /// Requested increment of the cookie's life, in milliseconds.
        increment: u32,
    },
    /// A host name instead of addresses, which RFC 9260 forbids (§3.3.2.1.4).
    ///
    /// ```text
    /// | 11 | length | host name ... |
    /// ```
    HostNameAddress(&'a [u8]),
    /// The address types that the sender supports (§3.3.2.1.5).
    ///
    /// ```text
    /// | 12 | 4 + 2 n | type, 2 bytes | ... |
    /// ```
    SupportedAddressTypes(List<'a, u16>),
    /// The sender supports explicit congestion notification; reserved (§3.3.2).
    ///
    /// ```text
    /// | 32768 | 4 |
    /// ```
    EcnCapable,
    /// A random number for key derivation (RFC 4895 §3.1); 32 bytes from a correct sender.
    ///
    /// ```text
    /// | 32770 | 36 | number, 32 bytes |
    /// ```
    Random(&'a [u8]),
    /// The chunk types that the sender accepts only authenticated (RFC 4895 §3.2).
    ///
    /// ```text
    /// | 32771 | 4 + n | type, 1 byte | ... |
    /// ```
    ChunkList(&'a [u8]),
    /// The HMAC algorithms that the sender accepts, in order of preference (RFC 4895 §3.3).
    ///
    /// ```text
    /// | 32772 | 4 + 2 n | HMAC identifier, 2 bytes | ... |
    /// ```
    RequestedHmacs(List<'a, u16>),
    /// The sender's key management methods and roles for DTLS chunks
    /// (draft-ietf-tsvwg-sctp-dtls-chunk-04 §4.1).
    ///
    /// ```text
    /// | 32774 | 9 + n | tie breaker, 4 bytes | roles, 1 byte | method, 1 byte | ... |
    /// ```
    DtlsKeyManagement(KeyManagement<'a>),
    /// Adaptation layer indication: a number on whose meaning users agree (RFC 5061 §4.2.6).
    ///
    /// ```text
    /// | 49158 | 8 | number, 4 bytes |
    /// ```
    AdaptationLayerIndication(u32),
    /// A parameter of an unknown type; [`ParameterType::unknown_action`] says how to treat it.
    Unknown(RawParameter<'a>),
}

impl<'a> Parameter<'a> {
    /// Parses the first parameter in `bytes`.
    ///
    /// # Errors
    /// [`Malformed`](crate::Malformed) if there is none, if its length is less than four or exceeds
    /// the input, or if its type is known and its value violates the format.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, crate::Malformed> {
        match Parameters::from_wire(bytes).iter().next() {
            Some(parameter) => parameter,
            None => Err(crate::Malformed {
                at: 0,
                what: "no parameter",
            }),
        }
    }

    /// The type: the first two bytes on the wire.
    #[must_use]
    pub const fn parameter_type(&self) -> ParameterType {
        match self {
            Self::HeartbeatInfo(_) => ParameterType::HEARTBEAT_INFO,
            Self::Ipv4Address(_) => ParameterType::IPV4_ADDRESS,
            Self::Ipv6Address(_) => ParameterType::IPV6_ADDRESS,
            Self::StateCookie(_) => ParameterType::STATE_COOKIE,
            Self::UnrecognizedParameter(_) => ParameterType::UNRECOGNIZED_PARAMETER,
            Self::CookiePreservative { .. } => ParameterType::COOKIE_PRESERVATIVE,
            Self::HostNameAddress(_) => ParameterType::HOST_NAME_ADDRESS,
            Self::SupportedAddressTypes(_) => ParameterType::SUPPORTED_ADDRESS_TYPES,
            Self::EcnCapable => ParameterType::ECN_CAPABLE,
            Self::Random(_) => ParameterType::RANDOM,
            Self::ChunkList(_) => ParameterType::CHUNK_LIST,
            Self::RequestedHmacs(_) => ParameterType::REQUESTED_HMACS,
            Self::DtlsKeyManagement(_) => ParameterType::DTLS_KEY_MANAGEMENT,
            Self::AdaptationLayerIndication(_) => ParameterType::ADAPTATION_LAYER_INDICATION,
            Self::Unknown(raw) => raw.parameter_type,
        }
    }

    /// Length on the wire in bytes: type and length fields included, padding excluded.
    #[must_use]
    pub const fn encoded_len(&self) -> usize {
        HEADER_LEN
            + match self {
                Self::HeartbeatInfo(value)
                | Self::StateCookie(value)
                | Self::UnrecognizedParameter(value)
                | Self::HostNameAddress(value)
                | Self::Random(value)
                | Self::ChunkList(value) => value.len(),
                Self::Ipv4Address(_)
                | Self::CookiePreservative { .. }
                | Self::AdaptationLayerIndication(_) => 4,
                Self::Ipv6Address(_) => 16,
                Self::SupportedAddressTypes(numbers) | Self::RequestedHmacs(numbers) => {
                    numbers.encoded_len()
                }
                Self::DtlsKeyManagement(offer) => KeyManagement::FIXED_LEN + offer.methods.len(),
                Self::EcnCapable => 0,
                Self::Unknown(raw) => raw.value.len(),
            }
    }

    /// Appends the parameter without padding; a parameter longer than 65535 bytes is not
    /// representable.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&tlv::header(self.parameter_type().0, self.encoded_len()));
        match self {
            Self::HeartbeatInfo(value)
            | Self::StateCookie(value)
            | Self::UnrecognizedParameter(value)
            | Self::HostNameAddress(value)
            | Self::Random(value)
            | Self::ChunkList(value) => out.extend_from_slice(value),
            Self::Ipv4Address(address) => out.extend_from_slice(&address.octets()),
            Self::Ipv6Address(address) => out.extend_from_slice(&address.octets()),
            Self::CookiePreservative { increment: number }
            | Self::AdaptationLayerIndication(number) => {
                out.extend_from_slice(&number.to_be_bytes());
            }
            Self::SupportedAddressTypes(numbers) | Self::RequestedHmacs(numbers) => {
                numbers.write(out);
            }
            Self::DtlsKeyManagement(offer) => {
                out.extend_from_slice(&offer.fixed());
                out.extend_from_slice(offer.methods);
            }
            Self::EcnCapable => {}
            Self::Unknown(raw) => out.extend_from_slice(raw.value),
        }
    }
}

impl<'a> TlvItem<'a> for Parameter<'a> {
    fn from_wire(kind: u16, value: &'a [u8], whole: &'a [u8]) -> Result<Self, &'static str> {
        match ParameterType(kind) {
            ParameterType::HEARTBEAT_INFO => Ok(Self::HeartbeatInfo(value)),
            ParameterType::IPV4_ADDRESS => <[u8; 4]>::try_from(value)
                .map(|octets| Self::Ipv4Address(Ipv4Addr::from(octets)))
                .map_err(|_| "IPv4 Address not of 8 bytes"),
            ParameterType::IPV6_ADDRESS => <[u8; 16]>::try_from(value)
                .map(|octets| Self::Ipv6Address(Ipv6Addr::from(octets)))
                .map_err(|_| "IPv6 Address not of 20 bytes"),
            ParameterType::STATE_COOKIE => Ok(Self::StateCookie(value)),
            ParameterType::UNRECOGNIZED_PARAMETER => Ok(Self::UnrecognizedParameter(value)),
            ParameterType::COOKIE_PRESERVATIVE => number(value)
                .map(|increment| Self::CookiePreservative { increment })
                .ok_or("Cookie Preservative not of 8 bytes"),
            ParameterType::HOST_NAME_ADDRESS => Ok(Self::HostNameAddress(value)),
            ParameterType::SUPPORTED_ADDRESS_TYPES => List::from_wire(value)
                .map(Self::SupportedAddressTypes)
                .ok_or("Supported Address Types of odd length"),
            ParameterType::ECN_CAPABLE if value.is_empty() => Ok(Self::EcnCapable),
            ParameterType::ECN_CAPABLE => Err("ECN Capable with a value"),
            ParameterType::RANDOM => Ok(Self::Random(value)),
            ParameterType::CHUNK_LIST => Ok(Self::ChunkList(value)),
            ParameterType::REQUESTED_HMACS => List::from_wire(value)
                .map(Self::RequestedHmacs)
                .ok_or("Requested HMACs of odd length"),
            ParameterType::DTLS_KEY_MANAGEMENT => KeyManagement::from_wire(value)
                .map(Self::DtlsKeyManagement)
                .ok_or("DTLS Key Management without a method"),
            ParameterType::ADAPTATION_LAYER_INDICATION => number(value)
                .map(Self::AdaptationLayerIndication)
                .ok_or("Adaptation Layer Indication not of 8 bytes"),
            parameter_type => Ok(Self::Unknown(RawParameter::new(
                parameter_type,
                value,
                whole,
            ))),
        }
    }

    fn encoded_len(&self) -> usize {
        self.encoded_len()
    }

    fn write(&self, out: &mut Vec<u8>) {
        self.write(out);
    }
}

/// The parameter's name and value.
impl fmt::Display for Parameter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parameter_type().fmt(f)?;
        match self {
            Self::HeartbeatInfo(value) | Self::StateCookie(value) | Self::Random(value) => {
                write!(f, " {}", Hex(value))
            }
            Self::ChunkList(types) => write!(f, " {}", ChunkTypes(types)),
            Self::RequestedHmacs(ids) => write!(f, " {ids}"),
            Self::AdaptationLayerIndication(number) => write!(f, " {number:#010x}"),
            Self::Unknown(raw) if raw.parameter_type == ParameterType::SUPPORTED_EXTENSIONS => {
                write!(f, " {}", ChunkTypes(raw.value))
            }
            Self::Ipv4Address(address) => write!(f, " {address}"),
            Self::Ipv6Address(address) => write!(f, " {address}"),
            Self::UnrecognizedParameter(whole) => write!(f, " {}", Outline(whole)),
            Self::CookiePreservative { increment } => write!(f, " {increment} ms"),
            Self::HostNameAddress(name) => write!(f, " {}", Text(name)),
            Self::SupportedAddressTypes(types) => write!(f, " {types}"),
            Self::DtlsKeyManagement(offer) => write!(f, " {offer}"),
            Self::EcnCapable => Ok(()),
            Self::Unknown(raw) => write!(f, " {}", Hex(raw.value)),
        }
    }
}

fn number(value: &[u8]) -> Option<u32> {
    value.try_into().ok().map(u32::from_be_bytes)
}

/// Prints chunk types separated by commas: at most 64, then the number of further ones.
struct ChunkTypes<'a>(&'a [u8]);

impl fmt::Display for ChunkTypes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, chunk_type) in self.0.iter().take(MAX_ITEMS).enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{}", ChunkType(*chunk_type))?;
        }
        match self.0.len().checked_sub(MAX_ITEMS) {
            None | Some(0) => Ok(()),
            Some(more) => write!(f, " and {more} more"),
        }
    }
}

/// Name and value of the first parameter in some bytes, not interpreted further, so that nested
/// parameters cannot make the printer recurse.
pub(crate) struct Outline<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Outline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Walk::new(self.0, 0).next() {
            Some(Ok(tlv)) => write!(f, "({} {})", ParameterType(tlv.kind()), Hex(tlv.value)),
            _ => Hex(self.0).fmt(f),
        }
    }
}

#[cfg(test)]
mod tests;
