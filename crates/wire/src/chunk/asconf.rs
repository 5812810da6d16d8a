mod outcome;
mod request;

use alloc::vec::Vec;
use core::fmt;
use core::net::IpAddr;

pub use outcome::AsconfOutcome;
pub use request::AsconfRequest;

use crate::tlv::HEADER_LEN;
use crate::tlv_list::TlvList;
use crate::{ChunkType, Parameter};

/// ASCONF: changes of the sender's addresses (RFC 5061 §4.1.1).
///
/// ```text
/// 0       8       16              31
/// +-------+-------+---------------+
/// |  193  |   0   |    length     |
/// +-------+-------+---------------+
/// |         serial number         |
/// +-------------------------------+
/// | address parameter             |   one of the sender's, to find the association by
/// +-------------------------------+
/// | requests, padded              |
/// +-------------------------------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asconf<'a> {
    /// Serial number of the chunk; starts at the sender's initial TSN.
    pub serial: u32,
    /// An address of the sender that the receiver already knows.
    pub address: IpAddr,
    /// The requested changes, in order.
    pub requests: TlvList<'a, AsconfRequest<'a>>,
}

impl<'a> Asconf<'a> {
    /// `None` if the body does not begin with a serial number and an address. Requests are checked
    /// during iteration.
    pub(crate) fn from_wire(value: &'a [u8]) -> Option<Self> {
        let (serial, rest) = value.split_first_chunk()?;
        let (address, requests) = match Parameter::parse(rest).ok()? {
            Parameter::Ipv4Address(ip) => (ip.into(), rest.get(8..)?),
            Parameter::Ipv6Address(ip) => (ip.into(), rest.get(20..)?),
            _ => return None,
        };
        Some(Self {
            serial: u32::from_be_bytes(*serial),
            address,
            requests: TlvList::from_wire(requests),
        })
    }

    /// Bytes on the wire, header included, padding not.
    #[must_use]
    pub fn encoded_len(&self) -> usize {
        HEADER_LEN + 4 + address(self.address).encoded_len() + self.requests.encoded_len()
    }

    /// Appends the whole chunk without padding. One longer than 65535 bytes cannot be expressed.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&super::header(ChunkType::ASCONF, 0, self.encoded_len()));
        out.extend_from_slice(&self.serial.to_be_bytes());
        address(self.address).write(out);
        self.requests.write(out);
    }
}

impl fmt::Display for Asconf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            serial,
            address,
            requests,
        } = self;
        write!(f, "serial {serial} of {address} {requests}")
    }
}

/// ASCONF ACK: the outcome of the changes (RFC 5061 §4.1.2). Changes without an outcome succeeded.
///
/// ```text
/// 0       8       16              31
/// +-------+-------+---------------+
/// |  128  |   0   |    length     |
/// +-------+-------+---------------+
/// |         serial number         |
/// +-------------------------------+
/// | outcomes, padded              |
/// +-------------------------------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AsconfAck<'a> {
    /// The serial number of the ASCONF chunk.
    pub serial: u32,
    /// Outcomes, at least of the requests that failed.
    pub outcomes: TlvList<'a, AsconfOutcome<'a>>,
}

impl<'a> AsconfAck<'a> {
    /// `None` if the body does not begin with a serial number. Outcomes are checked during
    /// iteration.
    pub(crate) fn from_wire(value: &'a [u8]) -> Option<Self> {
        let (serial, outcomes) = value.split_first_chunk()?;
        Some(Self {
            serial: u32::from_be_bytes(*serial),
            outcomes: TlvList::from_wire(outcomes),
        })
    }

    /// Bytes on the wire, header included, padding not.
    #[must_use]
    pub fn encoded_len(&self) -> usize {
        HEADER_LEN + 4 + self.outcomes.encoded_len()
    }

    /// Appends the whole chunk without padding. One longer than 65535 bytes cannot be expressed.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&super::header(ChunkType::ASCONF_ACK, 0, self.encoded_len()));
        out.extend_from_slice(&self.serial.to_be_bytes());
        self.outcomes.write(out);
    }
}

impl fmt::Display for AsconfAck<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "serial {} {}", self.serial, self.outcomes)
    }
}

/// An address as a parameter.
const fn address<'a>(ip: IpAddr) -> Parameter<'a> {
    match ip {
        IpAddr::V4(ip) => Parameter::Ipv4Address(ip),
        IpAddr::V6(ip) => Parameter::Ipv6Address(ip),
    }
}
