//! Writes the packets of `sheave run` to a capture file.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use sheave::poll_loop::{SeenPacket, Tap, Time};
use sheave_engine::{Ecn, Fragmentation};
use sheave_sim::{Capture, Packet, Protocol};

use crate::dump::OVER_UDP;

/// Writes packets as pcapng, with their IP and UDP headers.
pub(super) struct Pcap(Capture);

impl Pcap {
    /// Creates a file for packets over this UDP port.
    pub(super) fn create(file: &Path, udp_port: Option<u16>) -> io::Result<Self> {
        let out = BufWriter::new(File::create(file)?);
        let interface = match udp_port {
            Some(port) => format!("{OVER_UDP}{port}"),
            None => "SCTP over IP".to_owned(),
        };
        let mut capture = Capture::new([interface.as_str()], u64::MAX, Box::new(out));
        capture.flush()?;
        Ok(Self(capture))
    }
}

impl Tap for Pcap {
    fn see(&mut self, _now: Time, packet: &SeenPacket<'_>) {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let nanos = u64::try_from(since.unwrap_or_default().as_nanos()).unwrap_or(u64::MAX);
        // A full disk ends the capture, not the program.
        self.0
            .record(Time::from_nanos(nanos), 0, &ip_packet(packet));
    }
}

/// The IP packet of a seen packet, with a UDP header if it was sent over UDP.
fn ip_packet(packet: &SeenPacket<'_>) -> Packet {
    let (source, destination) = (packet.source, packet.destination);
    let over_udp = source.port() != 0;
    let mut payload = Vec::with_capacity(packet.bytes.len() + 8);
    if over_udp {
        payload.extend(source.port().to_be_bytes());
        payload.extend(destination.port().to_be_bytes());
        let length = u16::try_from(packet.bytes.len() + 8).unwrap_or(u16::MAX);
        payload.extend(length.to_be_bytes());
        // Checksum 0: not computed.
        payload.extend([0, 0]);
    }
    payload.extend_from_slice(packet.bytes);
    Packet {
        source: source.ip(),
        destination: destination.ip(),
        protocol: if over_udp {
            Protocol::Udp
        } else {
            Protocol::Sctp
        },
        ecn: Ecn::NotEct,
        fragmentation: Fragmentation::Forbidden,
        payload,
    }
}

#[cfg(test)]
mod tests {
    use sheave::poll_loop::Way;

    use super::*;

    #[test]
    fn a_packet_over_udp_gets_both_headers() {
        let packet = ip_packet(&SeenPacket {
            way: Way::Out,
            source: "10.0.0.1:9899".parse().unwrap(),
            destination: "10.0.0.2:9900".parse().unwrap(),
            bytes: &[7; 16],
        });
        assert_eq!(
            (packet.len(), packet.protocol),
            (20 + 8 + 16, Protocol::Udp)
        );
        assert_eq!(packet.payload[..8], [38, 171, 38, 172, 0, 24, 0, 0]);
    }

    #[test]
    fn a_packet_over_raw_ip_gets_the_ip_header_alone() {
        let packet = ip_packet(&SeenPacket {
            way: Way::In,
            source: "[2001:db8::1]:0".parse().unwrap(),
            destination: "[2001:db8::2]:0".parse().unwrap(),
            bytes: &[7; 12],
        });
        assert_eq!((packet.len(), packet.protocol), (40 + 12, Protocol::Sctp));
    }
}
