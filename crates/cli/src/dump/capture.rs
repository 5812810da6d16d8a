//! Reads frames from pcap and pcapng files.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::time::Duration;

use pcap_parser::traits::{PcapNGPacketBlock, PcapReaderIterator};
use pcap_parser::{
    Block, InterfaceDescriptionBlock, OptionCode, PcapBlockOwned, PcapError, UnknownBlock,
    create_reader,
};

use super::link::Link;
use crate::failure::Failure;

/// A captured frame.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Time since 1970.
    pub at: Duration,
    /// The frame's link layer.
    pub link: Link,
    /// The captured bytes.
    pub bytes: Vec<u8>,
    /// Number of bytes not captured.
    pub missing: usize,
    /// The UDP port of SCTP, if the capture names one.
    pub udp_port: Option<u16>,
}

/// The frames of a capture file.
pub struct Capture {
    reader: Box<dyn PcapReaderIterator>,
    section: Section,
    ready: VecDeque<Frame>,
    name: String,
    /// Current size of the reader's buffer.
    buffer: usize,
    last_incomplete: usize,
}

/// Properties of the frames in a file or a pcapng section.
#[derive(Clone, Debug, Default)]
struct Section {
    order: ByteOrder,
    interfaces: Vec<Interface>,
}

#[derive(Clone, Copy, Debug, Default)]
enum ByteOrder {
    #[default]
    Little,
    Big,
}

/// Properties of the frames of a pcapng interface.
#[derive(Clone, Copy, Debug)]
struct Interface {
    link: Link,
    /// Timestamp units per second.
    ticks: u128,
    /// Offset of timestamps, seconds.
    offset: i64,
    udp_port: Option<u16>,
}

/// Prefix of an interface comment with the UDP port.
pub const OVER_UDP: &str = "SCTP over UDP port ";

const BUFFER: usize = 1 << 20;
/// Largest block; a longer one means a corrupt file.
const MAX_BUFFER: usize = 64 << 20;

impl Capture {
    /// Opens a file; `-` is standard input.
    /// Errors: the file cannot be read, or is neither pcap nor pcapng.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let source: Box<dyn Read + Send> = if name == "-" {
            Box::new(std::io::stdin())
        } else {
            Box::new(File::open(path).map_err(|error| Failure::new(format!("{name}: {error}")))?)
        };
        let mut source = BufReader::new(source);
        if let Some(compression) = compression(source.fill_buf().unwrap_or_default()) {
            let what = format!("{name}: compressed by {compression}: uncompress it first");
            let fix = format!("{compression} -dc {name} | sheave dump -");
            return Err(Failure::new(what).fix(fix));
        }
        let reader = create_reader(BUFFER, source).map_err(|error| {
            Failure::new(format!("{name}: no capture file ({error:?})"))
                .fix("give a pcap or pcapng file, as tcpdump and Wireshark write it")
        })?;
        Ok(Self {
            reader,
            section: Section::default(),
            ready: VecDeque::new(),
            name,
            buffer: BUFFER,
            last_incomplete: usize::MAX,
        })
    }

    /// The next frame; `None` at the end.
    /// Errors: the file is corrupt from here on.
    pub fn next(&mut self) -> Result<Option<Frame>, Failure> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Ok(Some(frame));
            }
            match self.reader.next() {
                Ok((len, block)) => {
                    take(&block, &mut self.section, &mut self.ready);
                    self.reader.consume(len);
                    self.last_incomplete = usize::MAX;
                }
                Err(PcapError::Eof) => return Ok(None),
                Err(PcapError::Incomplete(_)) => self.refill()?,
                Err(PcapError::UnexpectedEof) => return Err(self.broken("it ends within a block")),
                Err(_) => return Err(self.broken("a block makes no sense")),
            }
        }
    }

    fn refill(&mut self) -> Result<(), Failure> {
        let before = self.reader.data().len();
        if self.reader.reader_exhausted() || before == self.last_incomplete {
            if self.reader.reader_exhausted() {
                return Err(self.broken("it ends within a block"));
            }
            if self.buffer >= MAX_BUFFER {
                return Err(self.broken("a block is larger than 64 MiB"));
            }
            self.buffer *= 2;
            if !self.reader.grow(self.buffer) {
                return Err(self.broken("a block is too large"));
            }
        }
        self.last_incomplete = before;
        let refilled = self.reader.refill();
        refilled.map_err(|error| Failure::new(format!("{}: {error:?}", self.name)))
    }

    fn broken(&self, why: &str) -> Failure {
        Failure::new(format!("{}: broken capture file: {why}", self.name))
    }
}

/// The program that compressed a file with this beginning.
fn compression(beginning: &[u8]) -> Option<&'static str> {
    const MAGICS: [(&str, &[u8]); 5] = [
        ("gzip", &[0x1f, 0x8b]),
        ("zstd", &[0x28, 0xb5, 0x2f, 0xfd]),
        ("lz4", &[0x04, 0x22, 0x4d, 0x18]),
        ("xz", &[0xfd, b'7', b'z', b'X', b'Z', 0]),
        ("bzip2", b"BZh"),
    ];

    let mut magics = MAGICS.iter();
    let (program, _) = magics.find(|(_, magic)| beginning.starts_with(magic))?;
    Some(program)
}

fn take(block: &PcapBlockOwned<'_>, section: &mut Section, ready: &mut VecDeque<Frame>) {
    match block {
        PcapBlockOwned::LegacyHeader(header) => {
            let ticks = if header.is_nanosecond_precision() {
                1_000_000_000
            } else {
                1_000_000
            };
            section.interfaces = vec![Interface {
                link: Link::from(header.network.0),
                ticks,
                offset: 0,
                udp_port: None,
            }];
        }
        PcapBlockOwned::Legacy(packet) => {
            if let Some(interface) = section.interfaces.first() {
                let fraction = u128::from(packet.ts_usec) * 1_000_000_000 / interface.ticks;
                let nanos = u64::try_from(fraction).unwrap_or(0);
                let at = Duration::from_secs(packet.ts_sec.into()) + Duration::from_nanos(nanos);
                let lengths = (packet.caplen, packet.origlen);
                push(ready, at, interface, packet.data, lengths);
            }
        }
        PcapBlockOwned::NG(block) => take_ng(block, section, ready),
    }
}

fn take_ng(block: &Block<'_>, section: &mut Section, ready: &mut VecDeque<Frame>) {
    let interfaces = &mut section.interfaces;
    match block {
        // Each section has its own interface numbers.
        Block::SectionHeader(header) => {
            interfaces.clear();
            section.order = match header.big_endian() {
                true => ByteOrder::Big,
                false => ByteOrder::Little,
            };
        }
        Block::InterfaceDescription(description) => interfaces.push(Interface {
            link: Link::from(description.linktype.0).with_checksum(checksum_of(description)),
            ticks: ticks_of(description.if_tsresol),
            offset: description.ts_offset(),
            udp_port: udp_port_of(description),
        }),
        // The obsolete Packet Block of old captures.
        Block::Unknown(unknown) => {
            let _ = push_packet_block(unknown, section, ready);
        }
        Block::EnhancedPacket(packet) => {
            if let Some(interface) = interfaces.get(packet.if_id as usize) {
                let ticks = (u64::from(packet.ts_high) << 32) | u64::from(packet.ts_low);
                let at = since_1970(ticks, interface);
                let lengths = (packet.caplen, packet.origlen);
                push(ready, at, interface, packet.packet_data(), lengths);
            }
        }
        Block::SimplePacket(packet) => {
            if let Some(interface) = interfaces.first() {
                let (at, bytes) = (Duration::ZERO, packet.packet_data());
                push(
                    ready,
                    at,
                    interface,
                    bytes,
                    (packet.origlen, packet.origlen),
                );
            }
        }
        _ => {}
    }
}

/// The checksum length at the end of an interface's frames (option if_fcslen).
fn checksum_of(description: &InterfaceDescriptionBlock<'_>) -> Option<u8> {
    const IF_FCSLEN: u16 = 13;

    let mut options = description.options.iter();
    let option = options.find(|option| option.code.0 == IF_FCSLEN)?;
    option.value().first().copied()
}

/// Timestamp units per second from the option if_tsresol (draft-ietf-opsawg-pcapng §4.2): a power
/// of two if the highest bit is set, else a power of ten.
fn ticks_of(resolution: u8) -> u128 {
    let power = u32::from(resolution & 0x7f);
    match resolution & 0x80 {
        0 => 10_u128.saturating_pow(power),
        _ => 1 << power,
    }
}

/// The UDP port in the interface's name, as written by `sheave run --pcap`.
fn udp_port_of(description: &InterfaceDescriptionBlock<'_>) -> Option<u16> {
    let mut options = description.options.iter();
    let name = options.find(|option| option.code == OptionCode::IfName)?;
    let name = str::from_utf8(name.as_bytes().ok()?).ok()?;
    name.strip_prefix(OVER_UDP)?.parse().ok()
}

/// Adds the frame of a Packet Block (draft-ietf-opsawg-pcapng §A): interface and drops (two bytes
/// each), time, both lengths. `None` for another type or a short block.
fn push_packet_block(
    block: &UnknownBlock<'_>,
    section: &Section,
    ready: &mut VecDeque<Frame>,
) -> Option<()> {
    const KIND: u32 = 2;
    const HEADER: usize = 20;

    if block.block_type != KIND && block.block_type.swap_bytes() != KIND {
        return None;
    }
    let (header, bytes) = block.data.split_at_checked(HEADER)?;
    let word = |at: usize| {
        let word = header.get(at..at + 4)?.try_into().ok()?;
        Some(match section.order {
            ByteOrder::Little => u32::from_le_bytes(word),
            ByteOrder::Big => u32::from_be_bytes(word),
        })
    };
    let number = match section.order {
        ByteOrder::Little => word(0)? & 0xffff,
        ByteOrder::Big => word(0)? >> 16,
    };
    let interface = section.interfaces.get(usize::try_from(number).ok()?)?;
    let ticks = (u64::from(word(4)?) << 32) | u64::from(word(8)?);
    let at = since_1970(ticks, interface);
    let lengths = (word(12)?, word(16)?);
    push(ready, at, interface, bytes, lengths);
    Some(())
}

fn since_1970(ticks: u64, interface: &Interface) -> Duration {
    let (ticks, second) = (u128::from(ticks), interface.ticks);
    let seconds = u64::try_from(ticks / second).unwrap_or(u64::MAX);
    let rest = ticks % second * 1_000_000_000 / second;
    let nanos = u32::try_from(rest).unwrap_or(0).min(999_999_999);
    Duration::new(seconds.saturating_add_signed(interface.offset), nanos)
}

/// Adds a frame; `lengths` are the captured and the original length.
fn push(
    ready: &mut VecDeque<Frame>,
    at: Duration,
    interface: &Interface,
    bytes: &[u8],
    lengths: (u32, u32),
) {
    let [captured, whole] =
        [lengths.0, lengths.1].map(|len| usize::try_from(len).unwrap_or(usize::MAX));
    let len = bytes.len().min(captured);
    let missing = whole.saturating_sub(len);
    ready.push_back(Frame {
        at,
        link: interface.link,
        udp_port: interface.udp_port,
        bytes: interface
            .link
            .without_checksum(&bytes[..len], missing)
            .to_vec(),
        missing,
    });
}
