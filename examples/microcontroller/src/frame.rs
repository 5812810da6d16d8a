//! A frame of the serial line: the peer's IPv4 address (4 bytes) and UDP port (2), then an SCTP packet.
//!
//! A network interface would need the headers of IP and UDP in its place.

use core::net::{IpAddr, Ipv4Addr};

use sheave_engine::PeerAddress;

/// Bytes before the SCTP packet.
pub const HEADER: usize = 6;

/// The sender and the SCTP packet in a frame.
pub fn parse(frame: &[u8]) -> Option<(PeerAddress, &[u8])> {
    let ([a, b, c, d, high, low], packet) = frame.split_first_chunk::<HEADER>()?;
    let ip = IpAddr::V4(Ipv4Addr::new(*a, *b, *c, *d));
    let port = u16::from_be_bytes([*high, *low]);
    Some((PeerAddress::encapsulated(ip, port), packet))
}

/// The header of a frame for a peer; `None` if it has no IPv4 address and UDP port.
pub fn header(remote: PeerAddress) -> Option<[u8; HEADER]> {
    let (IpAddr::V4(ip), Some(port)) = (remote.ip.to_canonical(), remote.encapsulation) else {
        return None;
    };
    let ([a, b, c, d], [high, low]) = (ip.octets(), port.to_be_bytes());
    Some([a, b, c, d, high, low])
}
