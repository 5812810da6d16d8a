use core::net::IpAddr;

use sheave_engine::{Ecn, Fragmentation};

/// Protocol of an IP packet's payload, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Protocol {
    /// ICMP, number 1, or 58 over IPv6: messages from the network itself.
    Icmp,
    /// TCP, number 6.
    Tcp,
    /// UDP, number 17.
    Udp,
    /// SCTP, number 132.
    Sctp,
    /// Another protocol, by its number.
    Other(u8),
}

impl Protocol {
    /// The protocol of that number.
    #[must_use]
    pub const fn from_number(number: u8) -> Self {
        match number {
            6 => Self::Tcp,
            17 => Self::Udp,
            132 => Self::Sctp,
            other => Self::Other(other),
        }
    }

    /// The number in an IPv4 header.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Self::Icmp => 1,
            Self::Tcp => 6,
            Self::Udp => 17,
            Self::Sctp => 132,
            Self::Other(number) => number,
        }
    }
}

/// An IP packet in flight: the transport's bytes, and the relevant IP header fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// The source address.
    pub source: IpAddr,
    /// The destination address.
    pub destination: IpAddr,
    /// The protocol of the payload.
    pub protocol: Protocol,
    /// The ECN bits.
    pub ecn: Ecn,
    /// Whether routers may fragment it: the inverse of the DF bit, and never over IPv6.
    pub fragmentation: Fragmentation,
    /// The transport's bytes, including its header; TCP, UDP and SCTP begin with source and
    /// destination port.
    pub payload: Vec<u8>,
}

impl Packet {
    /// A hash of addresses and ports, equal for all packets of a flow in one direction.
    pub(crate) fn flow(&self) -> u32 {
        let mut hash = 0x811c_9dc5_u32;
        let mut add = |bytes: &[u8]| {
            for byte in bytes {
                hash = (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
            }
        };
        for address in [self.source, self.destination] {
            match address {
                IpAddr::V4(address) => add(&address.octets()),
                IpAddr::V6(address) => add(&address.octets()),
            }
        }
        add(&[self.protocol.number()]);
        if matches!(
            self.protocol,
            Protocol::Tcp | Protocol::Udp | Protocol::Sctp
        ) {
            add(self.payload.get(..4).unwrap_or_default());
        }
        hash
    }

    /// Moves the packet out, leaving its payload buffer empty.
    pub(crate) fn take(&mut self) -> Self {
        Self {
            payload: core::mem::take(&mut self.payload),
            ..*self
        }
    }

    /// Length of the IP packet in bytes: payload plus a header without options.
    pub fn len(&self) -> usize {
        self.payload.len() + self.header_len()
    }

    /// Whether the packet has no payload.
    pub fn is_empty(&self) -> bool {
        self.payload.is_empty()
    }

    /// Bytes of the IP header: 20 (IPv4) or 40 (IPv6).
    pub const fn header_len(&self) -> usize {
        match self.destination {
            IpAddr::V4(_) => 20,
            IpAddr::V6(_) => 40,
        }
    }

    /// The destination port; `None` if the payload is too short.
    pub fn destination_port(&self) -> Option<u16> {
        let port = self.payload.get(2..4)?;
        Some(u16::from_be_bytes([port[0], port[1]]))
    }
}
