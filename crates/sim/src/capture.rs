use core::fmt;
use core::net::IpAddr;
use std::io::{self, Write};

use sheave_engine::{Ecn, Time};

use sheave_engine::wire::crc32c;

use crate::{Packet, Protocol, icmp, tcp};

/// The point on a link where packets are captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tap {
    /// When the first bit departs: packets lost or dropped earlier are missing, and packets to be
    /// corrupted are still intact.
    Departure,
    /// When the last bit arrives.
    Arrival,
}

/// Writes packets as pcapng, with IP headers and timestamps in nanoseconds: from the start of a run,
/// or since 1970. Checksums left to the network are filled in.
pub struct Capture {
    out: Box<dyn Write + Send>,
    block: Vec<u8>,
    /// Packets that may still be written.
    room: u64,
    /// The first error; stops all further writing.
    outcome: io::Result<()>,
}

impl Capture {
    /// Writes the section's header and one of each interface; stops after `room` packets.
    pub fn new<'a>(
        labels: impl IntoIterator<Item = &'a str>,
        room: u64,
        out: Box<dyn Write + Send>,
    ) -> Self {
        let mut capture = Self {
            out,
            block: Vec::new(),
            room,
            outcome: Ok(()),
        };
        capture.block(0x0a0d_0d0a, |body| {
            body.extend(0x1a2b_3c4d_u32.to_le_bytes());
            body.extend([1, 0, 0, 0]);
            body.extend(u64::MAX.to_le_bytes());
        });
        for label in labels {
            capture.block(1, |body| {
                // Link type 101: the packets begin with their IP header.
                body.extend([101, 0, 0, 0]);
                body.extend(0_u32.to_le_bytes());
                option(body, 2, label.as_bytes());
                // Times are in units of 10^-9 s.
                option(body, 9, &[9]);
                option(body, 0, &[]);
            });
        }
        capture
    }

    /// Whether no more packets will be written.
    pub(crate) const fn is_full(&self) -> bool {
        self.room == 0
    }

    /// Writes a packet seen at an interface.
    pub fn record(&mut self, now: Time, interface: usize, packet: &Packet) {
        let Some(room) = self.room.checked_sub(1) else {
            return;
        };
        self.room = room;
        let nanos = now.as_nanos();
        let interface = u32::try_from(interface).unwrap_or(u32::MAX);
        self.block(6, |body| {
            body.extend(interface.to_le_bytes());
            body.extend(low_half(nanos >> 32).to_le_bytes());
            body.extend(low_half(nanos).to_le_bytes());
            let len = u32::try_from(packet.len()).unwrap_or(u32::MAX);
            body.extend(len.to_le_bytes());
            body.extend(len.to_le_bytes());
            put_ip_header(body, packet);
            let begin = body.len();
            body.extend_from_slice(&packet.payload);
            complete_checksum(&mut body[begin..], packet);
            pad(body);
        });
    }

    /// Flushes the output.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Flushes the output and returns the first error.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.outcome?;
        self.out.flush()
    }

    fn block(&mut self, block_type: u32, body: impl FnOnce(&mut Vec<u8>)) {
        self.block.clear();
        self.block.extend(block_type.to_le_bytes());
        self.block.extend([0; 4]);
        body(&mut self.block);
        let len = u32::try_from(self.block.len() + 4).unwrap_or(u32::MAX);
        self.block[4..8].copy_from_slice(&len.to_le_bytes());
        self.block.extend(len.to_le_bytes());
        if self.outcome.is_ok() {
            self.outcome = self.out.write_all(&self.block);
        }
    }
}

impl fmt::Debug for Capture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Capture")
            .field("room", &self.room)
            .field("outcome", &self.outcome)
            .finish_non_exhaustive()
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the lower half is what is wanted"
)]
const fn low_half(word: u64) -> u32 {
    word as u32
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "no packet or option is longer"
)]
const fn short(len: usize) -> u16 {
    len as u16
}

fn pad(body: &mut Vec<u8>) {
    body.resize(body.len().next_multiple_of(4), 0);
}

fn option(body: &mut Vec<u8>, code: u16, value: &[u8]) {
    body.extend(code.to_le_bytes());
    body.extend(short(value.len()).to_le_bytes());
    body.extend_from_slice(value);
    pad(body);
}

/// The IP header that the packet would have on a real network.
pub(crate) fn put_ip_header(out: &mut Vec<u8>, packet: &Packet) {
    const TTL: u8 = 64;
    let ecn: u8 = match packet.ecn {
        Ecn::NotEct => 0,
        Ecn::Ect1 => 1,
        Ecn::Ect0 => 2,
        Ecn::Ce => 3,
    };
    let protocol = packet.protocol.number();
    match (packet.source, packet.destination) {
        (IpAddr::V4(source), IpAddr::V4(destination)) => {
            let mut header = [0; 20];
            header[..2].copy_from_slice(&[0x45, ecn]);
            header[2..4].copy_from_slice(&short(packet.len()).to_be_bytes());
            // Don't Fragment.
            header[6] = 0x40;
            header[8..10].copy_from_slice(&[TTL, protocol]);
            header[12..16].copy_from_slice(&source.octets());
            header[16..].copy_from_slice(&destination.octets());
            let checksum = internet_checksum(&header);
            header[10..12].copy_from_slice(&checksum.to_be_bytes());
            out.extend(header);
        }
        (source, destination) => {
            let octets = |ip: IpAddr| match ip {
                IpAddr::V4(ip) => ip.to_ipv6_mapped().octets(),
                IpAddr::V6(ip) => ip.octets(),
            };
            let protocol = match packet.protocol {
                Protocol::Icmp => icmp::ICMPV6,
                _ => protocol,
            };
            out.extend([0x60, ecn << 4, 0, 0]);
            out.extend(short(packet.payload.len()).to_be_bytes());
            out.extend([protocol, TTL]);
            out.extend(octets(source));
            out.extend(octets(destination));
        }
    }
}

/// Fills in a missing checksum. A checksum that happens to be zero is recomputed to the same value.
fn complete_checksum(payload: &mut [u8], packet: &Packet) {
    match packet.protocol {
        Protocol::Sctp if payload.get(8..12) == Some(&[0; 4]) => {
            let checksum = crc32c(payload);
            payload[8..12].copy_from_slice(&checksum.to_le_bytes());
        }
        Protocol::Tcp if payload.get(16..18) == Some(&[0; 2]) => {
            tcp::seal(payload, packet.source, packet.destination);
        }
        Protocol::Sctp | Protocol::Tcp | Protocol::Udp | Protocol::Icmp | Protocol::Other(_) => {}
    }
}

/// The checksum of RFC 1071 over an even number of bytes.
pub(crate) fn internet_checksum(bytes: &[u8]) -> u16 {
    let words = bytes
        .chunks_exact(2)
        .map(|two| u32::from(u16::from_be_bytes([two[0], two[1]])));
    let mut sum: u32 = words.sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    #[expect(clippy::cast_possible_truncation, reason = "folded to 16 bits")]
    let folded = sum as u16;
    !folded
}
