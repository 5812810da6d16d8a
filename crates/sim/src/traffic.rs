//! Cross traffic: unanswered UDP packets.

mod arrivals;

use core::net::SocketAddr;
use core::time::Duration;

use sheave_engine::{Datagram, Ecn, Fragmentation, Marking, Node, PeerAddress, Time, Transmit};

pub use arrivals::Arrivals;
pub(crate) use arrivals::Beat;

use crate::udp::{HEADER, write_udp};
use crate::{Agent, Protocol, Random};

/// Bytes of the send timestamp, which follows the UDP header.
const STAMP: usize = 8;

/// Parameters of a stream of UDP packets.
#[derive(Clone, Debug, PartialEq)]
pub struct Traffic {
    /// Source address and port.
    pub source: SocketAddr,
    /// Destination address and port.
    pub destination: SocketAddr,
    /// Size of each IP packet, bytes; at least the headers and a timestamp.
    pub len: u16,
    /// When packets are sent.
    pub arrivals: Arrivals,
    /// Earliest time of the first packet.
    pub start: Time,
    /// Time after which no packets are sent.
    pub stop: Time,
}

/// Agent that sends [`Traffic`].
#[derive(Debug)]
pub struct Source {
    traffic: Traffic,
    beat: Beat,
    next: Option<Time>,
    due: u64,
    sent: u64,
}

impl Source {
    /// Creates the agent; `random` determines random send times.
    #[must_use]
    pub fn new(traffic: Traffic, random: Random) -> Self {
        let mut beat = Beat::new(traffic.arrivals, random);
        let first = beat.next(traffic.start);
        Self {
            next: (first < traffic.stop).then_some(first),
            traffic,
            beat,
            due: 0,
            sent: 0,
        }
    }

    /// Number of packets sent.
    pub const fn sent(&self) -> u64 {
        self.sent
    }
}

impl Node for Source {
    fn handle_datagram(&mut self, _now: Time, _datagram: Datagram<'_>) {}

    fn handle_timeout(&mut self, now: Time) {
        while let Some(next) = self.next.filter(|next| *next <= now) {
            self.due += 1;
            let next = self.beat.next(next);
            self.next = (next < self.traffic.stop).then_some(next);
        }
    }

    fn poll_transmit(&mut self, now: Time, buf: &mut Vec<u8>, _: usize) -> Option<Transmit> {
        self.due = self.due.checked_sub(1)?;
        self.sent += 1;
        write_packet(buf, &self.traffic, now);
        Some(Transmit {
            local: self.traffic.source.ip(),
            remote: PeerAddress::native(self.traffic.destination.ip()),
            ecn: Ecn::NotEct,
            segment_size: None,
            fragmentation: Fragmentation::Allowed,
            marking: Marking::default(),
        })
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.next
    }
}

impl Agent for Source {
    fn protocol(&self) -> Protocol {
        Protocol::Udp
    }

    fn owns_port(&self, port: u16) -> bool {
        port == self.traffic.source.port()
    }
}

/// Agent that counts the packets that [`Source`]s send to a port.
#[derive(Debug, Default)]
pub struct Counter {
    port: u16,
    packets: u64,
    bytes: u64,
    total_delay: Duration,
    longest_delay: Duration,
}

impl Counter {
    /// Creates the agent for a port of its host.
    #[must_use]
    pub fn new(port: u16) -> Self {
        Self {
            port,
            ..Self::default()
        }
    }

    /// Number of packets received.
    pub const fn packets(&self) -> u64 {
        self.packets
    }

    /// Bytes received, including UDP headers.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Mean delay of the datagrams; zero if there are none.
    pub fn mean_delay(&self) -> Duration {
        let nanos = self
            .total_delay
            .as_nanos()
            .checked_div(u128::from(self.packets));
        Duration::from_nanos(nanos.map_or(0, |nanos| u64::try_from(nanos).unwrap_or(u64::MAX)))
    }

    /// Largest delay of a datagram.
    pub const fn longest_delay(&self) -> Duration {
        self.longest_delay
    }
}

impl Node for Counter {
    fn handle_datagram(&mut self, now: Time, datagram: Datagram<'_>) {
        let stamp = datagram.payload.get(HEADER..).and_then(<[u8]>::first_chunk);
        let Some(stamp) = stamp else { return };
        let delay = now.since(Time::from_nanos(u64::from_be_bytes(*stamp)));
        self.packets += 1;
        self.bytes += datagram.payload.len() as u64;
        self.total_delay += delay;
        self.longest_delay = self.longest_delay.max(delay);
    }

    fn handle_timeout(&mut self, _now: Time) {}

    fn poll_transmit(&mut self, _: Time, _: &mut Vec<u8>, _: usize) -> Option<Transmit> {
        None
    }

    fn poll_timeout(&self) -> Option<Time> {
        None
    }
}

impl Agent for Counter {
    fn protocol(&self) -> Protocol {
        Protocol::Udp
    }

    fn owns_port(&self, port: u16) -> bool {
        port == self.port
    }
}

/// Writes a UDP packet (RFC 768): header, send timestamp, and zeros.
fn write_packet(buf: &mut Vec<u8>, traffic: &Traffic, now: Time) {
    let (source, destination) = (traffic.source, traffic.destination);
    let ip_header = if destination.is_ipv4() { 20 } else { 40 };
    let len = usize::from(traffic.len)
        .saturating_sub(ip_header)
        .max(HEADER + STAMP);
    write_udp(
        buf,
        (source, destination),
        len,
        &now.as_nanos().to_be_bytes(),
    );
}
