//! The headers between a frame and its SCTP packet; each step opens one.
//!
//! Tunnels are opened as far as they are not encrypted: MPLS (RFC 3032), PPP and PPPoE (RFC 1661, RFC
//! 2516), GRE (RFC 2784, RFC 2890, RFC 2637), IP in IP (RFC 2003, RFC 2473), EtherIP (RFC 3378), and over UDP GTP-U (3GPP TS 29.281), VXLAN
//! (RFC 7348) and its generic extension, Geneve (RFC 8926), MPLS (RFC 7510) and GRE (RFC 8086).

use super::frame::{Carried, Unread};
use super::ip::{Payload, open_ip};
use super::tunnel::{open_gre, open_udp};

pub(super) const IPV4: u16 = 0x0800;
pub(super) const IPV6: u16 = 0x86dd;
const VLAN: [u16; 4] = [0x8100, 0x88a8, 0x9100, 0x9200];
const MPLS: [u16; 2] = [0x8847, 0x8848];
const PPPOE: u16 = 0x8864;
const PPP: u16 = 0x880b;
/// A frame of Ethernet in another protocol (RFC 1701).
const BRIDGED: u16 = 0x6558;
const ERSPAN: [u16; 2] = [0x88be, 0x22eb];
/// Smaller values are a length (IEEE 802.3).
const LEAST_ETHERTYPE: u16 = 0x0600;
/// The LLC and SNAP headers before an EtherType (RFC 1042).
const SNAP: [u8; 6] = [0xaa, 0xaa, 3, 0, 0, 0];

/// A header and the bytes from its start.
#[derive(Clone, Copy, Debug)]
pub(super) enum Layer<'a> {
    Ethernet(&'a [u8]),
    /// The bytes after an EtherType.
    Ethertype(u16, &'a [u8]),
    Mpls(&'a [u8]),
    Ppp(&'a [u8]),
    Pppoe(&'a [u8]),
    Ip(&'a [u8]),
    Gre(&'a [u8]),
    Udp(Payload<'a>),
    Sctp(&'a [u8]),
    UnknownLink(u16),
}

/// The contents of a layer.
pub(super) enum Next<'a> {
    Layer(Layer<'a>),
    /// A tunnel's inner layer.
    Tunnel(&'static str, Layer<'a>),
    End(Carried<'a>),
}

impl<'a> Next<'a> {
    /// Contents known not to hold SCTP.
    pub(super) const OTHER: Self = Self::End(Carried::Other);

    /// Contents that may hold SCTP but are not decoded.
    pub(super) const fn unread(what: &'static str) -> Self {
        Self::End(Carried::Unread(Unread::Protocol(what)))
    }
}

impl<'a> Layer<'a> {
    /// Opens the next layer; `None` if the bytes end within the header.
    pub(super) fn next(self, udp_port: u16) -> Option<Next<'a>> {
        match self {
            Self::Ethernet(frame) => {
                let ethertype = be16(frame, 12)?;
                Some(Next::Layer(Self::Ethertype(ethertype, frame.get(14..)?)))
            }
            Self::Ethertype(ethertype, rest) => open_ethertype(ethertype, rest),
            Self::Mpls(labels) => open_mpls(labels),
            Self::Ppp(frame) => open_ppp(frame),
            Self::Pppoe(frame) => open_pppoe(frame),
            Self::Ip(packet) => open_ip(packet),
            Self::Gre(packet) => open_gre(packet),
            Self::Udp(datagram) => open_udp(datagram, udp_port),
            Self::Sctp(bytes) => Some(Next::End(Payload::bare(bytes).sctp(None))),
            Self::UnknownLink(number) => Some(Next::End(Carried::Unread(Unread::LinkType(number)))),
        }
    }
}

fn open_ethertype(ethertype: u16, rest: &[u8]) -> Option<Next<'_>> {
    Some(match ethertype {
        IPV4 | IPV6 => Next::Layer(Layer::Ip(rest)),
        tag if VLAN.contains(&tag) => Next::Layer(Layer::Ethertype(be16(rest, 2)?, rest.get(4..)?)),
        labels if MPLS.contains(&labels) => Next::Tunnel("MPLS", Layer::Mpls(rest)),
        PPPOE => Next::Tunnel("PPPoE", Layer::Pppoe(rest)),
        PPP => Next::Tunnel("PPP", Layer::Ppp(rest)),
        BRIDGED => Next::Layer(Layer::Ethernet(rest)),
        mirrored if ERSPAN.contains(&mirrored) => Next::unread("ERSPAN"),
        0x88e5 => Next::unread("MACsec, which is encrypted"),
        0x88e7 => Next::unread("provider backbone bridging (802.1ah)"),
        0x894f => Next::unread("network service headers (NSH)"),
        length if length < LEAST_ETHERTYPE => match rest.get(..6) == Some(&SNAP) {
            true => Next::Layer(Layer::Ethertype(be16(rest, 6)?, rest.get(8..)?)),
            false => Next::OTHER,
        },
        _ => Next::OTHER,
    })
}

/// Skips labels up to the one with the bottom-of-stack bit; the payload type follows from its first
/// bits (RFC 4928 §2, RFC 4385 §3).
fn open_mpls(labels: &[u8]) -> Option<Next<'_>> {
    const LAST: u8 = 1;

    let last = labels
        .chunks_exact(4)
        .position(|label| label[2] & LAST != 0)?;
    let rest = labels.get((last + 1) * 4..)?;
    Some(Next::Layer(match rest.first()? >> 4 {
        4 | 6 => Layer::Ip(rest),
        // A pseudowire control word.
        0 => Layer::Ethernet(rest.get(4..)?),
        _ => Layer::Ethernet(rest),
    }))
}

fn open_ppp(frame: &[u8]) -> Option<Next<'_>> {
    let frame = frame.strip_prefix(&[0xff, 3]).unwrap_or(frame);
    // The protocol's first byte is even, and may be omitted if zero (RFC 1661 §6.5).
    let (protocol, rest) = match frame.first()? & 1 {
        0 => (be16(frame, 0)?, frame.get(2..)?),
        _ => (u16::from(*frame.first()?), frame.get(1..)?),
    };
    Some(match protocol {
        0x0021 | 0x0057 => Next::Layer(Layer::Ip(rest)),
        0x0281 | 0x0283 => Next::Tunnel("MPLS", Layer::Mpls(rest)),
        0x0053 | 0x0055 => Next::unread("PPP that is encrypted"),
        0x00fd | 0x00fb => Next::unread("PPP that is compressed"),
        0x003d => Next::unread("multilink PPP"),
        _ => Next::OTHER,
    })
}

fn open_pppoe(frame: &[u8]) -> Option<Next<'_>> {
    let length = usize::from(be16(frame, 4)?);
    let rest = frame.get(6..)?;
    match frame.get(..2)? {
        // Version 1, type 1, code 0: a session.
        [0x11, 0] => Some(Next::Layer(Layer::Ppp(rest.get(..length).unwrap_or(rest)))),
        _ => Some(Next::OTHER),
    }
}

pub(super) fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    array(bytes, at).map(u16::from_be_bytes)
}

pub(super) fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}
