//! UDP, and tunnels over UDP and GRE.

use sheave_wire::Packet;

use super::frame::{Carried, Unread};
use super::ip::Payload;
use super::layer::{Layer, Next, be16};

const GTP_U: u16 = 2152;
const VXLAN: [u16; 2] = [4789, 8472];
const VXLAN_GPE: u16 = 4790;
const GENEVE: u16 = 6081;
const MPLS_IN_UDP: u16 = 6635;
const GRE_IN_UDP: u16 = 4754;
const ESP_IN_UDP: u16 = 4500;
const L2TP: u16 = 1701;

/// Treats datagrams from or to `udp_port` as SCTP, and those to a tunnel's port as the tunnel.
pub(super) fn open_udp(datagram: Payload<'_>, udp_port: u16) -> Option<Next<'_>> {
    let bytes = datagram.bytes;
    let (source, destination) = (be16(bytes, 0)?, be16(bytes, 2)?);
    if source == udp_port || destination == udp_port {
        bytes.get(8..)?;
        return Some(Next::End(match datagram.behind(8) {
            Some(packet) => packet.sctp(Some((source, destination))),
            None => Carried::Broken("the IP packet is too short for UDP"),
        }));
    }
    let rest = bytes.get(8..).unwrap_or_default();
    match destination {
        GTP_U => open_gtp(rest),
        GENEVE => open_geneve(rest),
        VXLAN_GPE => open_vxlan_gpe(rest),
        MPLS_IN_UDP => Some(Next::Tunnel("MPLS", Layer::Mpls(rest))),
        GRE_IN_UDP => Some(Next::Layer(Layer::Gre(rest))),
        L2TP => Some(Next::unread("L2TP")),
        ESP_IN_UDP if rest.len() > 1 => Some(Next::unread("ESP, which is encrypted")),
        port if VXLAN.contains(&port) => open_vxlan(rest),
        _ if is_dtls(rest) => Some(Next::unread("DTLS, which is encrypted")),
        _ if Packet::parse(rest).is_ok_and(|packet| packet.checksum_is_valid()) => {
            let port = Unread::UdpPort(source.min(destination));
            Some(Next::End(Carried::Unread(port)))
        }
        _ => Some(Next::OTHER),
    }
}

/// Whether a datagram is a DTLS 1.2 record or a protected DTLS 1.3 record (RFC 9147 §4.1).
fn is_dtls(datagram: &[u8]) -> bool {
    match datagram {
        [
            20..=23,
            254,
            253 | 255,
            _,
            _,
            _,
            _,
            _,
            _,
            _,
            _,
            high,
            low,
            rest @ ..,
        ] => rest.len() >= usize::from(u16::from_be_bytes([*high, *low])),
        _ => false,
    }
}

/// Opens GRE version 0 with its optional fields, or version 1 with PPP (RFC 2637 §4.1).
pub(super) fn open_gre(packet: &[u8]) -> Option<Next<'_>> {
    const CHECKSUM: u16 = 0x8000;
    const ROUTING: u16 = 0x4000;
    const KEY: u16 = 0x2000;
    const SEQUENCE: u16 = 0x1000;
    const ACKNOWLEDGEMENT: u16 = 0x0080;
    /// ERSPAN: the header of the second version has 8 bytes, that of the third 12.
    const MIRRORED: [u16; 2] = [0x88be, 0x22eb];

    let (flags, protocol) = (be16(packet, 0)?, be16(packet, 2)?);
    let version = flags & 7;
    let optional = match version {
        0 if flags & ROUTING != 0 => return Some(Next::unread("GRE with routes")),
        0 => [CHECKSUM, KEY, SEQUENCE],
        1 => [KEY, SEQUENCE, ACKNOWLEDGEMENT],
        _ => return Some(Next::OTHER),
    };
    let fields = optional.iter().filter(|&&field| flags & field != 0).count();
    let rest = packet.get(4 + fields * 4..)?;
    let mirrored = match (MIRRORED.contains(&protocol), flags & SEQUENCE) {
        (false, _) => return Some(Next::Tunnel("GRE", Layer::Ethertype(protocol, rest))),
        (true, 0) => rest,
        (true, _) if protocol == MIRRORED[0] => rest.get(8..)?,
        (true, _) => {
            let header = rest.get(..12)?;
            // A platform-specific header of 8 bytes follows if the last bit is set.
            rest.get(12 + usize::from(header[11] & 1) * 8..)?
        }
    };
    Some(Next::Tunnel("ERSPAN", Layer::Ethernet(mirrored)))
}

/// Opens a G-PDU of GTP version 1 (3GPP TS 29.281 §5).
fn open_gtp(message: &[u8]) -> Option<Next<'_>> {
    const G_PDU: u8 = 255;
    /// Flags of sequence number, N-PDU number and extension headers; each implies all three fields.
    const OPTIONAL: u8 = 7;
    const EXTENSIONS: u8 = 4;

    let flags = *message.first()?;
    if flags >> 4 != 0b0011 || *message.get(1)? != G_PDU {
        return Some(Next::OTHER);
    }
    let mut at = 8;
    if flags & OPTIONAL != 0 {
        let mut next = *message.get(11)?;
        at = 12;
        while flags & EXTENSIONS != 0 && next != 0 {
            let length = usize::from(*message.get(at)?) * 4;
            if length == 0 {
                let why = "an extension header of GTP has no length";
                return Some(Next::End(Carried::Broken(why)));
            }
            next = *message.get(at + length - 1)?;
            at += length;
        }
    }
    let inner = message.get(at..)?;
    Some(Next::Tunnel(
        "GTP-U",
        match inner.first()? >> 4 {
            4 | 6 => Layer::Ip(inner),
            _ => Layer::Ethernet(inner),
        },
    ))
}

fn open_vxlan(packet: &[u8]) -> Option<Next<'_>> {
    const HAS_IDENTIFIER: u8 = 8;

    let flags = *packet.first()?;
    Some(match flags & HAS_IDENTIFIER {
        0 => Next::OTHER,
        _ => Next::Tunnel("VXLAN", Layer::Ethernet(packet.get(8..)?)),
    })
}

fn open_vxlan_gpe(packet: &[u8]) -> Option<Next<'_>> {
    let inner = packet.get(8..)?;
    Some(match packet.get(3)? {
        1 | 2 => Next::Tunnel("VXLAN", Layer::Ip(inner)),
        3 => Next::Tunnel("VXLAN", Layer::Ethernet(inner)),
        4 => Next::unread("network service headers (NSH)"),
        _ => Next::OTHER,
    })
}

fn open_geneve(packet: &[u8]) -> Option<Next<'_>> {
    let first = *packet.first()?;
    if first >> 6 != 0 {
        return Some(Next::OTHER);
    }
    let options = usize::from(first & 0x3f) * 4;
    let inner = Layer::Ethertype(be16(packet, 2)?, packet.get(8 + options..)?);
    Some(Next::Tunnel("Geneve", inner))
}
