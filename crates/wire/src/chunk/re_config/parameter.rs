use alloc::vec::Vec;
use core::fmt;

use crate::list::Element;
use crate::print::Hex;
use crate::tlv::{self, HEADER_LEN};
use crate::tlv_list::TlvItem;
use crate::{List, ParameterType, RawParameter, StreamId, Tsn};

/// A parameter of a [`ReConfig`](crate::ReConfig) chunk (RFC 6525 §4).
///
/// Requests are numbered, starting with their sender's initial TSN. The diagrams show type, length
/// and value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReConfigParameter<'a> {
    /// Outgoing SSN Reset Request: the sender resets the SSNs of its outgoing streams (§4.1).
    ///
    /// ```text
    /// | 13 | 16 + 2 n | request number, 4 bytes | response number, 4 | last TSN, 4 | stream, 2 | ...
    /// ```
    OutgoingReset {
        /// Sequence number of this request.
        request: u32,
        /// Sequence number of the peer's request that this one answers, or else of the peer's last
        /// request.
        response: u32,
        /// The last TSN that the sender has assigned.
        last_tsn: Tsn,
        /// The streams; empty means all.
        streams: List<'a, StreamId>,
    },
    /// Incoming SSN Reset Request: asks the receiver to reset its outgoing streams (§4.2).
    ///
    /// ```text
    /// | 14 | 8 + 2 n | request number, 4 bytes | stream, 2 bytes | ...
    /// ```
    IncomingReset {
        /// Sequence number of this request.
        request: u32,
        /// The streams; empty means all.
        streams: List<'a, StreamId>,
    },
    /// SSN/TSN Reset Request: resets all SSNs and the TSNs in both directions (§4.3).
    ///
    /// ```text
    /// | 15 | 8 | request number, 4 bytes |
    /// ```
    TsnReset {
        /// Sequence number of this request.
        request: u32,
    },
    /// Re-configuration Response (§4.4).
    ///
    /// ```text
    /// | 16 | 12 or 20 | request number, 4 bytes | result, 4 | sender's next TSN, 4 | receiver's next TSN, 4 |
    /// ```
    Response {
        /// Sequence number of the answered request.
        request: u32,
        /// The outcome of the request.
        result: ReConfigResult,
        /// Next TSN of the sender and of the receiver; only in answers to an SSN/TSN Reset Request.
        next_tsns: Option<(Tsn, Tsn)>,
    },
    /// Add Outgoing Streams Request: asks for more outgoing streams (§4.5).
    ///
    /// ```text
    /// | 17 | 12 | request number, 4 bytes | new streams, 2 | reserved, 2 |
    /// ```
    AddOutgoing {
        /// Sequence number of this request.
        request: u32,
        /// Number of streams to add.
        count: u16,
    },
    /// Add Incoming Streams Request: asks the receiver to request more outgoing streams (§4.6).
    ///
    /// ```text
    /// | 18 | 12 | request number, 4 bytes | new streams, 2 | reserved, 2 |
    /// ```
    AddIncoming {
        /// Sequence number of this request.
        request: u32,
        /// Number of streams to add.
        count: u16,
    },
    /// A type that is not known here.
    Unknown(RawParameter<'a>),
}

/// The result of a request (RFC 6525 §4.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReConfigResult(pub u32);

impl ReConfigResult {
    /// Success, nothing to do.
    pub const NOTHING_TO_DO: Self = Self(0);
    /// Success, performed.
    pub const PERFORMED: Self = Self(1);
    /// Denied.
    pub const DENIED: Self = Self(2);
    /// The request names a stream that does not exist.
    pub const WRONG_SSN: Self = Self(3);
    /// Denied: another request is in progress.
    pub const ALREADY_IN_PROGRESS: Self = Self(4);
    /// The request sequence number is not the expected one.
    pub const BAD_SEQUENCE_NUMBER: Self = Self(5);
    /// In progress: the request must be repeated later.
    pub const IN_PROGRESS: Self = Self(6);

    const fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::NOTHING_TO_DO => "nothing to do",
            Self::PERFORMED => "performed",
            Self::DENIED => "denied",
            Self::WRONG_SSN => "wrong SSN",
            Self::ALREADY_IN_PROGRESS => "already in progress",
            Self::BAD_SEQUENCE_NUMBER => "bad sequence number",
            Self::IN_PROGRESS => "in progress",
            _ => return None,
        })
    }
}

/// The result in words, or its number.
impl fmt::Display for ReConfigResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "result {}", self.0),
        }
    }
}

impl ReConfigParameter<'_> {
    /// The type, which is written in the first two bytes.
    #[must_use]
    pub const fn parameter_type(&self) -> ParameterType {
        match self {
            Self::OutgoingReset { .. } => ParameterType::OUTGOING_SSN_RESET,
            Self::IncomingReset { .. } => ParameterType::INCOMING_SSN_RESET,
            Self::TsnReset { .. } => ParameterType::SSN_TSN_RESET,
            Self::Response { .. } => ParameterType::RE_CONFIG_RESPONSE,
            Self::AddOutgoing { .. } => ParameterType::ADD_OUTGOING_STREAMS,
            Self::AddIncoming { .. } => ParameterType::ADD_INCOMING_STREAMS,
            Self::Unknown(raw) => raw.parameter_type,
        }
    }
}

impl<'a> TlvItem<'a> for ReConfigParameter<'a> {
    fn from_wire(kind: u16, value: &'a [u8], whole: &'a [u8]) -> Result<Self, &'static str> {
        let parameter_type = ParameterType(kind);
        match parameter_type {
            ParameterType::OUTGOING_SSN_RESET => {
                outgoing_reset(value).ok_or("Outgoing SSN Reset Request of wrong length")
            }
            ParameterType::INCOMING_SSN_RESET => {
                incoming_reset(value).ok_or("Incoming SSN Reset Request of wrong length")
            }
            ParameterType::SSN_TSN_RESET => <[u8; 4]>::try_from(value)
                .map(|number| Self::TsnReset {
                    request: u32::from_be_bytes(number),
                })
                .map_err(|_| "SSN/TSN Reset Request not of 8 bytes"),
            ParameterType::RE_CONFIG_RESPONSE => {
                response(value).ok_or("Re-configuration Response not of 12 or 20 bytes")
            }
            ParameterType::ADD_OUTGOING_STREAMS => added(value)
                .map(|(request, count)| Self::AddOutgoing { request, count })
                .ok_or("Add Outgoing Streams Request not of 12 bytes"),
            ParameterType::ADD_INCOMING_STREAMS => added(value)
                .map(|(request, count)| Self::AddIncoming { request, count })
                .ok_or("Add Incoming Streams Request not of 12 bytes"),
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
                Self::OutgoingReset { streams, .. } => 12 + streams.encoded_len(),
                Self::IncomingReset { streams, .. } => 4 + streams.encoded_len(),
                Self::TsnReset { .. } => 4,
                Self::Response { next_tsns, .. } => next_tsns.map_or(8, |_| 16),
                Self::AddOutgoing { .. } | Self::AddIncoming { .. } => 8,
                Self::Unknown(raw) => raw.value.len(),
            }
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&tlv::header(self.parameter_type().0, self.encoded_len()));
        let mut put = |number: u32| out.extend_from_slice(&number.to_be_bytes());
        match *self {
            Self::OutgoingReset {
                request,
                response,
                last_tsn,
                streams,
            } => {
                put(request);
                put(response);
                put(last_tsn.0);
                streams.write(out);
            }
            Self::IncomingReset { request, streams } => {
                put(request);
                streams.write(out);
            }
            Self::TsnReset { request } => put(request),
            Self::Response {
                request,
                result,
                next_tsns,
            } => {
                put(request);
                put(result.0);
                if let Some((senders, receivers)) = next_tsns {
                    put(senders.0);
                    put(receivers.0);
                }
            }
            Self::AddOutgoing { request, count } | Self::AddIncoming { request, count } => {
                put(request);
                put(u32::from(count) << 16);
            }
            Self::Unknown(raw) => out.extend_from_slice(raw.value),
        }
    }
}

fn outgoing_reset(value: &[u8]) -> Option<ReConfigParameter<'_>> {
    let (request, rest) = number(value)?;
    let (response, rest) = number(rest)?;
    let (last_tsn, rest) = number(rest)?;
    Some(ReConfigParameter::OutgoingReset {
        request,
        response,
        last_tsn: Tsn(last_tsn),
        streams: List::from_wire(rest)?,
    })
}

fn incoming_reset(value: &[u8]) -> Option<ReConfigParameter<'_>> {
    let (request, rest) = number(value)?;
    let streams = List::from_wire(rest)?;
    Some(ReConfigParameter::IncomingReset { request, streams })
}

fn response(value: &[u8]) -> Option<ReConfigParameter<'_>> {
    let (request, rest) = number(value)?;
    let (result, rest) = number(rest)?;
    let next_tsns = match rest.len() {
        0 => None,
        8 => {
            let (senders, rest) = number(rest)?;
            let (receivers, _) = number(rest)?;
            Some((Tsn(senders), Tsn(receivers)))
        }
        _ => return None,
    };
    Some(ReConfigParameter::Response {
        request,
        result: ReConfigResult(result),
        next_tsns,
    })
}

/// The number that `bytes` begin with, and what follows it.
fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((u32::from_be_bytes(*number), rest))
}

/// The number of a request, and the streams that it adds.
fn added(value: &[u8]) -> Option<(u32, u16)> {
    let &[a, b, c, d, high, low, _, _] = value else {
        return None;
    };
    let request = u32::from_be_bytes([a, b, c, d]);
    Some((request, u16::from_be_bytes([high, low])))
}

/// The parameter's name and contents.
impl fmt::Display for ReConfigParameter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parameter_type().fmt(f)?;
        match self {
            Self::OutgoingReset {
                request,
                response,
                last_tsn,
                streams,
            } => write!(
                f,
                " {request} to {response} after tsn {last_tsn} {}",
                Streams(streams)
            ),
            Self::IncomingReset { request, streams } => {
                write!(f, " {request} {}", Streams(streams))
            }
            Self::TsnReset { request } => write!(f, " {request}"),
            Self::Response {
                request,
                result,
                next_tsns,
            } => {
                write!(f, " to {request}: {result}")?;
                match next_tsns {
                    Some((senders, receivers)) => write!(f, ", next tsns {senders} {receivers}"),
                    None => Ok(()),
                }
            }
            Self::AddOutgoing { request, count } | Self::AddIncoming { request, count } => {
                write!(f, " {request}: {count}")
            }
            Self::Unknown(raw) => write!(f, " {}", Hex(raw.value)),
        }
    }
}

/// The streams that a request names.
struct Streams<'a>(&'a List<'a, StreamId>);

impl fmt::Display for Streams<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            f.write_str("all streams")
        } else {
            write!(f, "streams {}", self.0)
        }
    }
}

impl Element for StreamId {
    const LEN: usize = 2;

    fn split(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (number, rest) = u16::split(bytes)?;
        Some((Self(number), rest))
    }

    fn write(self, out: &mut Vec<u8>) {
        self.0.write(out);
    }
}
