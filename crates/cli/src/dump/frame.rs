//! From a captured frame to the SCTP packet in it: link layer, IP, UDP.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::cut::{CutChunk, cut_chunk};

/// The link layer of a capture's frames (the numbers are those of pcap files).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Link {
    /// BSD loopback: four bytes of address family.
    Loopback,
    /// Ethernet, with or without VLAN tags.
    Ethernet,
    /// No link layer: IPv4 or IPv6.
    Ip,
    /// Linux "cooked", first version.
    CookedV1,
    /// Linux "cooked", second version.
    CookedV2,
    /// SCTP packets themselves.
    Sctp,
    /// Another one that is not read here.
    Unknown(i32),
}

/// The contents of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carried<'a> {
    /// An SCTP packet.
    Sctp(Segment<'a>),
    /// A fragment of an IP packet that may hold SCTP: not put together here.
    Fragment(Route),
    /// Something else.
    Other,
    /// A header that goes past the end of what was captured.
    Short(&'static str),
    /// A header that lies.
    Broken(&'static str),
}

/// An SCTP packet and how it travelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment<'a> {
    /// From where to where.
    pub route: Route,
    /// UDP ports, source first, if it is encapsulated.
    pub udp: Option<(u16, u16)>,
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

const SCTP: u8 = 132;
const UDP: u8 = 17;
const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;
const VLAN: [u16; 3] = [0x8100, 0x88a8, 0x9100];

impl From<i32> for Link {
    fn from(number: i32) -> Self {
        match number {
            0 | 108 => Self::Loopback,
            1 => Self::Ethernet,
            12 | 14 | 101 | 228 | 229 => Self::Ip,
            113 => Self::CookedV1,
            248 => Self::Sctp,
            276 => Self::CookedV2,
            other => Self::Unknown(other),
        }
    }
}

/// Finds the SCTP packet in a frame; UDP datagrams from or to `udp_port` are taken for SCTP.
pub fn open(link: Link, frame: &[u8], udp_port: u16) -> Carried<'_> {
    let found = match link {
        Link::Sctp => {
            let route = Route {
                source: None,
                destination: None,
            };
            return Carried::Sctp(Segment {
                route,
                udp: None,
                bytes: frame,
                missing: 0,
            });
        }
        Link::Ip => open_ip(frame, udp_port),
        Link::Loopback => frame.get(4..).and_then(|rest| open_ip(rest, udp_port)),
        Link::Ethernet => open_ethertype(frame, 12, udp_port),
        Link::CookedV1 => open_ethertype(frame, 14, udp_port),
        Link::CookedV2 => match be16(frame, 0) {
            Some(IPV4 | IPV6) => frame.get(20..).and_then(|rest| open_ip(rest, udp_port)),
            Some(_) => Some(Carried::Other),
            None => None,
        },
        Link::Unknown(_) => return Carried::Other,
    };
    found.unwrap_or(Carried::Short("the frame ends within a header"))
}

/// The EtherType stands at `at`; VLAN tags may follow it.
fn open_ethertype(frame: &[u8], mut at: usize, udp_port: u16) -> Option<Carried<'_>> {
    let mut ethertype = be16(frame, at)?;
    while VLAN.contains(&ethertype) {
        at += 4;
        ethertype = be16(frame, at)?;
    }
    match ethertype {
        IPV4 | IPV6 => open_ip(frame.get(at + 2..)?, udp_port),
        _ => Some(Carried::Other),
    }
}

fn open_ip(packet: &[u8], udp_port: u16) -> Option<Carried<'_>> {
    match packet.first()? >> 4 {
        4 => open_ipv4(packet, udp_port),
        6 => open_ipv6(packet, udp_port),
        _ => Some(Carried::Other),
    }
}

fn open_ipv4(packet: &[u8], udp_port: u16) -> Option<Carried<'_>> {
    let header = usize::from(packet.first()? & 15) * 4;
    let total = usize::from(be16(packet, 2)?);
    let route = Route {
        source: Some(Ipv4Addr::from(array::<4>(packet, 12)?).into()),
        destination: Some(Ipv4Addr::from(array::<4>(packet, 16)?).into()),
    };
    if header < 20 || (total != 0 && total < header) {
        return Some(Carried::Broken("the lengths in the IPv4 header contradict"));
    }
    let protocol = *packet.get(9)?;
    // More fragments, or an offset.
    if be16(packet, 6)? & 0x3fff != 0 {
        return Some(match protocol {
            SCTP | UDP => Carried::Fragment(route),
            _ => Carried::Other,
        });
    }
    // A packet that the card cuts into segments has no length yet.
    let len = match total {
        0 => packet.len(),
        total => total,
    } - header;
    Some(open_payload(
        route,
        protocol,
        packet.get(header..)?,
        len,
        udp_port,
    ))
}

fn open_ipv6(packet: &[u8], udp_port: u16) -> Option<Carried<'_>> {
    let route = Route {
        source: Some(Ipv6Addr::from(array::<16>(packet, 8)?).into()),
        destination: Some(Ipv6Addr::from(array::<16>(packet, 24)?).into()),
    };
    let mut protocol = *packet.get(6)?;
    let mut at = 40;
    let end = match usize::from(be16(packet, 4)?) {
        0 => packet.len(),
        len => 40 + len,
    };
    loop {
        match protocol {
            // Hop-by-hop, routing, destination options.
            0 | 43 | 60 => {
                protocol = *packet.get(at)?;
                at += 8 + usize::from(*packet.get(at + 1)?) * 8;
            }
            44 => {
                let next = *packet.get(at)?;
                if be16(packet, at + 2)? & 0xfff9 != 0 {
                    return Some(match next {
                        SCTP | UDP => Carried::Fragment(route),
                        _ => Carried::Other,
                    });
                }
                protocol = next;
                at += 8;
            }
            _ => break,
        }
    }
    let Some(len) = end.checked_sub(at) else {
        return Some(Carried::Broken(
            "the lengths in the IPv6 headers contradict",
        ));
    };
    Some(open_payload(
        route,
        protocol,
        packet.get(at..)?,
        len,
        udp_port,
    ))
}

fn open_payload(
    route: Route,
    protocol: u8,
    bytes: &[u8],
    len: usize,
    udp_port: u16,
) -> Carried<'_> {
    match protocol {
        SCTP => Carried::Sctp(segment(route, None, bytes, len)),
        UDP => open_udp(route, bytes, len, udp_port)
            .unwrap_or(Carried::Short("the frame ends within the UDP header")),
        _ => Carried::Other,
    }
}

fn open_udp(route: Route, bytes: &[u8], len: usize, udp_port: u16) -> Option<Carried<'_>> {
    let (source, destination) = (be16(bytes, 0)?, be16(bytes, 2)?);
    if source != udp_port && destination != udp_port {
        return Some(Carried::Other);
    }
    let rest = bytes.get(8..)?;
    Some(match len.checked_sub(8) {
        Some(len) => Carried::Sctp(segment(route, Some((source, destination)), rest, len)),
        None => Carried::Broken("the IP packet is too short for UDP"),
    })
}

fn segment(route: Route, udp: Option<(u16, u16)>, bytes: &[u8], len: usize) -> Segment<'_> {
    Segment {
        route,
        udp,
        // Ethernet pads short frames.
        bytes: bytes.get(..len).unwrap_or(bytes),
        missing: len.saturating_sub(bytes.len()),
    }
}

fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    array(bytes, at).map(u16::from_be_bytes)
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

#[cfg(test)]
mod tests;
