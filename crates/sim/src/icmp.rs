//! Notices to the sender of a packet that a link failed to carry.

use core::net::IpAddr;

use sheave_engine::{Ecn, Fragmentation};

use crate::capture::{internet_checksum, put_ip_header};
use crate::{Packet, Protocol};

/// Whether the node before a link reports each packet hit by the link's `loss` or `corruption` to
/// its sender: the MAC error warning of Wang, Yang and Sun (2005).
///
/// The papers leave the mechanism open; this is our choice. The node detects a lost packet at once,
/// and a damaged one when the far end's link-layer acknowledgement would have arrived, one link
/// round trip after the packet's last bit left. The node then sends an ICMP message of the
/// experimental type 253 (over IPv6, type 100) that quotes the start of the packet in at most 576
/// bytes of IP packet, as RFC 1812 §4.3.2.3 requires of errors. The message is subject to the
/// delays and losses of the links back. Routers have no addresses here, so the message's source is
/// the packet's destination. ICMP messages are never reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ErrorWarning {
    /// Notices are not sent.
    #[default]
    Off,
    /// Notices are sent.
    On,
}

/// The number of ICMP over IPv6.
pub(crate) const ICMPV6: u8 = 58;

/// Types for experiments (RFC 4727 §4, RFC 4443 §2.1).
const TYPE: u8 = 253;
const TYPE_V6: u8 = 100;
/// Length of the ICMP header, bytes.
const HEADER: usize = 8;
/// Most bytes quoted after the IP header.
const QUOTED: usize = 528;

/// Destination Unreachable, Fragmentation Needed (RFC 1191 §4).
const UNREACHABLE: u8 = 3;
const FRAGMENTATION_NEEDED: u8 = 4;
/// Packet Too Big (RFC 4443 §3.2).
const TOO_BIG_V6: u8 = 2;

/// Content of an ICMP message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// The link lost or damaged the packet.
    LinkError,
    /// The packet exceeded the link's MTU, in bytes.
    TooBig { mtu: u16 },
}

impl Word {
    /// The ICMP header, without its checksum.
    fn header(self, destination: IpAddr) -> [u8; HEADER] {
        match (self, destination) {
            (Self::LinkError, IpAddr::V4(_)) => [TYPE, 0, 0, 0, 0, 0, 0, 0],
            (Self::LinkError, IpAddr::V6(_)) => [TYPE_V6, 0, 0, 0, 0, 0, 0, 0],
            (Self::TooBig { mtu }, ip) => {
                let [high, low] = mtu.to_be_bytes();
                let (kind, code) = match ip {
                    IpAddr::V4(_) => (UNREACHABLE, FRAGMENTATION_NEEDED),
                    IpAddr::V6(_) => (TOO_BIG_V6, 0),
                };
                [kind, code, 0, 0, 0, 0, high, low]
            }
        }
    }

    fn read(header: [u8; HEADER]) -> Option<Self> {
        match header {
            [TYPE | TYPE_V6, ..] => Some(Self::LinkError),
            [UNREACHABLE, FRAGMENTATION_NEEDED, .., high, low] | [TOO_BIG_V6, 0, .., high, low] => {
                Some(Self::TooBig {
                    mtu: u16::from_be_bytes([high, low]),
                })
            }
            _ => None,
        }
    }
}

/// The packet quoted by an ICMP message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quotation<'a> {
    pub(crate) word: Word,
    pub(crate) protocol: Protocol,
    /// The packet's destination.
    pub(crate) remote: IpAddr,
    /// The packet's first bytes, starting with the transport header.
    pub(crate) beginning: &'a [u8],
}

impl Quotation<'_> {
    /// The quoted packet's source port.
    pub(crate) fn source_port(&self) -> Option<u16> {
        let port = self.beginning.first_chunk()?;
        Some(u16::from_be_bytes(*port))
    }
}

/// An ICMP message about a packet; `None` if that packet is itself ICMP.
pub(crate) fn icmp_of(packet: &Packet, word: Word) -> Option<Packet> {
    if packet.protocol == Protocol::Icmp {
        return None;
    }
    let mut payload = word.header(packet.source).to_vec();
    put_ip_header(&mut payload, packet);
    let quoted = packet.payload.len().min(QUOTED);
    // An odd length would only need padding for the checksum.
    payload.extend_from_slice(&packet.payload[..quoted & !1]);
    let mut icmp = Packet {
        source: packet.destination,
        destination: packet.source,
        protocol: Protocol::Icmp,
        ecn: Ecn::NotEct,
        fragmentation: Fragmentation::Allowed,
        payload,
    };
    let checksum = checksum(&icmp);
    icmp.payload[2..4].copy_from_slice(&checksum.to_be_bytes());
    Some(icmp)
}

/// The packet quoted by an ICMP message; `None` if the ICMP message is damaged.
pub(crate) fn quotation(icmp: &Packet) -> Option<Quotation<'_>> {
    if checksum(icmp) != 0 {
        return None;
    }
    let (header, quoted) = icmp.payload.split_first_chunk()?;
    let protocol = match icmp.destination {
        IpAddr::V4(_) => quoted.get(9),
        IpAddr::V6(_) => quoted.get(6),
    };
    let all = [Protocol::Sctp, Protocol::Tcp, Protocol::Udp];
    Some(Quotation {
        word: Word::read(*header)?,
        protocol: all
            .into_iter()
            .find(|one| Some(&one.number()) == protocol)?,
        remote: icmp.source,
        beginning: quoted.get(icmp.header_len()..)?,
    })
}

/// The checksum over a message (RFC 792; over IPv6 with the addresses, RFC 4443 §2.3).
fn checksum(icmp: &Packet) -> u16 {
    let mut bytes = Vec::with_capacity(40 + icmp.payload.len());
    if let (IpAddr::V6(source), IpAddr::V6(destination)) = (icmp.source, icmp.destination) {
        bytes.extend(source.octets());
        bytes.extend(destination.octets());
        let len = u32::try_from(icmp.payload.len()).unwrap_or(u32::MAX);
        bytes.extend(len.to_be_bytes());
        bytes.extend([0, 0, 0, ICMPV6]);
    }
    bytes.extend_from_slice(&icmp.payload);
    internet_checksum(&bytes)
}

#[cfg(test)]
mod tests;
