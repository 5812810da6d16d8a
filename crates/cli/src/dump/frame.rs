//! From a captured frame to the SCTP packet in it.

use std::fmt;
use std::net::IpAddr;

use super::cut::{CutChunk, cut_chunk};
use super::layer::Next;
use super::link::Link;

/// Headers that are opened of a frame, one in the other; bounds the work on hostile bytes.
const MOST_HEADERS: usize = 32;

/// The contents of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carried<'a> {
    /// An SCTP packet.
    Sctp(Segment<'a>),
    /// A fragment of an IP packet that may hold SCTP: not put together here.
    Fragment(Route),
    /// Something that may hold SCTP and is not read here.
    Unread(Unread),
    /// Something else.
    Other,
    /// A header that goes past the end of what was captured.
    Short(&'static str),
    /// A header that lies.
    Broken(&'static str),
}

/// Something that may hold SCTP and is not read here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unread {
    /// A link layer, by its number in capture files.
    LinkType(u16),
    /// A protocol, with the reason where there is one.
    Protocol(&'static str),
    /// SCTP with a right checksum over a UDP port that was not asked for.
    UdpPort(u16),
}

/// An SCTP packet and how it travelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment<'a> {
    /// From where to where.
    pub route: Route,
    /// UDP ports, source first, if it is encapsulated.
    pub udp: Option<(u16, u16)>,
    /// The tunnel that it was in, the innermost if there were several.
    pub tunnel: Option<&'static str>,
    /// The packet's bytes.
    pub bytes: &'a [u8],
    /// Bytes that the packet had and the capture has not.
    pub missing: usize,
}

/// From where to where a packet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// Source address, `None` where the capture has none.
    pub source: Option<IpAddr>,
    /// Destination address.
    pub destination: Option<IpAddr>,
}

impl Route {
    /// The route of what could not be read so far.
    pub const UNKNOWN: Self = Self {
        source: None,
        destination: None,
    };
}

impl Segment<'_> {
    /// The chunk at that position, if the capture cut it.
    pub fn cut_chunk(&self, position: usize) -> Option<CutChunk> {
        match self.missing {
            0 => None,
            _ => cut_chunk(self.bytes, position),
        }
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LinkType(number) => write!(f, "link type {number}"),
            Self::Protocol(name) => f.write_str(name),
            Self::UdpPort(port) => write!(f, "SCTP over UDP port {port} (--udp-port {port})"),
        }
    }
}

/// Finds the SCTP packet in a frame; UDP datagrams from or to `udp_port` are taken for SCTP.
pub fn open(link: Link, frame: &[u8], udp_port: u16) -> Carried<'_> {
    let mut layer = link.first(frame);
    let mut within = None;
    for _ in 0..MOST_HEADERS {
        match layer.and_then(|layer| layer.next(udp_port)) {
            None => return Carried::Short("the frame ends within a header"),
            Some(Next::Layer(next)) => layer = Some(next),
            Some(Next::Tunnel(name, next)) => {
                within = Some(name);
                layer = Some(next);
            }
            Some(Next::End(Carried::Sctp(segment))) => {
                return Carried::Sctp(Segment {
                    tunnel: within,
                    ..segment
                });
            }
            Some(Next::End(carried)) => return carried,
        }
    }
    Carried::Unread(Unread::Protocol("more than 32 headers, each in another"))
}

#[cfg(test)]
mod tests;
