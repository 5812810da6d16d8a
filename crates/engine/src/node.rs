use alloc::vec::Vec;
use core::net::IpAddr;

use crate::{Ecn, PeerAddress, Time};

/// A packet that arrived, as its carrier hands it in.
#[derive(Clone, Copy, Debug)]
pub struct Datagram<'a> {
    /// The local address that it was sent to.
    pub local: IpAddr,
    /// The sender of the packet.
    pub remote: PeerAddress,
    /// The ECN bits of its IP header.
    pub ecn: Ecn,
    /// The SCTP packet, from the common header on.
    pub payload: &'a [u8],
}

/// A packet, or a train of equal-size packets, to put on the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmit {
    /// The source address to send from.
    pub local: IpAddr,
    /// The destination.
    pub remote: PeerAddress,
    /// The ECN bits to set.
    pub ecn: Ecn,
    /// Length of each packet but the last in bytes, where the buffer holds several; the last one
    /// may be shorter. `None` means that the whole buffer is one packet.
    pub segment_size: Option<usize>,
    /// Whether routers, and the sender's own IP, may fragment them.
    pub fragmentation: Fragmentation,
    /// The treatment to ask routers for.
    pub marking: Marking,
}

/// Whether a packet may be fragmented on its way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Fragmentation {
    /// Routers may fragment it: the DF bit is clear.
    #[default]
    Allowed,
    /// Routers shall drop it rather than fragment it, since its loss tells something (RFC 8899 §3).
    Forbidden,
}

/// Whatever sends and receives packets: an [`Endpoint`](crate::Endpoint), a scripted peer, a
/// traffic source. Everything that runs a stack uses these calls alone.
pub trait Node {
    /// Takes in one packet.
    fn handle_datagram(&mut self, now: Time, datagram: Datagram<'_>);

    /// Takes in what a router or a host says of a packet that was sent. Most have no use for it.
    fn handle_icmp(&mut self, _now: Time, _icmp: Icmp<'_>) {}

    /// Takes in which addresses the machine has gained and lost, where all of them are used.
    fn handle_addresses(&mut self, _now: Time, _gained: &[IpAddr], _lost: &[IpAddr]) {}

    /// Runs whatever is due at `now`. Harmless when nothing is.
    fn handle_timeout(&mut self, now: Time);

    /// Writes the next packet, or a train of at most `max_segments` equal-size packets to one
    /// destination, into `buf` (cleared first). `None` when there is nothing to send now.
    fn poll_transmit(
        &mut self,
        now: Time,
        buf: &mut Vec<u8>,
        max_segments: usize,
    ) -> Option<Transmit>;

    /// When [`handle_timeout`](Self::handle_timeout) must be called next; `None` when there is
    /// nothing to wait for.
    fn poll_timeout(&self) -> Option<Time>;
}

/// The treatment that routers are asked for, in the IP header of each packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Marking {
    /// The Differentiated Services code point, 0 to 63 (RFC 2474 §3).
    pub dscp: u8,
    /// The flow label, 20 bits (RFC 6437 §3), over IPv6; 0 leaves it to the system.
    pub flow_label: u32,
}

/// An ICMP message from a router or host about a packet that we sent (RFC 9260 §10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Icmp<'a> {
    /// The destination of the packet that is quoted.
    pub remote: IpAddr,
    /// The error that the message reports.
    pub error: IcmpError,
    /// The beginning of the SCTP packet that is quoted, from its common header on; the UDP header
    /// of an encapsulated one left out.
    pub quoted: &'a [u8],
}

/// The error that an ICMP message reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IcmpError {
    /// Fragmentation Needed, or Packet Too Big: the next link takes packets of this many bytes.
    PacketTooBig {
        /// Bytes of IP packet.
        mtu: u16,
    },
    /// Protocol Unreachable, or Unrecognized Next Header: there is no SCTP at that address. While
    /// connecting, the next address is tried. It says nothing of the peer where that was heard at
    /// other addresses alone.
    NoSuchProtocol,
    /// Port Unreachable, of the UDP port that packets are encapsulated to: nobody is there now. An
    /// attempt to connect goes on at the next address, or ends. What is established lives on: a
    /// peer may bind its port again, or have other addresses, and a translator may have forgotten
    /// us.
    NoSuchPort,
}
