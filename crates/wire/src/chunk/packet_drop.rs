use alloc::vec::Vec;
use core::fmt;

use crate::ChunkType;
use crate::print::Hex;

/// PKTDROP: reports a packet that was lost or damaged, quoting its beginning
/// (draft-stewart-sctp-pktdrprep).
///
/// The chunk type makes receivers without support skip it without a report.
///
/// ```text
/// 0       8       16              31
/// +-------+-------+---------------+
/// |  129  | flags |    length     |   flags: 1 from a box on the way, 2 bad CRC32c, 4 cut short
/// +-------+-------+---------------+
/// |  bandwidth of the bottleneck  |   bytes; of a peer: its receive buffer
/// +-------------------------------+
/// |      bytes in the queue       |   of a peer: in its receive buffer
/// +---------------+---------------+
/// |  full length  |       0       |   of a packet that is cut short, else 0
/// +---------------+---------------+
/// | the packet from its common header on
/// +-------------------------------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketDrop<'a> {
    /// The origin and the reason of the report.
    pub flags: PacketDropFlags,
    /// From a peer: its receive buffer in bytes. From a middlebox: the capacity of its link in
    /// bytes per second.
    pub bandwidth: u32,
    /// Queue length in bytes.
    pub queued: u32,
    /// Length of the whole packet in bytes if the quotation is truncated.
    pub full_len: u16,
    /// The packet or its beginning, starting with the common header.
    pub quoted: &'a [u8],
}

/// The flags of a [`PacketDrop`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacketDropFlags(u8);

impl PacketDropFlags {
    /// No flags.
    pub const EMPTY: Self = Self(0);
    /// M: sent by a middlebox, not by the peer.
    pub const MIDDLE_BOX: Self = Self(1);
    /// The packet arrived with a wrong checksum (B).
    pub const BAD_CHECKSUM: Self = Self(2);
    /// T: the quotation is truncated.
    pub const TRUNCATED: Self = Self(4);

    /// The flags as they stand in the chunk header.
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// Whether all of `other` are set.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The flags of both.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl<'a> PacketDrop<'a> {
    /// Bytes before the quoted packet, the chunk header included.
    pub const HEADER_LEN: usize = 16;

    pub(crate) fn from_wire(flags: u8, value: &'a [u8]) -> Option<Self> {
        let (&[b0, b1, b2, b3, q0, q1, q2, q3, l0, l1, _, _], quoted) =
            value.split_first_chunk()?;
        Some(Self {
            flags: PacketDropFlags::from_bits(flags),
            bandwidth: u32::from_be_bytes([b0, b1, b2, b3]),
            queued: u32::from_be_bytes([q0, q1, q2, q3]),
            full_len: u16::from_be_bytes([l0, l1]),
            quoted,
        })
    }

    pub(crate) const fn encoded_len(&self) -> usize {
        Self::HEADER_LEN + self.quoted.len()
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let len = self.encoded_len();
        out.extend_from_slice(&super::header(ChunkType::PACKET_DROP, self.flags.0, len));
        out.extend_from_slice(&self.bandwidth.to_be_bytes());
        out.extend_from_slice(&self.queued.to_be_bytes());
        out.extend_from_slice(&self.full_len.to_be_bytes());
        out.extend_from_slice(&[0, 0]);
        out.extend_from_slice(self.quoted);
    }
}

impl fmt::Display for PacketDrop<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = [
            (PacketDropFlags::MIDDLE_BOX, "from the way, "),
            (PacketDropFlags::BAD_CHECKSUM, "bad crc, "),
            (PacketDropFlags::TRUNCATED, "cut short, "),
        ];
        for (flag, words) in said {
            if self.flags.contains(flag) {
                f.write_str(words)?;
            }
        }
        write!(
            f,
            "bandwidth {}, queued {}, full length {}, packet {}",
            self.bandwidth,
            self.queued,
            self.full_len,
            Hex(self.quoted)
        )
    }
}
