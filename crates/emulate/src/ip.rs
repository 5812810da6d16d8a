//! IP packets in the format of a TUN device.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use sheave_sim::engine::{Ecn, Fragmentation};
use sheave_sim::{Packet, Protocol};

/// TTL or hop limit of outgoing packets.
const TTL: u8 = 63;
/// Don't fragment, in the first byte of an IPv4 header's flags.
const DF: u8 = 0x40;

/// Parses an IP packet. The tag keeps header fields that the packet type lacks: identification and
/// fragment fields of IPv4, the flow label of IPv6. `None` for other data, and for IPv4 headers
/// with options.
pub(crate) fn parse(bytes: &[u8]) -> Option<(u32, Packet)> {
    match bytes.first()? >> 4 {
        4 => parse_v4(bytes),
        6 => parse_v6(bytes),
        _ => None,
    }
}

fn parse_v4(bytes: &[u8]) -> Option<(u32, Packet)> {
    let (header, rest) = bytes.split_first_chunk::<20>()?;
    let len = usize::from(u16::from_be_bytes([header[2], header[3]]));
    if header[0] != 0x45 {
        return None;
    }
    let payload = rest.get(..len.checked_sub(20)?)?;
    let address = |at: usize| -> Option<IpAddr> {
        let octets: [u8; 4] = header.get(at..at + 4)?.try_into().ok()?;
        Some(Ipv4Addr::from(octets).into())
    };
    let tag = u32::from_be_bytes([header[4], header[5], header[6], header[7]]);
    let packet = Packet {
        source: address(12)?,
        destination: address(16)?,
        protocol: Protocol::from_number(header[9]),
        ecn: ecn(header[1]),
        fragmentation: match header[6] & DF {
            0 => Fragmentation::Allowed,
            _ => Fragmentation::Forbidden,
        },
        payload: payload.to_vec(),
    };
    Some((tag, packet))
}

fn parse_v6(bytes: &[u8]) -> Option<(u32, Packet)> {
    let (header, rest) = bytes.split_first_chunk::<40>()?;
    let len = usize::from(u16::from_be_bytes([header[4], header[5]]));
    let address = |at: usize| -> Option<IpAddr> {
        let octets: [u8; 16] = header.get(at..at + 16)?.try_into().ok()?;
        Some(Ipv6Addr::from(octets).into())
    };
    let first = u32::from_be_bytes([header[0], header[1], header[2], header[3]]);
    let packet = Packet {
        source: address(8)?,
        destination: address(24)?,
        protocol: Protocol::from_number(header[6]),
        ecn: ecn(header[1] >> 4),
        fragmentation: Fragmentation::Forbidden,
        payload: rest.get(..len)?.to_vec(),
    };
    Some((first & 0xf_ffff, packet))
}

/// Writes an IP packet into `out`, replacing its content. `None` if the packet is too long for its
/// header, or its addresses are of different families.
pub(crate) fn write(tag: u32, packet: &Packet, out: &mut Vec<u8>) -> Option<()> {
    out.clear();
    match (packet.source, packet.destination) {
        (IpAddr::V4(source), IpAddr::V4(destination)) => {
            let len = u16::try_from(20 + packet.payload.len()).ok()?;
            out.extend([0x45, bits(packet.ecn)]);
            out.extend(len.to_be_bytes());
            out.extend(tag.to_be_bytes());
            out.extend([TTL, packet.protocol.number(), 0, 0]);
            out.extend(source.octets());
            out.extend(destination.octets());
            let [high, low] = checksum(out).to_be_bytes();
            (out[10], out[11]) = (high, low);
        }
        (IpAddr::V6(source), IpAddr::V6(destination)) => {
            let len = u16::try_from(packet.payload.len()).ok()?;
            let first = 6 << 28 | u32::from(bits(packet.ecn)) << 20 | tag & 0xf_ffff;
            out.extend(first.to_be_bytes());
            out.extend(len.to_be_bytes());
            out.extend([packet.protocol.number(), TTL]);
            out.extend(source.octets());
            out.extend(destination.octets());
        }
        _ => return None,
    }
    out.extend(&packet.payload);
    Some(())
}

/// The Internet checksum (RFC 1071) of a header with its checksum field excluded.
fn checksum(header: &[u8]) -> u16 {
    let (words, _) = header.as_chunks::<2>();
    let sum: u32 = words
        .iter()
        .map(|word| u32::from(u16::from_be_bytes(*word)))
        .sum();
    let folded = (sum & 0xffff) + (sum >> 16);
    let folded = (folded & 0xffff) + (folded >> 16);
    !u16::try_from(folded).unwrap_or(u16::MAX)
}

const fn ecn(traffic_class: u8) -> Ecn {
    match traffic_class & 3 {
        0 => Ecn::NotEct,
        1 => Ecn::Ect1,
        2 => Ecn::Ect0,
        _ => Ecn::Ce,
    }
}

const fn bits(ecn: Ecn) -> u8 {
    match ecn {
        Ecn::NotEct => 0,
        Ecn::Ect1 => 1,
        Ecn::Ect0 => 2,
        Ecn::Ce => 3,
    }
}

#[cfg(test)]
mod tests;
