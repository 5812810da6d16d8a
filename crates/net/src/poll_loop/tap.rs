use std::net::{IpAddr, SocketAddr};

use sheave_engine::{Datagram, Time, Transmit};

/// Sees the packets of a [`PollLoop`](super::PollLoop), for a capture file or a trace.
pub trait Tap: Send {
    /// Sees one packet, sent or received at `now`.
    fn see(&mut self, now: Time, packet: &SeenPacket<'_>);
}

/// The direction of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The packet left.
    Out,
    /// The packet came.
    In,
}

/// A packet on its way out or in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenPacket<'a> {
    /// The direction.
    pub way: Way,
    /// The source address, and the UDP port (0 over raw IP).
    pub source: SocketAddr,
    /// The destination address, and the UDP port (0 over raw IP).
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
