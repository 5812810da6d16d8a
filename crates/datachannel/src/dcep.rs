//! The Data Channel Establishment Protocol (RFC 8832 §5).

use alloc::vec::Vec;
use core::fmt;
use core::str;
use core::time::Duration;

use sheave_engine::Delivery;

use crate::{Priority, Reliability};

const ACK: u8 = 2;
const OPEN: u8 = 3;
/// Bit of the channel type: messages may be delivered out of order.
const UNORDERED: u8 = 0x80;
const RELIABLE: u8 = 0;
const PARTIAL_RELIABLE_REXMIT: u8 = 1;
const PARTIAL_RELIABLE_TIMED: u8 = 2;
/// Bytes of an OPEN before its label.
const HEADER_LEN: usize = 12;

/// A message of the Data Channel Establishment Protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dcep<'a> {
    /// DATA_CHANNEL_OPEN.
    Open(Open<'a>),
    /// DATA_CHANNEL_ACK (RFC 8832 §5.2), one byte.
    Ack,
}

/// DATA_CHANNEL_OPEN: the properties of a channel (RFC 8832 §5.1).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// | Message Type  |  Channel Type |            Priority           |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                    Reliability Parameter                      |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |         Label Length          |       Protocol Length         |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                         Label, Protocol                       |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open<'a> {
    /// Whether messages arrive in order.
    pub delivery: Delivery,
    /// Limit of the effort to deliver a message.
    pub reliability: Reliability,
    /// Priority relative to other channels.
    pub priority: Priority,
    /// The name of the channel, at most 65,535 bytes.
    pub label: &'a str,
    /// The subprotocol, as registered for WebSocket, at most 65,535 bytes; often empty.
    pub protocol: &'a str,
}

/// The reason why bytes are not a valid DCEP message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DcepError {
    /// The message is empty.
    Empty,
    /// A message type other than DATA_CHANNEL_OPEN and DATA_CHANNEL_ACK.
    UnknownType(u8),
    /// The channel type is not defined by RFC 8832.
    UnknownChannelType(u8),
    /// The message is shorter than its length fields say.
    Truncated,
    /// There are bytes after the end of the message.
    TrailingBytes,
    /// The label is not valid UTF-8.
    LabelNotUtf8,
    /// The protocol is not valid UTF-8.
    ProtocolNotUtf8,
}

impl<'a> Dcep<'a> {
    /// Parses a complete message.
    ///
    /// # Errors
    /// See [`DcepError`].
    pub fn parse(bytes: &'a [u8]) -> Result<Self, DcepError> {
        match bytes {
            [] => Err(DcepError::Empty),
            // RFC 8832 §5.2 defines one byte; pion pads it to four.
            [ACK, padding @ ..] if padding.iter().all(|byte| *byte == 0) => Ok(Self::Ack),
            [ACK, ..] => Err(DcepError::TrailingBytes),
            [OPEN, ..] => Open::parse(bytes).map(Self::Open),
            [other, ..] => Err(DcepError::UnknownType(*other)),
        }
    }

    /// Appends the message to `out`.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Open(open) => open.write(out),
            Self::Ack => out.push(ACK),
        }
    }
}

impl<'a> Open<'a> {
    fn parse(bytes: &'a [u8]) -> Result<Self, DcepError> {
        let Some((header, rest)) = bytes.split_first_chunk::<HEADER_LEN>() else {
            return Err(DcepError::Truncated);
        };
        let [_, channel_type, p0, p1, r0, r1, r2, r3, l0, l1, q0, q1] = *header;
        let label_len = usize::from(u16::from_be_bytes([l0, l1]));
        let protocol_len = usize::from(u16::from_be_bytes([q0, q1]));
        let (label, rest) = rest
            .split_at_checked(label_len)
            .ok_or(DcepError::Truncated)?;
        let (protocol, rest) = rest
            .split_at_checked(protocol_len)
            .ok_or(DcepError::Truncated)?;
        if !rest.is_empty() {
            return Err(DcepError::TrailingBytes);
        }
        let parameter = u32::from_be_bytes([r0, r1, r2, r3]);
        Ok(Self {
            delivery: match channel_type & UNORDERED {
                0 => Delivery::Ordered,
                _ => Delivery::Unordered,
            },
            reliability: match channel_type & !UNORDERED {
                RELIABLE => Reliability::Reliable,
                PARTIAL_RELIABLE_REXMIT => Reliability::Retransmissions(parameter),
                PARTIAL_RELIABLE_TIMED => {
                    Reliability::Lifetime(Duration::from_millis(parameter.into()))
                }
                _ => return Err(DcepError::UnknownChannelType(channel_type)),
            },
            priority: Priority(u16::from_be_bytes([p0, p1])),
            label: str::from_utf8(label).map_err(|_| DcepError::LabelNotUtf8)?,
            protocol: str::from_utf8(protocol).map_err(|_| DcepError::ProtocolNotUtf8)?,
        })
    }

    fn write(&self, out: &mut Vec<u8>) {
        let (reliability, parameter) = match self.reliability {
            Reliability::Reliable => (RELIABLE, 0),
            Reliability::Retransmissions(most) => (PARTIAL_RELIABLE_REXMIT, most),
            Reliability::Lifetime(lifetime) => {
                let millis = u32::try_from(lifetime.as_millis()).unwrap_or(u32::MAX);
                (PARTIAL_RELIABLE_TIMED, millis)
            }
        };
        let unordered = match self.delivery {
            Delivery::Ordered => 0,
            Delivery::Unordered => UNORDERED,
        };
        let (label, protocol) = (counted(self.label), counted(self.protocol));
        out.extend([OPEN, reliability | unordered]);
        out.extend(self.priority.0.to_be_bytes());
        out.extend(parameter.to_be_bytes());
        out.extend(label.0.to_be_bytes());
        out.extend(protocol.0.to_be_bytes());
        out.extend(label.1);
        out.extend(protocol.1);
    }
}

/// The longest prefix of a text, in whole characters, that fits a 16-bit length.
fn counted(text: &str) -> (u16, &[u8]) {
    let fitting = 0..=text.len().min(usize::from(u16::MAX));
    let boundary = fitting.rev().find(|end| text.is_char_boundary(*end));
    let end = boundary.unwrap_or_default();
    let bytes = text.as_bytes().get(..end).unwrap_or_default();
    (u16::try_from(end).unwrap_or(u16::MAX), bytes)
}

impl fmt::Display for DcepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the message is empty"),
            Self::UnknownType(found) => write!(f, "message type {found} is unknown"),
            Self::UnknownChannelType(found) => write!(f, "channel type {found:#04x} is unknown"),
            Self::Truncated => f.write_str("the message is cut short"),
            Self::TrailingBytes => f.write_str("bytes follow the end of the message"),
            Self::LabelNotUtf8 => f.write_str("the label is not UTF-8"),
            Self::ProtocolNotUtf8 => f.write_str("the protocol is not UTF-8"),
        }
    }
}

impl core::error::Error for DcepError {}

#[cfg(test)]
mod tests;
