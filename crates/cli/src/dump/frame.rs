//! Finds the SCTP packet in a captured frame.

use std::fmt;
use std::net::IpAddr;

use super::layer::Next;
use super::link::Link;

/// Most nested headers of a frame; bounds the work on hostile input.
const MOST_HEADERS: usize = 32;

/// The contents of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carried<'a> {
    /// An SCTP packet.
    Sctp(Segment<'a>),
    /// An IP fragment that may hold SCTP; fragments are not reassembled.
    Fragment(Route),
    /// May hold SCTP but is not decoded.
    Unread(Unread),
    /// Something else.
    Other,
    /// The captured bytes end within this header.
    Short(&'static str),
    /// An invalid header.
    Broken(&'static str),
}

/// The reason why a frame is not decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unread {
    /// An unsupported link layer, by its number in capture files.
    LinkType(u16),
    /// An unsupported protocol, with the reason if known.
    Protocol(&'static str),
    /// SCTP with a correct checksum on another UDP port.
    UdpPort(u16),
}

/// An SCTP packet and its encapsulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment<'a> {
    /// Source and destination.
    pub route: Route,
    /// UDP ports, source first, if encapsulated.
    pub udp: Option<(u16, u16)>,
    /// The innermost tunnel.
    pub tunnel: Option<&'static str>,
    /// The packet's bytes.
    pub bytes: &'a [u8],
    /// Number of bytes not captured.
    pub missing: usize,
}

/// Source and destination of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// Source address; `None` without an IP header.
    pub source: Option<IpAddr>,
    /// Destination address.
    pub destination: Option<IpAddr>,
}

impl Route {
    /// An unknown route.
    pub const UNKNOWN: Self = Self {
        source: None,
        destination: None,
    };
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

/// Finds the SCTP packet in a frame, treating UDP datagrams from or to `udp_port` as SCTP.
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
