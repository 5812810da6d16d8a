//! IPv4 and IPv6, with their extension headers.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::frame::{Carried, Route, Segment};
use super::layer::{Layer, Next, array, be16};

const IP_IN_IP: u8 = 4;
const UDP: u8 = 17;
const IPV6_IN_IP: u8 = 41;
const GRE: u8 = 47;
const AUTHENTICATION: u8 = 51;
const ETHER_IP: u8 = 97;
const SCTP: u8 = 132;
const MPLS_IN_IP: u8 = 137;

/// Protocols that may hold SCTP, whose fragments are reported.
const CARRIERS: [u8; 8] = [
    SCTP,
    UDP,
    IP_IN_IP,
    IPV6_IN_IP,
    GRE,
    AUTHENTICATION,
    ETHER_IP,
    MPLS_IN_IP,
];

/// The payload of an IP packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Payload<'a> {
    route: Route,
    /// The captured bytes.
    pub(super) bytes: &'a [u8],
    /// The original length.
    len: usize,
}

impl<'a> Payload<'a> {
    /// A payload without an IP header.
    pub(super) fn bare(bytes: &'a [u8]) -> Self {
        Self {
            route: Route::UNKNOWN,
            bytes,
            len: bytes.len(),
        }
    }

    fn new(route: Route, bytes: &'a [u8], len: usize) -> Self {
        // Ethernet pads short frames.
        let bytes = bytes.get(..len).unwrap_or(bytes);
        Self { route, bytes, len }
    }

    /// The payload after another header.
    pub(super) fn behind(self, header: usize) -> Option<Self> {
        Some(Self {
            route: self.route,
            bytes: self.bytes.get(header..)?,
            len: self.len.checked_sub(header)?,
        })
    }

    /// Interprets the payload as an SCTP packet.
    pub(super) fn sctp(self, udp: Option<(u16, u16)>) -> Carried<'a> {
        Carried::Sctp(Segment {
            route: self.route,
            udp,
            tunnel: None,
            bytes: self.bytes,
            missing: self.len.saturating_sub(self.bytes.len()),
        })
    }
}

pub(super) fn open_ip(packet: &[u8]) -> Option<Next<'_>> {
    match packet.first()? >> 4 {
        4 => open_ipv4(packet),
        6 => open_ipv6(packet),
        _ => Some(Next::OTHER),
    }
}

fn open_ipv4(packet: &[u8]) -> Option<Next<'_>> {
    let header = usize::from(packet.first()? & 15) * 4;
    let total = usize::from(be16(packet, 2)?);
    let route = Route {
        source: Some(Ipv4Addr::from(array::<4>(packet, 12)?).into()),
        destination: Some(Ipv4Addr::from(array::<4>(packet, 16)?).into()),
    };
    if header < 20 || (total != 0 && total < header) {
        let why = "the lengths in the IPv4 header contradict";
        return Some(Next::End(Carried::Broken(why)));
    }
    let protocol = *packet.get(9)?;
    // The more-fragments flag or a fragment offset is set.
    if be16(packet, 6)? & 0x3fff != 0 {
        return Some(fragment(protocol, route));
    }
    // With segmentation offload, the length is still 0.
    let len = match total {
        0 => packet.len(),
        total => total,
    };
    let payload = Payload::new(route, packet.get(header..)?, len.saturating_sub(header));
    open_protocol(protocol, payload)
}

fn open_ipv6(packet: &[u8]) -> Option<Next<'_>> {
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
            // Hop-by-hop, routing, destination options, mobility, HIP, Shim6.
            0 | 43 | 60 | 135 | 139 | 140 => {
                protocol = *packet.get(at)?;
                at += 8 + usize::from(*packet.get(at + 1)?) * 8;
            }
            44 => {
                let next = *packet.get(at)?;
                if be16(packet, at + 2)? & 0xfff9 != 0 {
                    return Some(fragment(next, route));
                }
                protocol = next;
                at += 8;
            }
            _ => break,
        }
    }
    let Some(len) = end.checked_sub(at) else {
        let why = "the lengths in the IPv6 headers contradict";
        return Some(Next::End(Carried::Broken(why)));
    };
    open_protocol(protocol, Payload::new(route, packet.get(at..)?, len))
}

fn fragment<'a>(protocol: u8, route: Route) -> Next<'a> {
    match CARRIERS.contains(&protocol) {
        true => Next::End(Carried::Fragment(route)),
        false => Next::OTHER,
    }
}

fn open_protocol(protocol: u8, payload: Payload<'_>) -> Option<Next<'_>> {
    let bytes = payload.bytes;
    Some(match protocol {
        SCTP => Next::End(payload.sctp(None)),
        UDP => Next::Layer(Layer::Udp(payload)),
        IP_IN_IP | IPV6_IN_IP => Next::Tunnel("IP in IP", Layer::Ip(bytes)),
        GRE => Next::Layer(Layer::Gre(bytes)),
        MPLS_IN_IP => Next::Tunnel("MPLS", Layer::Mpls(bytes)),
        ETHER_IP => Next::Tunnel("EtherIP", Layer::Ethernet(bytes.get(2..)?)),
        // RFC 4302 §2: length in 32-bit words, minus two.
        AUTHENTICATION => {
            let (next, words) = (*bytes.first()?, usize::from(*bytes.get(1)?));
            return open_protocol(next, payload.behind((words + 2) * 4)?);
        }
        50 => Next::unread("ESP, which is encrypted"),
        115 => Next::unread("L2TPv3"),
        _ => Next::OTHER,
    })
}
