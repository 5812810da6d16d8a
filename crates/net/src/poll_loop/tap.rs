use std::net::{IpAddr, SocketAddr};

use sheave_engine::{Datagram, Time, Transmit};

/// Observer of a [`PollLoop`](super::PollLoop)'s packets, for a capture file or a trace.
pub trait Tap: Send {
    /// Handles one packet, sent or received at `now`.
    fn see(&mut self, now: Time, packet: &SeenPacket<'_>);
}

/// The direction of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Sent.
    Out,
    /// Received.
    In,
}

/// A sent or received packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenPacket<'a> {
    /// The direction.
    pub way: Way,
    /// Source address and UDP port (0 over raw IP).
    pub source: SocketAddr,
    /// Destination address and UDP port (0 over raw IP).
    pub destination: SocketAddr,
    /// The SCTP packet, from the common header on.
    pub bytes: &'a [u8],
}

impl<'a> SeenPacket<'a> {
    pub(super) fn sent(transmit: &Transmit, bytes: &'a [u8], udp_port: Option<u16>) -> Self {
        Self {
            way: Way::Out,
            source: at(transmit.local, udp_port),
            destination: at(transmit.remote.ip, transmit.remote.encapsulation),
            bytes,
        }
    }

    pub(super) fn received(datagram: &Datagram<'a>, udp_port: Option<u16>) -> Self {
        Self {
            way: Way::In,
            source: at(datagram.remote.ip, datagram.remote.encapsulation),
            destination: at(datagram.local, udp_port),
            bytes: datagram.payload,
        }
    }
}

fn at(ip: IpAddr, port: Option<u16>) -> SocketAddr {
    SocketAddr::new(ip, port.unwrap_or(0))
}
