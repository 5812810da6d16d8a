use alloc::vec::Vec;
use core::net::IpAddr;

use crate::{Ecn, PeerAddress, Time};

/// A received packet, as passed to a node.
#[derive(Clone, Copy, Debug)]
pub struct Datagram<'a> {
    /// The local address that the packet was sent to.
    pub local: IpAddr,
    /// The sender of the packet.
    pub remote: PeerAddress,
    /// The ECN bits of the packet's IP header.
    pub ecn: Ecn,
    /// The SCTP packet, from the common header on.
    pub payload: &'a [u8],
}

/// A packet, or a train of equal-size packets, to put on the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmit {
    /// The source address to send from.
    pub local: IpAddr,
    /// The destination address.
    pub remote: PeerAddress,
    /// The ECN bits to set.
    pub ecn: Ecn,
    /// Length in bytes of each packet except the last, if the buffer holds several; the last may be
    /// shorter. `None` means that the buffer is a single packet.
    pub segment_size: Option<usize>,
    /// Whether routers, and the sending host's IP layer, may fragment the packets.
    pub fragmentation: Fragmentation,
    /// The treatment to request from routers.
    pub marking: Marking,
}

/// Whether a packet may be fragmented on the path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Fragmentation {
    /// Routers may fragment the packet: the DF bit is clear.
    #[default]
    Allowed,
    /// Routers must drop the packet rather than fragment it, since its loss is a signal (RFC 8899
    /// §3).
    Forbidden,
}

/// A participant that sends and receives packets: an [`Endpoint`](crate::Endpoint), a scripted
/// peer, a traffic source. Drivers use only these calls.
pub trait Node {
    /// Processes one received packet.
    fn handle_datagram(&mut self, now: Time, datagram: Datagram<'_>);

    /// Processes an ICMP message about a sent packet. Ignored by default.
    fn handle_icmp(&mut self, _now: Time, _icmp: Icmp<'_>) {}

    /// Notes addresses that the machine gained and lost, if the node uses all addresses.
    fn handle_addresses(&mut self, _now: Time, _gained: &[IpAddr], _lost: &[IpAddr]) {}

    /// Runs everything due at `now`; harmless if nothing is due.
    fn handle_timeout(&mut self, now: Time);

    /// Writes the next packet, or a train of at most `max_segments` equal-size packets to one
    /// destination, into `buf`, which is cleared first. `None` if there is nothing to send now.
    fn poll_transmit(
        &mut self,
        now: Time,
        buf: &mut Vec<u8>,
        max_segments: usize,
    ) -> Option<Transmit>;

    /// The time at which [`handle_timeout`](Self::handle_timeout) must be called next; `None` if no
    /// timer runs.
    fn poll_timeout(&self) -> Option<Time>;
}

/// The treatment requested from routers in the IP header of each packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Marking {
    /// The Differentiated Services code point, 0 to 63 (RFC 2474 §3).
    pub dscp: u8,
    /// The flow label over IPv6, 20 bits (RFC 6437 §3); 0 lets the system choose.
    pub flow_label: u32,
}

/// An ICMP message from a router or host about a packet we sent (RFC 9260 §10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Icmp<'a> {
    /// The destination of the quoted packet.
    pub remote: IpAddr,
    /// The error that the message reports.
    pub error: IcmpError,
    /// The beginning of the quoted SCTP packet, from its common header on, without the UDP header
    /// of an encapsulated one.
    pub quoted: &'a [u8],
}

/// The error that an ICMP message reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IcmpError {
    /// Fragmentation Needed or Packet Too Big: the next link's MTU is smaller.
    PacketTooBig {
        /// MTU of the next link, bytes of IP packet.
        mtu: u16,
    },
    /// Protocol Unreachable or Unrecognized Next Header: the address does not support SCTP. While
    /// connecting, the next address is tried. Ignored if the peer was heard only at other
    /// addresses.
    NoSuchProtocol,
    /// Port Unreachable for the UDP encapsulation port: no process uses it now. A connection
    /// attempt continues at the next address, or ends. An established association continues: the
    /// peer may bind its port again or have other addresses, and a NAT may have lost its mapping.
    NoSuchPort,
    /// Net or Host Unreachable, or a packet that the sender's own system had no route for. The path's
    /// data is hedged at once if another path can take it (see [`Failover`](crate::Failover)); the
    /// word alone fails no path.
    Unreachable,
}
