use core::fmt;
use core::net::IpAddr;

use super::Seq;

/// Bytes of a TCP header without options.
pub const HEADER_LEN: usize = 20;

/// The reason why bytes are not a valid TCP segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Malformed {
    /// There are fewer bytes than the header length requires.
    Truncated,
    /// The header length is below 20 bytes.
    DataOffset,
    /// An option's length is too small, or exceeds the space for options.
    OptionLength,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Truncated => "the segment is shorter than its header",
            Self::DataOffset => "the data offset is below 5",
            Self::OptionLength => "an option's length does not fit",
        })
    }
}

impl core::error::Error for Malformed {}

/// The flag bits of a header (RFC 9293 §3.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flags(u8);

impl Flags {
    /// No flags.
    pub const EMPTY: Self = Self(0);
    /// FIN: the sender has finished.
    pub const FIN: Self = Self(1);
    /// SYN: the segment opens the connection.
    pub const SYN: Self = Self(2);
    /// RST: the connection does not exist.
    pub const RST: Self = Self(4);
    /// PSH: no more data is waiting at the sender.
    pub const PSH: Self = Self(8);
    /// ACK: the acknowledgement number is valid.
    pub const ACK: Self = Self(16);

    /// The flags set in either.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all flags of `other` are set.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The byte for the header.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }
}

/// A block of a SACK option (RFC 2018 §3): received from `left` up to, not including, `right`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SackBlock {
    /// First sequence number of the block.
    pub left: Seq,
    /// Sequence number after the last one of the block.
    pub right: Seq,
}

/// Up to four blocks, the most recent first (RFC 2018 §4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    blocks: [SackBlock; Self::MAX],
    len: usize,
}

impl SackBlocks {
    /// The most blocks that fit into 40 bytes of options.
    pub const MAX: usize = 4;

    /// Adds a block; blocks beyond the fourth are ignored.
    pub fn push(&mut self, block: SackBlock) {
        if let Some(slot) = self.blocks.get_mut(self.len) {
            *slot = block;
            self.len += 1;
        }
    }

    /// The blocks, the most recent first.
    pub fn iter(&self) -> impl Iterator<Item = SackBlock> {
        self.blocks.iter().take(self.len).copied()
    }

    /// Number of blocks, 0 to 4.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no blocks.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// The selective acknowledgement options of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sack {
    /// No option.
    #[default]
    Absent,
    /// SACK-permitted, kind 4, on a SYN (RFC 2018 §2).
    Permitted,
    /// Blocks, kind 5 (RFC 2018 §3).
    Blocks(SackBlocks),
}

impl Sack {
    /// Size of the option in bytes, padded to a multiple of four.
    pub const fn options_len(&self) -> usize {
        match self {
            Self::Absent => 0,
            Self::Permitted => 4,
            Self::Blocks(blocks) if blocks.is_empty() => 0,
            Self::Blocks(blocks) => 4 + 8 * blocks.len(),
        }
    }
}

/// The timestamps option, kind 8 (RFC 7323 §3.2), milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimestampsOption {
    /// The sender's clock (TSval).
    pub value: u32,
    /// Last clock value received from the peer (TSecr); 0 on a SYN that is not a reply.
    pub echo: u32,
}

impl TimestampsOption {
    /// Size of the option in bytes, padded to a multiple of four.
    pub const LEN: usize = 12;
}

/// The header of a segment.
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-------------------------------+-------------------------------+
/// |          source port          |       destination port        |
/// +-------------------------------+-------------------------------+
/// |                        sequence number                        |
/// +---------------------------------------------------------------+
/// |                     acknowledgement number                    |
/// +-------+-------+---------------+-------------------------------+
/// | offset|   0   |     flags     |            window             |
/// +-------+-------+---------------+-------------------------------+
/// |            checksum           |         urgent pointer        |
/// +-------------------------------+-------------------------------+
/// |                   options, padded to 32 bits                  |
/// +---------------------------------------------------------------+
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The sender's port.
    pub source_port: u16,
    /// The receiver's port.
    pub destination_port: u16,
    /// The sequence number of the first byte, or of the SYN.
    pub seq: Seq,
    /// The acknowledgement number, `None` without the ACK flag.
    pub ack: Option<Seq>,
    /// Flags except ACK, which `ack` implies.
    pub flags: Flags,
    /// The window as in the header, before scaling.
    pub window: u16,
    /// Maximum segment size, kind 2, bytes (RFC 9293 §3.7.1).
    pub mss: Option<u16>,
    /// Window scale, kind 3: a left shift (RFC 7323 §2.2).
    pub window_scale: Option<u8>,
    /// Timestamps (RFC 7323).
    pub timestamps: Option<TimestampsOption>,
    /// Selective acknowledgement (RFC 2018).
    pub sack: Sack,
}

impl Header {
    /// Size of all options in bytes, padded to a multiple of four.
    pub const fn options_len(&self) -> usize {
        let mss = if self.mss.is_some() { 4 } else { 0 };
        let scale = if self.window_scale.is_some() { 4 } else { 0 };
        let rest = match (self.timestamps, self.sack) {
            // Both options share the padding.
            (Some(_), Sack::Permitted) => TimestampsOption::LEN,
            (Some(_), sack) => TimestampsOption::LEN + sack.options_len(),
            (None, sack) => sack.options_len(),
        };
        mss + scale + rest
    }

    /// Appends the header to `out`, with a checksum of 0.
    #[inline]
    pub fn write(&self, out: &mut Vec<u8>) {
        let words = (HEADER_LEN + self.options_len()) / 4;
        let flags = match self.ack {
            Some(_) => self.flags.union(Flags::ACK),
            None => self.flags,
        };
        let [s0, s1] = self.source_port.to_be_bytes();
        let [d0, d1] = self.destination_port.to_be_bytes();
        let [q0, q1, q2, q3] = self.seq.0.to_be_bytes();
        let [a0, a1, a2, a3] = self.ack.unwrap_or_default().0.to_be_bytes();
        let offset = u8::try_from(words << 4).unwrap_or(0xF0);
        let [w0, w1] = self.window.to_be_bytes();
        let bits = flags.bits();
        let fixed: [u8; HEADER_LEN] = [
            s0, s1, d0, d1, q0, q1, q2, q3, a0, a1, a2, a3, offset, bits, w0, w1, 0, 0, 0, 0,
        ];
        out.extend_from_slice(&fixed);
        if words > HEADER_LEN / 4 {
            self.write_options(out);
        }
    }

    fn write_options(&self, out: &mut Vec<u8>) {
        if let Some(mss) = self.mss {
            out.extend_from_slice(&[2, 4]);
            out.extend_from_slice(&mss.to_be_bytes());
        }
        if let Some(shift) = self.window_scale {
            out.extend_from_slice(&[1, 3, 3, shift]);
        }
        if let Some(timestamps) = self.timestamps {
            match self.sack {
                Sack::Permitted => out.extend_from_slice(&[4, 2]),
                Sack::Absent | Sack::Blocks(_) => out.extend_from_slice(&[1, 1]),
            }
            out.extend_from_slice(&[8, 10]);
            out.extend_from_slice(&timestamps.value.to_be_bytes());
            out.extend_from_slice(&timestamps.echo.to_be_bytes());
        }
        match self.sack {
            Sack::Permitted if self.timestamps.is_some() => {}
            Sack::Permitted => out.extend_from_slice(&[1, 1, 4, 2]),
            Sack::Blocks(blocks) if !blocks.is_empty() => {
                let len = u8::try_from(2 + 8 * blocks.len()).unwrap_or(u8::MAX);
                out.extend_from_slice(&[1, 1, 5, len]);
                for block in blocks.iter() {
                    out.extend_from_slice(&block.left.0.to_be_bytes());
                    out.extend_from_slice(&block.right.0.to_be_bytes());
                }
            }
            Sack::Absent | Sack::Blocks(_) => {}
        }
    }

    /// Parses the 20 fixed bytes of a header.
    #[inline]
    fn read_fixed(bytes: &[u8]) -> Self {
        let flags = Flags(bytes[13]);
        Self {
            source_port: half(bytes, 0),
            destination_port: half(bytes, 2),
            seq: Seq(word(bytes, 4)),
            ack: flags.contains(Flags::ACK).then(|| Seq(word(bytes, 8))),
            flags: Flags(flags.0 & !Flags::ACK.0),
            window: half(bytes, 14),
            ..Self::default()
        }
    }

    fn read_option(&mut self, kind: u8, value: &[u8]) {
        match (kind, value) {
            (2, &[high, low]) => self.mss = Some(u16::from_be_bytes([high, low])),
            (3, &[shift]) => self.window_scale = Some(shift),
            (4, &[]) => self.sack = Sack::Permitted,
            (5, blocks) => {
                let mut sack = SackBlocks::default();
                for block in blocks.chunks_exact(8) {
                    sack.push(SackBlock {
                        left: Seq(word(block, 0)),
                        right: Seq(word(block, 4)),
                    });
                }
                self.sack = Sack::Blocks(sack);
            }
            (8, stamps) if stamps.len() == 8 => {
                self.timestamps = Some(TimestampsOption {
                    value: word(stamps, 0),
                    echo: word(stamps, 4),
                });
            }
            // RFC 9293 §3.1, MUST-6: an unknown option is skipped.
            _ => {}
        }
    }

    // RFC 9293 §3.1: kinds 0 and 1 have no length.
    fn read_options(&mut self, mut bytes: &[u8]) -> Result<(), Malformed> {
        loop {
            match bytes {
                [] | [0, ..] => return Ok(()),
                [1, rest @ ..] => bytes = rest,
                [kind, len, ..] => {
                    let len = usize::from(*len);
                    let value = bytes.get(2..len).ok_or(Malformed::OptionLength)?;
                    self.read_option(*kind, value);
                    bytes = &bytes[len..];
                }
                [_] => return Err(Malformed::OptionLength),
            }
        }
    }
}

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TCP {} > {}", self.source_port, self.destination_port)?;
        for (flag, name) in [
            (Flags::SYN, " SYN"),
            (Flags::FIN, " FIN"),
            (Flags::RST, " RST"),
            (Flags::PSH, " PSH"),
        ] {
            if self.flags.contains(flag) {
                f.write_str(name)?;
            }
        }
        write!(f, " seq {}", self.seq)?;
        if let Some(ack) = self.ack {
            write!(f, " ack {ack}")?;
        }
        write!(f, " win {}", self.window)?;
        if let Some(mss) = self.mss {
            write!(f, " mss {mss}")?;
        }
        if let Some(shift) = self.window_scale {
            write!(f, " wscale {shift}")?;
        }
        if let Some(TimestampsOption { value, echo }) = self.timestamps {
            write!(f, " ts {value} {echo}")?;
        }
        match self.sack {
            Sack::Absent => {}
            Sack::Permitted => f.write_str(" sack-permitted")?,
            Sack::Blocks(blocks) => {
                for block in blocks.iter() {
                    write!(f, " sack {}..{}", block.left, block.right)?;
                }
            }
        }
        Ok(())
    }
}

/// A received segment: the header, and the part of the payload in the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment<'a> {
    /// The header.
    pub header: Header,
    /// The bytes of the stream.
    pub payload: &'a [u8],
}

impl<'a> Segment<'a> {
    /// Parses a segment without verifying the checksum.
    ///
    /// # Errors
    /// [`Malformed`] if a length is invalid.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let (fixed, _) = bytes
            .split_at_checked(HEADER_LEN)
            .ok_or(Malformed::Truncated)?;
        let header_len = usize::from(fixed[12] >> 4) * 4;
        if header_len < HEADER_LEN {
            return Err(Malformed::DataOffset);
        }
        let (head, payload) = bytes
            .split_at_checked(header_len)
            .ok_or(Malformed::Truncated)?;
        if header_len > HEADER_LEN {
            return Self::with_options(head, payload);
        }
        let header = Header::read_fixed(head);
        Ok(Self { header, payload })
    }

    #[inline(never)] // So a header without options is put where it belongs at once.
    fn with_options(head: &[u8], payload: &'a [u8]) -> Result<Self, Malformed> {
        let mut header = Header::read_fixed(head);
        header.read_options(&head[HEADER_LEN..])?;
        Ok(Self { header, payload })
    }

    /// Number of sequence numbers used: the payload's bytes, and one each for SYN and FIN.
    pub const fn span(&self) -> u64 {
        let syn = self.header.flags.contains(Flags::SYN) as u64;
        let fin = self.header.flags.contains(Flags::FIN) as u64;
        self.payload.len() as u64 + syn + fin
    }
}

/// Computes and stores the checksum of the segment in `bytes`, which start with the header.
pub fn seal(bytes: &mut [u8], source: IpAddr, destination: IpAddr) {
    let sum = checksum(bytes, source, destination);
    if let Some(field) = bytes.get_mut(16..18) {
        field.copy_from_slice(&sum.to_be_bytes());
    }
}

/// Whether the checksum of a segment is correct (RFC 9293 §3.1).
#[must_use]
pub fn checksum_is_valid(bytes: &[u8], source: IpAddr, destination: IpAddr) -> bool {
    checksum(bytes, source, destination) == 0
}

/// The Internet checksum over the pseudo-header and `bytes`.
fn checksum(bytes: &[u8], source: IpAddr, destination: IpAddr) -> u16 {
    let mut sum = bytes.len() as u64 + 6 + address_sum(source) + address_sum(destination);
    let words = bytes.chunks_exact(4);
    let mut tail = [0; 4];
    tail[..words.remainder().len()].copy_from_slice(words.remainder());
    for bytes in words {
        sum += u64::from(word(bytes, 0));
    }
    sum += u64::from(word(&tail, 0));
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    !u16::try_from(sum).unwrap_or(u16::MAX)
}

fn address_sum(address: IpAddr) -> u64 {
    match address {
        IpAddr::V4(v4) => u64::from(u32::from(v4)),
        IpAddr::V6(v6) => v6.segments().into_iter().map(u64::from).sum(),
    }
}

fn half(bytes: &[u8], at: usize) -> u16 {
    match bytes.get(at..at + 2) {
        Some(&[a, b]) => u16::from_be_bytes([a, b]),
        _ => 0,
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    match bytes.get(at..at + 4) {
        Some(&[a, b, c, d]) => u32::from_be_bytes([a, b, c, d]),
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
