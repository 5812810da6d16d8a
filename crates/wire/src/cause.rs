use alloc::vec::Vec;
use core::fmt;

use crate::chunk::RawChunk;
use crate::list::Element;
use crate::parameter::Outline;
use crate::print::{Hex, Text};
use crate::tlv::{self, HEADER_LEN};
use crate::tlv_list::{TlvItem, TlvList};
use crate::{List, StreamId, Tsn, dtls};

/// The causes of an ABORT or ERROR chunk, in order.
pub type Causes<'a> = TlvList<'a, Cause<'a>>;

/// An error cause of an ABORT or ERROR chunk (RFC 9260 §3.3.10).
///
/// ```text
/// 0               16              31
/// +---------------+---------------+
/// |     code      |    length     |   length: code to the end of value, without padding
/// +---------------+---------------+
/// | value, padded to four bytes   |
/// +-------------------------------+
/// ```
///
/// The diagrams of the variants show code, length and value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause<'a> {
    /// DATA arrived on a stream that does not exist (§3.3.10.1).
    ///
    /// ```text
    /// | 1 | 8 | stream, 2 bytes | 2 bytes reserved |
    /// ```
    InvalidStreamIdentifier(StreamId),
    /// INIT or INIT ACK lacks parameters of these types (§3.3.10.2).
    ///
    /// ```text
    /// | 2 | 8 + 2 n | n, 4 bytes | type, 2 bytes | ... |
    /// ```
    MissingMandatoryParameter(List<'a, u16>),
    /// The cookie has expired (§3.3.10.3).
    ///
    /// ```text
    /// | 3 | 8 | staleness, 4 bytes |
    /// ```
    StaleCookie {
        /// Time since the cookie expired, in microseconds; 0 if not given.
        staleness: u32,
    },
    /// The sender lacks memory or another resource (§3.3.10.4).
    ///
    /// ```text
    /// | 4 | 4 |
    /// ```
    OutOfResource,
    /// An unusable address parameter, complete (§3.3.10.5).
    ///
    /// ```text
    /// | 5 | length | type | length | value ... |
    /// ```
    UnresolvableAddress(&'a [u8]),
    /// A chunk of an unrecognized type that asks to be reported, complete (§3.3.10.6).
    ///
    /// ```text
    /// | 6 | length | type | flags | length | value ... |
    /// ```
    UnrecognizedChunkType(&'a [u8]),
    /// A field of INIT or INIT ACK has an invalid value (§3.3.10.7).
    ///
    /// ```text
    /// | 7 | 4 |
    /// ```
    InvalidMandatoryParameter,
    /// Unrecognized parameters of INIT ACK whose types ask to be reported, complete and padded
    /// (§3.3.10.8).
    ///
    /// ```text
    /// | 8 | length | type | length | value ... | ... |
    /// ```
    UnrecognizedParameters(&'a [u8]),
    /// The DATA chunk with this TSN has no payload (§3.3.10.9).
    ///
    /// ```text
    /// | 9 | 8 | TSN, 4 bytes |
    /// ```
    NoUserData(Tsn),
    /// COOKIE ECHO arrived in state SHUTDOWN-ACK-SENT (§3.3.10.10).
    ///
    /// ```text
    /// | 10 | 4 |
    /// ```
    CookieReceivedWhileShuttingDown,
    /// An INIT for an existing association added these address parameters, complete and padded
    /// (§3.3.10.11).
    ///
    /// ```text
    /// | 11 | length | type | length | address | ... |
    /// ```
    RestartWithNewAddresses(&'a [u8]),
    /// The peer's user aborted the association, with this reason (§3.3.10.12).
    ///
    /// ```text
    /// | 12 | length | reason ... |
    /// ```
    UserInitiatedAbort(&'a [u8]),
    /// A protocol violation without a cause code of its own, with details as text or bytes
    /// (§3.3.10.13).
    ///
    /// ```text
    /// | 13 | length | remark ... |
    /// ```
    ProtocolViolation(&'a [u8]),
    /// An INIT for an existing association arrived through another UDP port
    /// (draft-tuexen-tsvwg-sctp-udp-encaps-cons-03 §4.4; the code is not registered).
    ///
    /// ```text
    /// | 14 | 8 | current port, 2 bytes | new port, 2 bytes |
    /// ```
    RestartWithNewEncapsulationPort {
        /// The UDP port in use towards the peer; 0 without UDP.
        current: u16,
        /// The UDP port from which the INIT arrived; 0 without UDP.
        new: u16,
    },
    /// Request to delete the sender's last address: the parameter, complete (RFC 5061 §4.3.1).
    ///
    /// ```text
    /// | 160 | length | type | length | value ... |
    /// ```
    DeleteLastAddress(&'a [u8]),
    /// No resources for the change: the parameter, complete (RFC 5061 §4.3.2).
    ///
    /// ```text
    /// | 161 | length | type | length | value ... |
    /// ```
    ResourceShortage(&'a [u8]),
    /// Request to delete the packet's source address: the parameter, complete (RFC 5061 §4.3.3).
    ///
    /// ```text
    /// | 162 | length | type | length | value ... |
    /// ```
    DeleteSourceAddress(&'a [u8]),
    /// An unsolicited ASCONF ACK, which ends the association (RFC 5061 §4.3.4).
    ///
    /// ```text
    /// | 163 | 4 |
    /// ```
    IllegalAsconfAck,
    /// The change is not permitted: the parameter, complete (RFC 5061 §4.3.5).
    ///
    /// ```text
    /// | 164 | length | type | length | value ... |
    /// ```
    NotAuthorized(&'a [u8]),
    /// An AUTH chunk names an algorithm that was not offered (RFC 4895 §4.1).
    ///
    /// ```text
    /// | 261 | 6 | HMAC identifier, 2 bytes |
    /// ```
    UnsupportedHmac(u16),
    /// The sender requires DTLS chunks for every association (draft-ietf-tsvwg-sctp-dtls-chunk-04
    /// §4.3.1).
    ///
    /// ```text
    /// | 100 | 4 |
    /// ```
    MissingDtlsSupport,
    /// The sender supports none of the offered key management methods
    /// (draft-ietf-tsvwg-sctp-dtls-chunk-04 §4.3.2).
    ///
    /// ```text
    /// | 101 | 4 |
    /// ```
    NoCommonKeyManagement,
    /// Both ends drew the same tie breaker (draft-ietf-tsvwg-sctp-dtls-chunk-04
    /// §4.3.3).
    ///
    /// ```text
    /// | 102 | 4 |
    /// ```
    TieBreakerCollision,
    /// Both ends can only take the same key management role (draft-ietf-tsvwg-sctp-dtls-chunk-04
    /// §4.3.4).
    ///
    /// ```text
    /// | 103 | 4 |
    /// ```
    IncompatibleRoles,
    /// A cause with an unknown code.
    Unknown {
        /// The unknown code.
        code: u16,
        /// Bytes after code and length, without padding.
        value: &'a [u8],
    },
}

impl<'a> Cause<'a> {
    const INVALID_STREAM_IDENTIFIER: u16 = 1;
    const MISSING_MANDATORY_PARAMETER: u16 = 2;
    const STALE_COOKIE: u16 = 3;
    const OUT_OF_RESOURCE: u16 = 4;
    const UNRESOLVABLE_ADDRESS: u16 = 5;
    const UNRECOGNIZED_CHUNK_TYPE: u16 = 6;
    const INVALID_MANDATORY_PARAMETER: u16 = 7;
    const UNRECOGNIZED_PARAMETERS: u16 = 8;
    const NO_USER_DATA: u16 = 9;
    const COOKIE_RECEIVED_WHILE_SHUTTING_DOWN: u16 = 10;
    const RESTART_WITH_NEW_ADDRESSES: u16 = 11;
    const USER_INITIATED_ABORT: u16 = 12;
    const PROTOCOL_VIOLATION: u16 = 13;
    const RESTART_WITH_NEW_ENCAPSULATION_PORT: u16 = 14;
    const DELETE_LAST_ADDRESS: u16 = 0xA0;
    const RESOURCE_SHORTAGE: u16 = 0xA1;
    const DELETE_SOURCE_ADDRESS: u16 = 0xA2;
    const ILLEGAL_ASCONF_ACK: u16 = 0xA3;
    const NOT_AUTHORIZED: u16 = 0xA4;
    const UNSUPPORTED_HMAC: u16 = 0x0105;

    /// The cause code: the first two bytes on the wire.
    #[must_use]
    pub const fn code(&self) -> u16 {
        match self {
            Self::InvalidStreamIdentifier(_) => Self::INVALID_STREAM_IDENTIFIER,
            Self::MissingMandatoryParameter(_) => Self::MISSING_MANDATORY_PARAMETER,
            Self::StaleCookie { .. } => Self::STALE_COOKIE,
            Self::OutOfResource => Self::OUT_OF_RESOURCE,
            Self::UnresolvableAddress(_) => Self::UNRESOLVABLE_ADDRESS,
            Self::UnrecognizedChunkType(_) => Self::UNRECOGNIZED_CHUNK_TYPE,
            Self::InvalidMandatoryParameter => Self::INVALID_MANDATORY_PARAMETER,
            Self::UnrecognizedParameters(_) => Self::UNRECOGNIZED_PARAMETERS,
            Self::NoUserData(_) => Self::NO_USER_DATA,
            Self::CookieReceivedWhileShuttingDown => Self::COOKIE_RECEIVED_WHILE_SHUTTING_DOWN,
            Self::RestartWithNewAddresses(_) => Self::RESTART_WITH_NEW_ADDRESSES,
            Self::UserInitiatedAbort(_) => Self::USER_INITIATED_ABORT,
            Self::ProtocolViolation(_) => Self::PROTOCOL_VIOLATION,
            Self::RestartWithNewEncapsulationPort { .. } => {
                Self::RESTART_WITH_NEW_ENCAPSULATION_PORT
            }
            Self::DeleteLastAddress(_) => Self::DELETE_LAST_ADDRESS,
            Self::ResourceShortage(_) => Self::RESOURCE_SHORTAGE,
            Self::DeleteSourceAddress(_) => Self::DELETE_SOURCE_ADDRESS,
            Self::IllegalAsconfAck => Self::ILLEGAL_ASCONF_ACK,
            Self::NotAuthorized(_) => Self::NOT_AUTHORIZED,
            Self::UnsupportedHmac(_) => Self::UNSUPPORTED_HMAC,
            Self::MissingDtlsSupport => dtls::MISSING_SUPPORT,
            Self::NoCommonKeyManagement => dtls::NO_COMMON_METHOD,
            Self::TieBreakerCollision => dtls::TIE_BREAKER_COLLISION,
            Self::IncompatibleRoles => dtls::INCOMPATIBLE_ROLES,
            Self::Unknown { code, .. } => *code,
        }
    }

    /// The opaque value of a cause; empty if the cause has typed fields or no value.
    #[must_use]
    pub const fn value(&self) -> &'a [u8] {
        match self {
            Self::UnresolvableAddress(value)
            | Self::UnrecognizedChunkType(value)
            | Self::UnrecognizedParameters(value)
            | Self::RestartWithNewAddresses(value)
            | Self::UserInitiatedAbort(value)
            | Self::ProtocolViolation(value)
            | Self::DeleteLastAddress(value)
            | Self::ResourceShortage(value)
            | Self::DeleteSourceAddress(value)
            | Self::NotAuthorized(value)
            | Self::Unknown { value, .. } => value,
            Self::InvalidStreamIdentifier(_)
            | Self::MissingMandatoryParameter(_)
            | Self::StaleCookie { .. }
            | Self::OutOfResource
            | Self::InvalidMandatoryParameter
            | Self::NoUserData(_)
            | Self::CookieReceivedWhileShuttingDown
            | Self::RestartWithNewEncapsulationPort { .. }
            | Self::IllegalAsconfAck
            | Self::MissingDtlsSupport
            | Self::NoCommonKeyManagement
            | Self::TieBreakerCollision
            | Self::IncompatibleRoles
            | Self::UnsupportedHmac(_) => &[],
        }
    }

    /// Length on the wire in bytes: code and length fields included, padding excluded.
    #[must_use]
    pub const fn encoded_len(&self) -> usize {
        HEADER_LEN
            + match self {
                Self::InvalidStreamIdentifier(_)
                | Self::StaleCookie { .. }
                | Self::NoUserData(_)
                | Self::RestartWithNewEncapsulationPort { .. } => 4,
                Self::UnsupportedHmac(_) => 2,
                Self::MissingMandatoryParameter(types) => 4 + types.encoded_len(),
                _ => self.value().len(),
            }
    }

    /// Appends the cause without padding; a cause longer than 65535 bytes is not representable.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&tlv::header(self.code(), self.encoded_len()));
        match self {
            Self::InvalidStreamIdentifier(stream) => {
                stream.0.write(out);
                out.extend_from_slice(&[0; 2]);
            }
            Self::MissingMandatoryParameter(types) => {
                let count = u32::try_from(types.len()).unwrap_or(u32::MAX);
                out.extend_from_slice(&count.to_be_bytes());
                types.write(out);
            }
            Self::StaleCookie { staleness } => out.extend_from_slice(&staleness.to_be_bytes()),
            Self::NoUserData(tsn) => tsn.write(out),
            Self::RestartWithNewEncapsulationPort { current, new } => {
                current.write(out);
                new.write(out);
            }
            Self::UnsupportedHmac(id) => id.write(out),
            _ => out.extend_from_slice(self.value()),
        }
    }

    const fn name(&self) -> Option<&'static str> {
        Some(match self {
            Self::InvalidStreamIdentifier(_) => "Invalid Stream Identifier",
            Self::MissingMandatoryParameter(_) => "Missing Mandatory Parameter",
            Self::StaleCookie { .. } => "Stale Cookie",
            Self::OutOfResource => "Out of Resource",
            Self::UnresolvableAddress(_) => "Unresolvable Address",
            Self::UnrecognizedChunkType(_) => "Unrecognized Chunk Type",
            Self::InvalidMandatoryParameter => "Invalid Mandatory Parameter",
            Self::UnrecognizedParameters(_) => "Unrecognized Parameters",
            Self::NoUserData(_) => "No User Data",
            Self::CookieReceivedWhileShuttingDown => "Cookie Received While Shutting Down",
            Self::RestartWithNewAddresses(_) => "Restart with New Addresses",
            Self::UserInitiatedAbort(_) => "User-Initiated Abort",
            Self::ProtocolViolation(_) => "Protocol Violation",
            Self::RestartWithNewEncapsulationPort { .. } => "Restart with New Encapsulation Port",
            Self::DeleteLastAddress(_) => "Request to Delete Last Remaining IP Address",
            Self::ResourceShortage(_) => "Operation Refused Due to Resource Shortage",
            Self::DeleteSourceAddress(_) => "Request to Delete Source IP Address",
            Self::IllegalAsconfAck => "Association Aborted Due to Illegal ASCONF ACK",
            Self::NotAuthorized(_) => "Request Refused - No Authorization",
            Self::UnsupportedHmac(_) => "Unsupported HMAC Identifier",
            Self::MissingDtlsSupport => "Missing DTLS Chunk Support",
            Self::NoCommonKeyManagement => "No Common DTLS Key Management Method",
            Self::TieBreakerCollision => "DTLS Key Management Tie Breaker Collision",
            Self::IncompatibleRoles => "Incompatible DTLS Key Management Roles",
            Self::Unknown { .. } => return None,
        })
    }
}

impl<'a> TlvItem<'a> for Cause<'a> {
    fn from_wire(code: u16, value: &'a [u8], _whole: &'a [u8]) -> Result<Self, &'static str> {
        match code {
            Self::INVALID_STREAM_IDENTIFIER => match value {
                &[high, low, _, _] => Ok(Self::InvalidStreamIdentifier(StreamId(
                    u16::from_be_bytes([high, low]),
                ))),
                _ => Err("Invalid Stream Identifier not of 8 bytes"),
            },
            Self::MISSING_MANDATORY_PARAMETER => missing(value)
                .map(Self::MissingMandatoryParameter)
                .ok_or("Missing Mandatory Parameter whose count belies its length"),
            Self::STALE_COOKIE => number(value)
                .map(|staleness| Self::StaleCookie { staleness })
                .ok_or("Stale Cookie not of 8 bytes"),
            Self::OUT_OF_RESOURCE => {
                empty(value, Self::OutOfResource).ok_or("Out of Resource with a value")
            }
            Self::UNRESOLVABLE_ADDRESS => Ok(Self::UnresolvableAddress(value)),
            Self::UNRECOGNIZED_CHUNK_TYPE => Ok(Self::UnrecognizedChunkType(value)),
            Self::INVALID_MANDATORY_PARAMETER => empty(value, Self::InvalidMandatoryParameter)
                .ok_or("Invalid Mandatory Parameter with a value"),
            Self::UNRECOGNIZED_PARAMETERS => Ok(Self::UnrecognizedParameters(value)),
            Self::NO_USER_DATA => number(value)
                .map(|tsn| Self::NoUserData(Tsn(tsn)))
                .ok_or("No User Data not of 8 bytes"),
            Self::COOKIE_RECEIVED_WHILE_SHUTTING_DOWN => {
                empty(value, Self::CookieReceivedWhileShuttingDown)
                    .ok_or("Cookie Received While Shutting Down with a value")
            }
            Self::RESTART_WITH_NEW_ADDRESSES => Ok(Self::RestartWithNewAddresses(value)),
            Self::USER_INITIATED_ABORT => Ok(Self::UserInitiatedAbort(value)),
            Self::PROTOCOL_VIOLATION => Ok(Self::ProtocolViolation(value)),
            Self::RESTART_WITH_NEW_ENCAPSULATION_PORT => match value {
                &[one, two, three, four] => Ok(Self::RestartWithNewEncapsulationPort {
                    current: u16::from_be_bytes([one, two]),
                    new: u16::from_be_bytes([three, four]),
                }),
                _ => Err("Restart with New Encapsulation Port not of 8 bytes"),
            },
            Self::DELETE_LAST_ADDRESS => Ok(Self::DeleteLastAddress(value)),
            Self::RESOURCE_SHORTAGE => Ok(Self::ResourceShortage(value)),
            Self::DELETE_SOURCE_ADDRESS => Ok(Self::DeleteSourceAddress(value)),
            Self::ILLEGAL_ASCONF_ACK => {
                empty(value, Self::IllegalAsconfAck).ok_or("Illegal ASCONF ACK with a value")
            }
            Self::NOT_AUTHORIZED => Ok(Self::NotAuthorized(value)),
            Self::UNSUPPORTED_HMAC => <[u8; 2]>::try_from(value)
                .map(|id| Self::UnsupportedHmac(u16::from_be_bytes(id)))
                .map_err(|_| "Unsupported HMAC Identifier not of 6 bytes"),
            dtls::MISSING_SUPPORT => empty(value, Self::MissingDtlsSupport)
                .ok_or("Missing DTLS Chunk Support with a value"),
            dtls::NO_COMMON_METHOD => empty(value, Self::NoCommonKeyManagement)
                .ok_or("No Common DTLS Key Management Method with a value"),
            dtls::TIE_BREAKER_COLLISION => empty(value, Self::TieBreakerCollision)
                .ok_or("DTLS Key Management Tie Breaker Collision with a value"),
            dtls::INCOMPATIBLE_ROLES => empty(value, Self::IncompatibleRoles)
                .ok_or("Incompatible DTLS Key Management Roles with a value"),
            code => Ok(Self::Unknown { code, value }),
        }
    }

    fn encoded_len(&self) -> usize {
        self.encoded_len()
    }

    fn write(&self, out: &mut Vec<u8>) {
        self.write(out);
    }
}

/// The cause's name and value.
impl fmt::Display for Cause<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name)?,
            None => write!(f, "cause {}", self.code())?,
        }
        match self {
            Self::InvalidStreamIdentifier(stream) => write!(f, " {stream}"),
            Self::MissingMandatoryParameter(types) => write!(f, " {types}"),
            Self::StaleCookie { staleness } => write!(f, " {staleness} us"),
            Self::NoUserData(tsn) => write!(f, " tsn {tsn}"),
            Self::UnsupportedHmac(id) => write!(f, " {id}"),
            Self::RestartWithNewEncapsulationPort { current, new } => {
                write!(f, " {current} to {new}")
            }
            Self::OutOfResource
            | Self::InvalidMandatoryParameter
            | Self::CookieReceivedWhileShuttingDown
            | Self::IllegalAsconfAck
            | Self::MissingDtlsSupport
            | Self::NoCommonKeyManagement
            | Self::TieBreakerCollision
            | Self::IncompatibleRoles => Ok(()),
            Self::UnrecognizedChunkType(whole) => match RawChunk::parse(whole) {
                Ok(raw) => write!(f, " ({} {raw})", raw.chunk_type),
                Err(_) => write!(f, " {}", Hex(whole)),
            },
            Self::UnresolvableAddress(whole)
            | Self::UnrecognizedParameters(whole)
            | Self::RestartWithNewAddresses(whole)
            | Self::DeleteLastAddress(whole)
            | Self::ResourceShortage(whole)
            | Self::DeleteSourceAddress(whole)
            | Self::NotAuthorized(whole) => write!(f, " {}", Outline(whole)),
            Self::UserInitiatedAbort(text) | Self::ProtocolViolation(text) => {
                write!(f, " {}", Text(text))
            }
            Self::Unknown { value, .. } => write!(f, " {}", Hex(value)),
        }
    }
}

fn empty<'a>(value: &[u8], cause: Cause<'a>) -> Option<Cause<'a>> {
    value.is_empty().then_some(cause)
}

fn number(value: &[u8]) -> Option<u32> {
    value.try_into().ok().map(u32::from_be_bytes)
}

/// The list after its count. The count must match the length, which alone determines the bounds.
fn missing(value: &[u8]) -> Option<List<'_, u16>> {
    let (count, types) = value.split_first_chunk()?;
    let types = List::from_wire(types)?;
    (usize::try_from(u32::from_be_bytes(*count)) == Ok(types.len())).then_some(types)
}
