//! Link layers of captures, by their numbers in capture files.

use super::layer::{IPV4, IPV6, Layer, be16};

/// A link layer, and the size of the checksum at the end of each frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Link {
    kind: LinkKind,
    checksum: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum LinkKind {
    /// BSD loopback: four bytes of address family.
    Loopback,
    Ethernet,
    /// No link layer: IPv4 or IPv6.
    Ip,
    /// Linux "cooked", first and second version.
    CookedV1,
    CookedV2,
    Ppp,
    Pppoe,
    /// Cisco HDLC: two bytes, then an EtherType.
    CiscoHdlc,
    Mpls,
    /// SCTP packets themselves.
    Sctp,
    /// An unsupported link layer.
    Unknown(u16),
}

impl Link {
    /// Ethernet, with or without VLAN tags.
    pub const ETHERNET: Self = Self::of(LinkKind::Ethernet);
    /// No link layer: IPv4 or IPv6.
    pub const IP: Self = Self::of(LinkKind::Ip);

    const fn of(kind: LinkKind) -> Self {
        Self { kind, checksum: 0 }
    }

    /// Sets the size of the frames' checksum, if given.
    pub fn with_checksum(self, bytes: Option<u8>) -> Self {
        Self {
            checksum: bytes.map_or(self.checksum, usize::from),
            ..self
        }
    }

    /// Removes the checksum at the end of a frame, of which the capture may lack the last `missing`
    /// bytes.
    pub fn without_checksum(self, frame: &[u8], missing: usize) -> &[u8] {
        let less = self.checksum.saturating_sub(missing);
        &frame[..frame.len().saturating_sub(less)]
    }

    /// Opens the frame's first header; `None` if the frame ends within the link layer.
    pub(super) fn first(self, frame: &[u8]) -> Option<Layer<'_>> {
        Some(match self.kind {
            LinkKind::Loopback => Layer::Ip(frame.get(4..)?),
            LinkKind::Ethernet => Layer::Ethernet(frame),
            LinkKind::Ip => Layer::Ip(frame),
            LinkKind::CookedV1 => Layer::Ethertype(be16(frame, 14)?, frame.get(16..)?),
            LinkKind::CookedV2 => match be16(frame, 0)? {
                // The first nibble distinguishes IPv4 and IPv6.
                IPV4 | IPV6 => Layer::Ip(frame.get(20..)?),
                other => Layer::Ethertype(other, frame.get(20..)?),
            },
            LinkKind::Ppp => Layer::Ppp(frame),
            LinkKind::Pppoe => Layer::Pppoe(frame),
            LinkKind::CiscoHdlc => Layer::Ethertype(be16(frame, 2)?, frame.get(4..)?),
            LinkKind::Mpls => Layer::Mpls(frame),
            LinkKind::Sctp => Layer::Sctp(frame),
            LinkKind::Unknown(number) => Layer::UnknownLink(number),
        })
    }
}

impl From<i32> for Link {
    /// Parses a file header's link type: the link layer in the low 16 bits and, if bit 26 is set,
    /// the checksum size in units of two bytes in the highest 4 bits.
    fn from(number: i32) -> Self {
        let bits = number.cast_unsigned();
        let kind = match u16::try_from(bits & 0xffff).unwrap_or(u16::MAX) {
            0 | 108 => LinkKind::Loopback,
            1 => LinkKind::Ethernet,
            9 | 50 => LinkKind::Ppp,
            51 => LinkKind::Pppoe,
            12 | 14 | 101 | 228 | 229 => LinkKind::Ip,
            104 => LinkKind::CiscoHdlc,
            113 => LinkKind::CookedV1,
            219 => LinkKind::Mpls,
            248 => LinkKind::Sctp,
            276 => LinkKind::CookedV2,
            other => LinkKind::Unknown(other),
        };
        let checksum = match bits & (1 << 26) {
            0 => 0,
            _ => usize::try_from(bits >> 28).unwrap_or(0) * 2,
        };
        Self { kind, checksum }
    }
}
