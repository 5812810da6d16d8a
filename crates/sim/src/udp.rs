use core::net::{IpAddr, SocketAddr};
use std::collections::VecDeque;

use bytes::Bytes;
use sheave_engine::{Datagram, Ecn, Fragmentation, Marking, Node, PeerAddress, Time, Transmit};

use crate::{Admission, Agent, Arrival, Protocol, Standing, Transport};

/// Bytes of a UDP header.
pub(crate) const HEADER: usize = 8;
/// Most bytes waiting to be sent, like a socket's send buffer.
const SEND_BUFFER: usize = 1 << 20;
/// Most bytes waiting to be read; further datagrams are dropped.
const RECEIVE_BUFFER: usize = 1 << 20;

/// UDP between two ends (RFC 768), for workloads: each message is a datagram, sent without any
/// guarantees. Streams are ignored.
#[derive(Debug)]
pub struct Udp {
    local: SocketAddr,
    remote: SocketAddr,
    standing: Standing,
    outgoing: Waiting,
    incoming: Waiting,
    stats: UdpStats,
}

/// Counters of datagrams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UdpStats {
    /// Datagrams sent.
    pub sent: u64,
    /// Valid datagrams received.
    pub received: u64,
    /// Datagrams dropped because the receive buffer was full.
    pub overflowed: u64,
    /// Datagrams dropped for an invalid checksum or length.
    pub broken: u64,
}

/// Queued datagrams.
#[derive(Debug, Default)]
struct Waiting {
    payloads: VecDeque<Bytes>,
    bytes: usize,
}

impl Waiting {
    fn push(&mut self, payload: Bytes) {
        self.bytes += payload.len();
        self.payloads.push_back(payload);
    }

    fn pop(&mut self) -> Option<Bytes> {
        let payload = self.payloads.pop_front()?;
        self.bytes -= payload.len();
        Some(payload)
    }
}

impl Udp {
    /// Creates a socket at `local` that communicates with `remote` only.
    #[must_use]
    pub fn new(local: SocketAddr, remote: SocketAddr) -> Self {
        Self {
            local,
            remote,
            standing: Standing::Opening,
            outgoing: Waiting::default(),
            incoming: Waiting::default(),
            stats: UdpStats::default(),
        }
    }

    /// Counters.
    pub const fn stats(&self) -> UdpStats {
        self.stats
    }
}

impl Node for Udp {
    fn handle_datagram(&mut self, _now: Time, datagram: Datagram<'_>) {
        let Some((_, payload)) = read_udp(&datagram) else {
            self.stats.broken += 1;
            return;
        };
        if self.incoming.bytes + payload.len() > RECEIVE_BUFFER {
            self.stats.overflowed += 1;
            return;
        }
        self.stats.received += 1;
        self.incoming.push(Bytes::copy_from_slice(payload));
    }

    fn handle_timeout(&mut self, _now: Time) {}

    fn poll_transmit(&mut self, _: Time, buf: &mut Vec<u8>, _: usize) -> Option<Transmit> {
        let payload = self.outgoing.pop()?;
        self.stats.sent += 1;
        let len = HEADER + payload.len();
        write_udp(buf, (self.local, self.remote), len, &payload);
        Some(Transmit {
            local: self.local.ip(),
            remote: PeerAddress::native(self.remote.ip()),
            ecn: Ecn::NotEct,
            segment_size: None,
            fragmentation: Fragmentation::Allowed,
            marking: Marking::default(),
        })
    }

    fn poll_timeout(&self) -> Option<Time> {
        None
    }
}

impl Agent for Udp {
    fn protocol(&self) -> Protocol {
        Protocol::Udp
    }

    fn owns_port(&self, port: u16) -> bool {
        port == self.local.port()
    }
}

impl Transport for Udp {
    fn open(&mut self, _now: Time) {
        self.standing = Standing::Open;
    }

    fn standing(&self) -> Standing {
        self.standing
    }

    fn send(&mut self, _now: Time, _stream: u16, payload: Bytes) -> Admission {
        let fits = HEADER + payload.len() <= usize::from(u16::MAX);
        let room = self.outgoing.bytes + payload.len() <= SEND_BUFFER;
        if self.standing != Standing::Open || !fits || !room {
            return Admission::Full;
        }
        self.outgoing.push(payload);
        Admission::Taken
    }

    fn receive(&mut self, _now: Time) -> Option<Arrival> {
        let payload = self.incoming.pop()?;
        Some(Arrival { stream: 0, payload })
    }

    fn close(&mut self, _now: Time) {
        self.standing = Standing::Closed;
    }
}

/// Writes a UDP datagram of `len` bytes from the first address to the second: header, `payload`, and
/// zeros as padding.
pub fn write_udp(
    buf: &mut Vec<u8>,
    (source, destination): (SocketAddr, SocketAddr),
    len: usize,
    payload: &[u8],
) {
    let udp_len = u16::try_from(len).unwrap_or(u16::MAX);
    buf.clear();
    buf.extend(source.port().to_be_bytes());
    buf.extend(destination.port().to_be_bytes());
    buf.extend(udp_len.to_be_bytes());
    buf.extend([0, 0]);
    buf.extend(payload);
    let ends = (source.ip(), destination.ip());
    let checksum = !folded(sum(buf) + pseudo_header(ends, len));
    // A checksum field of zero means no checksum (RFC 768).
    let checksum = if checksum == 0 { 0xffff } else { checksum };
    buf[6..HEADER].copy_from_slice(&checksum.to_be_bytes());
    buf.resize(len, 0);
}

/// The source port and the payload of a UDP datagram if its checksum and length are valid.
#[must_use]
pub fn read_udp<'a>(datagram: &Datagram<'a>) -> Option<(u16, &'a [u8])> {
    let bytes = datagram.payload;
    let port = bytes.first_chunk().copied().map(u16::from_be_bytes)?;
    let len = bytes.get(4..6).and_then(<[u8]>::first_chunk)?;
    let whole = usize::from(u16::from_be_bytes(*len)) == bytes.len();
    let ends = (datagram.remote.ip, datagram.local);
    // The sum of a valid datagram, including its checksum, is all ones.
    let right = folded(sum(bytes) + pseudo_header(ends, bytes.len())) == 0xffff;
    if whole && right {
        Some((port, bytes.get(HEADER..)?))
    } else {
        None
    }
}

fn pseudo_header((source, destination): (IpAddr, IpAddr), len: usize) -> u64 {
    address(source) + address(destination) + 17 + len as u64
}

fn address(ip: IpAddr) -> u64 {
    match ip {
        IpAddr::V4(ip) => sum(&ip.octets()),
        IpAddr::V6(ip) => sum(&ip.octets()),
    }
}

/// Sum of the 16-bit words; an odd last byte is padded with zero.
fn sum(bytes: &[u8]) -> u64 {
    let words = bytes.chunks_exact(2);
    let odd = words.remainder().first();
    let odd = odd.map_or(0, |byte| u64::from(*byte) << 8);
    let sum: u64 = words
        .map(|two| u64::from(u16::from_be_bytes([two[0], two[1]])))
        .sum();
    sum + odd
}

/// Folds the carries into 16 bits.
fn folded(mut sum: u64) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    u16::try_from(sum).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests;
