//! Writes the packets of `sheave run` to a capture file.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use sheave::poll_loop::{SeenPacket, Tap, Time};

use crate::dump::OVER_UDP;

/// The link type of packets that begin with their IP header.
const RAW_IP: u32 = 101;
/// Block types (pcapng §4).
const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const PACKET: u32 = 6;
/// Option numbers.
const COMMENT: u16 = 1;
const TIME_UNIT: u16 = 9;
const SCTP: u8 = 132;
const UDP: u8 = 17;

/// Writes packets as pcapng, with their IP and UDP headers.
pub(super) struct Pcap {
    out: BufWriter<File>,
}

impl Pcap {
    /// Creates a file for packets over this UDP port.
    pub(super) fn create(file: &Path, udp_port: Option<u16>) -> io::Result<Self> {
        let mut out = BufWriter::new(File::create(file)?);
        let mut section = 0x1a2b_3c4d_u32.to_le_bytes().to_vec();
        section.extend([1, 0, 0, 0]);
        // Section length unknown.
        section.extend([0xff; 8]);
        out.write_all(&block(SECTION, &section))?;
        let mut interface = RAW_IP.to_le_bytes().to_vec();
        interface.extend([0; 4]);
        if let Some(port) = udp_port {
            interface.extend(option(COMMENT, format!("{OVER_UDP}{port}").as_bytes()));
        }
        interface.extend(option(TIME_UNIT, &[9]));
        interface.extend(option(0, &[]));
        out.write_all(&block(INTERFACE, &interface))?;
        out.flush()?;
        Ok(Self { out })
    }

    fn write(&mut self, at: SystemTime, packet: &SeenPacket<'_>) -> io::Result<()> {
        let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
        let nanos = u64::try_from(since.as_nanos()).unwrap_or(u64::MAX);
        let packet = with_headers(packet);
        let length = u32::try_from(packet.len()).unwrap_or(u32::MAX);
        let [high, low] = [nanos >> 32, nanos].map(|half| (half & 0xffff_ffff) as u32);
        let mut body = Vec::with_capacity(packet.len() + 24);
        for word in [0, high, low, length, length] {
            body.extend(word.to_le_bytes());
        }
        body.extend(packet);
        self.out.write_all(&block(PACKET, &body))
    }
}

/// A block, padded to whole words.
fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let padding = body.len().wrapping_neg() % 4;
    let length = u32::try_from(body.len() + padding + 12).unwrap_or(u32::MAX);
    let mut whole = kind.to_le_bytes().to_vec();
    whole.extend(length.to_le_bytes());
    whole.extend_from_slice(body);
    whole.extend(vec![0; padding]);
    whole.extend(length.to_le_bytes());
    whole
}

fn option(number: u16, value: &[u8]) -> Vec<u8> {
    let length = u16::try_from(value.len()).unwrap_or(u16::MAX);
    let mut whole = number.to_le_bytes().to_vec();
    whole.extend(length.to_le_bytes());
    whole.extend_from_slice(value);
    whole.extend(vec![0; value.len().wrapping_neg() % 4]);
    whole
}

impl Tap for Pcap {
    fn see(&mut self, _now: Time, packet: &SeenPacket<'_>) {
        // A full disk ends the capture, not the program.
        let _ = self.write(SystemTime::now(), packet);
    }
}

/// Prepends the IP header, and the UDP header if any.
fn with_headers(packet: &SeenPacket<'_>) -> Vec<u8> {
    let (source, destination) = (packet.source, packet.destination);
    let over_udp = source.port() != 0;
    let mut body = Vec::with_capacity(packet.bytes.len() + 48);
    if over_udp {
        body.extend(source.port().to_be_bytes());
        body.extend(destination.port().to_be_bytes());
        let length = u16::try_from(packet.bytes.len() + 8).unwrap_or(u16::MAX);
        body.extend(length.to_be_bytes());
        // Checksum 0: not computed.
        body.extend([0, 0]);
    }
    body.extend_from_slice(packet.bytes);
    let mut whole = ip_header(
        source,
        destination,
        if over_udp { UDP } else { SCTP },
        body.len(),
    );
    whole.extend(body);
    whole
}

fn ip_header(source: SocketAddr, destination: SocketAddr, protocol: u8, body: usize) -> Vec<u8> {
    let mut header = Vec::with_capacity(40);
    match (source.ip(), destination.ip()) {
        (IpAddr::V4(source), IpAddr::V4(destination)) => {
            let length = u16::try_from(body + 20).unwrap_or(u16::MAX);
            header.extend([0x45, 0]);
            header.extend(length.to_be_bytes());
            header.extend([0, 0, 0, 0, 64, protocol, 0, 0]);
            header.extend(source.octets());
            header.extend(destination.octets());
            let sum = checksum(&header).to_be_bytes();
            header[10..12].copy_from_slice(&sum);
        }
        (source, destination) => {
            let octets = |ip| match ip {
                IpAddr::V4(ip) => ip.to_ipv6_mapped().octets(),
                IpAddr::V6(ip) => ip.octets(),
            };
            header.extend([0x60, 0, 0, 0]);
            header.extend(u16::try_from(body).unwrap_or(u16::MAX).to_be_bytes());
            header.extend([protocol, 64]);
            header.extend(octets(source));
            header.extend(octets(destination));
        }
    }
    header
}

/// The checksum of an IPv4 header (RFC 1071).
fn checksum(header: &[u8]) -> u16 {
    let words = header.chunks(2).map(|pair| match pair {
        [high, low] => u32::from(u16::from_be_bytes([*high, *low])),
        _ => 0,
    });
    let sum: u32 = words.sum();
    let folded = (sum & 0xffff) + (sum >> 16);
    let folded = (folded & 0xffff) + (folded >> 16);
    !u16::try_from(folded).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use sheave::poll_loop::Way;

    use super::*;

    #[test]
    fn a_packet_over_udp_gets_both_headers() {
        let packet = SeenPacket {
            way: Way::Out,
            source: "10.0.0.1:9899".parse().unwrap(),
            destination: "10.0.0.2:9900".parse().unwrap(),
            bytes: &[7; 16],
        };
        let bytes = with_headers(&packet);
        assert_eq!(bytes.len(), 20 + 8 + 16);
        assert_eq!(checksum(&bytes[..20]), 0);
        assert_eq!(bytes[20..28], [38, 171, 38, 172, 0, 24, 0, 0]);
    }

    #[test]
    fn a_packet_over_raw_ip_gets_the_ip_header_alone() {
        let packet = SeenPacket {
            way: Way::In,
            source: "[2001:db8::1]:0".parse().unwrap(),
            destination: "[2001:db8::2]:0".parse().unwrap(),
            bytes: &[7; 12],
        };
        let bytes = with_headers(&packet);
        assert_eq!((bytes.len(), bytes[6]), (40 + 12, SCTP));
    }
}
