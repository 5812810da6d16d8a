//! `sheave dump`: the SCTP packets of a capture file or of an interface, one chunk per line.

mod capture;
mod captured_chunk;
mod frame;
mod ip;
#[cfg_attr(not(feature = "dtls"), path = "no_keys.rs")]
mod keys;
mod layer;
mod link;
mod live;
mod summary;
mod tracker;
mod train;
mod tunnel;

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};
use sheave_wire::Packet;

use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupts;
use crate::network::UDP_PORT;
use crate::screen::Output;
pub use capture::OVER_UDP;
use capture::{Capture, Frame};
use captured_chunk::CapturedChunk;
use frame::{Carried, Route, Segment};
use keys::{Decoder, KeyArgs};
use live::Live;
use summary::{Checksum, Summary};
use tracker::Tracker;

/// Prints SCTP packets.
#[derive(Args, Clone, Debug)]
#[command(after_help = include_str!("../../help/dump.txt").trim_end())]
pub struct DumpArgs {
    /// A pcap or pcapng file; - for standard input
    #[arg(value_name = "FILE", required_unless_present = "interface")]
    file: Option<PathBuf>,

    /// Capture from an interface instead
    #[arg(short, long, value_name = "IFACE", conflicts_with = "file")]
    interface: Option<String>,

    /// Only packets from or to this SCTP port
    #[arg(short, long, value_name = "PORT")]
    port: Option<u16>,

    /// Only the association with this number
    #[arg(short, long, value_name = "N")]
    assoc: Option<usize>,

    /// UDP port of encapsulated SCTP
    #[arg(long, value_name = "PORT", default_value_t = UDP_PORT)]
    udp_port: u16,

    /// End after this many SCTP packets
    #[arg(short, long, value_name = "N")]
    count: Option<u64>,

    #[command(flatten)]
    keys: KeyArgs,

    /// Print the bytes of each packet too
    #[arg(short, long)]
    verbose: bool,

    /// Print only the summary
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
}

/// Runs the command.
/// Errors: the file or interface cannot be read.
pub fn run(args: &DumpArgs, output: Output, interrupts: &Interrupts) -> Result<Exit, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    interrupts.on_interrupt(move || stopped.store(true, Ordering::Relaxed));
    let mut dump = Dump {
        decoder: args.keys.decoder()?,
        opened: None,
        args,
        output,
        out: BufWriter::new(io::stdout().lock()),
        tracker: Tracker::default(),
        began: None,
        summary: Summary::default(),
    };
    let outcome = match (&args.file, &args.interface) {
        (Some(file), _) => dump.read(Capture::open(file)?, &stop),
        (None, Some(interface)) => dump.watch(Live::open(interface)?, &stop),
        (None, None) => Err(Failure::usage("give a file, or an interface with -i")),
    };
    // Frames before an error are counted as well.
    let printed = dump.finish();
    outcome?;
    match printed {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::new(error)),
        _ => Ok(Exit::Success),
    }
}

/// Kinds of notes instead of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    /// An IP fragment.
    Fragment,
    /// Truncated by the capture.
    Cut,
    /// Malformed by the sender.
    Malformed,
}

struct Dump<'a> {
    decoder: Decoder,
    /// The packet at hand, with the chunks that were in its DTLS chunk.
    opened: Option<Vec<u8>>,
    args: &'a DumpArgs,
    output: Output,
    out: BufWriter<io::StdoutLock<'static>>,
    tracker: Tracker,
    began: Option<Duration>,
    summary: Summary,
}

impl Dump<'_> {
    fn read(&mut self, mut capture: Capture, stop: &AtomicBool) -> Result<(), Failure> {
        while !stop.load(Ordering::Relaxed) && !self.is_full() {
            let Some(frame) = capture.next()? else {
                break;
            };
            if self.handle(&frame).is_err() {
                break;
            }
        }
        Ok(())
    }

    fn watch(&mut self, mut live: Live, stop: &AtomicBool) -> Result<(), Failure> {
        while !stop.load(Ordering::Relaxed) && !self.is_full() {
            let shown = match live.next()? {
                // Live output is flushed at once.
                Some(frame) => self.handle(&frame).and_then(|()| self.out.flush()),
                None => self.out.flush(),
            };
            if shown.is_err() {
                break;
            }
        }
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.args
            .count
            .is_some_and(|count| self.summary.packets >= count)
    }

    fn handle(&mut self, frame: &Frame) -> io::Result<()> {
        self.summary.frames += 1;
        let began = *self.began.get_or_insert(frame.at);
        let at = frame.at.saturating_sub(began);
        let udp_port = frame.udp_port.unwrap_or(self.args.udp_port);
        match frame::open(frame.link, &frame.bytes, udp_port) {
            Carried::Sctp(segment) => self.show_all(at, &segment),
            Carried::Fragment(route) => {
                self.summary.fragments += 1;
                let text = "IP fragment, not put together";
                self.note(at, route, Kind::Fragment, text)
            }
            Carried::Short(why) if frame.missing > 0 => {
                self.summary.cut += 1;
                let text = format!("cut by the capture: {why}");
                self.note(at, Route::UNKNOWN, Kind::Cut, &text)
            }
            Carried::Short(why) | Carried::Broken(why) => {
                self.summary.malformed += 1;
                let text = format!("malformed: {why}");
                self.note(at, Route::UNKNOWN, Kind::Malformed, &text)
            }
            Carried::Unread(what) => {
                *self.summary.unread.entry(what).or_default() += 1;
                Ok(())
            }
            Carried::Other => Ok(()),
        }
    }

    /// Prints each packet of a segment.
    fn show_all(&mut self, at: Duration, segment: &Segment<'_>) -> io::Result<()> {
        if segment.udp.is_none() || segment.missing > 0 {
            return self.show(at, segment);
        }
        for bytes in train::split(segment.bytes) {
            if self.is_full() {
                break;
            }
            self.show(at, &Segment { bytes, ..*segment })?;
        }
        Ok(())
    }

    fn show(&mut self, at: Duration, segment: &Segment<'_>) -> io::Result<()> {
        let packet = match Packet::parse(segment.bytes) {
            Ok(packet) => packet,
            Err(malformed) => {
                if self.args.port.is_none() && self.args.assoc.is_none() {
                    let (kind, text) = if segment.missing > 0 {
                        self.summary.cut += 1;
                        let text = "cut by the capture within the SCTP header or right behind it";
                        (Kind::Cut, text.to_owned())
                    } else {
                        self.summary.malformed += 1;
                        (Kind::Malformed, format!("not SCTP: {malformed}"))
                    };
                    self.note(at, segment.route, kind, &text)?;
                    self.hex(segment.bytes)?;
                }
                return Ok(());
            }
        };
        let number = self.tracker.number(segment.route, &packet);
        let header = packet.header;
        let ports = [header.source_port, header.destination_port];
        if self.args.port.is_some_and(|port| !ports.contains(&port))
            || self.args.assoc.is_some_and(|assoc| assoc != number)
        {
            return Ok(());
        }
        let checksum = match (segment.missing, packet.checksum_is_valid()) {
            (0, true) => Checksum::Right,
            (0, false) if packet.checksum() == 0 => Checksum::Zero,
            (0, false) => Checksum::Wrong,
            _ => Checksum::Unknown,
        };
        self.summary.count(segment, &packet, checksum);
        if segment.missing == 0 && !self.decoder.is_empty() {
            self.opened = self.decoder.open(&packet);
        }
        if self.args.quiet {
            return Ok(());
        }
        match self.output {
            Output::Human => self.show_text(at, number, segment, (&packet, checksum)),
            Output::Json => self.show_json(at, number, segment, (&packet, checksum)),
        }
    }

    fn show_text(
        &mut self,
        at: Duration,
        number: usize,
        segment: &Segment<'_>,
        (packet, checksum): (&Packet<'_>, Checksum),
    ) -> io::Result<()> {
        let header = packet.header;
        let verdict = match checksum {
            Checksum::Right => "ok",
            Checksum::Wrong => "BAD",
            Checksum::Zero => "zero",
            Checksum::Unknown => "unknown",
        };
        writeln!(
            self.out,
            "{} #{number} {}{}{} SCTP {} > {} vtag {} crc {verdict}, {} bytes",
            seconds(at),
            route_text(segment.route),
            segment
                .tunnel
                .map_or_else(String::new, |tunnel| format!(" in {tunnel}")),
            udp_text(segment.udp),
            header.source_port,
            header.destination_port,
            header.vtag,
            segment.bytes.len() + segment.missing,
        )?;
        for chunk in CapturedChunk::all(packet, segment.missing) {
            writeln!(self.out, "    {chunk}")?;
        }
        let opened = self.opened.take();
        if let Some(Ok(inner)) = opened.as_deref().map(Packet::parse) {
            writeln!(self.out, "    decrypted:")?;
            for chunk in CapturedChunk::all(&inner, 0) {
                writeln!(self.out, "      {chunk}")?;
            }
        }
        if segment.missing > 0 {
            writeln!(
                self.out,
                "    (the capture lacks the last {} bytes)",
                segment.missing
            )?;
        }
        self.hex(segment.bytes)
    }

    fn show_json(
        &mut self,
        at: Duration,
        number: usize,
        segment: &Segment<'_>,
        (packet, checksum): (&Packet<'_>, Checksum),
    ) -> io::Result<()> {
        let header = packet.header;
        let chunks = CapturedChunk::all(packet, segment.missing).map(CapturedChunk::to_json);
        let chunks: Vec<Value> = chunks.collect();
        let opened = self.opened.take();
        let inner = opened.as_deref().map(Packet::parse);
        let decrypted = inner.and_then(Result::ok).map(|inner| {
            let chunks = CapturedChunk::all(&inner, 0).map(CapturedChunk::to_json);
            chunks.collect::<Vec<Value>>()
        });
        let mut line = json!({
            "time": at.as_secs_f64(),
            "association": number,
            "source": segment.route.source,
            "destination": segment.route.destination,
            "tunnel": segment.tunnel,
            "udp_source_port": segment.udp.map(|ports| ports.0),
            "udp_destination_port": segment.udp.map(|ports| ports.1),
            "source_port": header.source_port,
            "destination_port": header.destination_port,
            "vtag": header.vtag.0,
            "checksum": match checksum {
                Checksum::Right => "ok",
                Checksum::Wrong => "bad",
                Checksum::Zero => "zero",
                Checksum::Unknown => "unknown",
            },
            "length": segment.bytes.len() + segment.missing,
            "missing": segment.missing,
            "chunks": chunks,
        });
        if let Some(decrypted) = decrypted {
            line["decrypted"] = decrypted.into();
        }
        if self.args.verbose {
            let digits = segment.bytes.iter().map(|byte| format!("{byte:02x}"));
            line["hex"] = digits.collect::<String>().into();
        }
        writeln!(self.out, "{line}")
    }

    /// Prints a line about a frame without a packet.
    fn note(&mut self, at: Duration, route: Route, kind: Kind, text: &str) -> io::Result<()> {
        if self.args.quiet || self.args.assoc.is_some() || self.args.port.is_some() {
            return Ok(());
        }
        match self.output {
            Output::Human => {
                writeln!(self.out, "{} {} {text}", seconds(at), route_text(route))
            }
            Output::Json => {
                let line = json!({
                    "time": at.as_secs_f64(),
                    "source": route.source,
                    "destination": route.destination,
                    "kind": kind,
                    "note": text,
                });
                writeln!(self.out, "{line}")
            }
        }
    }

    fn hex(&mut self, bytes: &[u8]) -> io::Result<()> {
        if !self.args.verbose || self.output == Output::Json {
            return Ok(());
        }
        for (row, bytes) in bytes.chunks(16).enumerate() {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x} ")).collect();
            let shown = |byte: &u8| match byte {
                0x20..=0x7e => char::from(*byte),
                _ => '.',
            };
            let text: String = bytes.iter().map(shown).collect();
            writeln!(self.out, "    {:04x}  {hex:48} {text}", row * 16)?;
        }
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        let associations = self.tracker.count();
        match self.output {
            Output::Human => self.summary.write_text(&mut self.out, associations)?,
            Output::Json => writeln!(self.out, "{}", self.summary.to_json(associations))?,
        }
        self.out.flush()
    }
}

fn seconds(at: Duration) -> String {
    format!("{}.{:06}", at.as_secs(), at.subsec_micros())
}

fn route_text(route: Route) -> String {
    match (route.source, route.destination) {
        (Some(source), Some(destination)) => format!("{source} > {destination}"),
        _ => "-".to_owned(),
    }
}

fn udp_text(udp: Option<(u16, u16)>) -> String {
    match udp {
        Some((source, destination)) => format!(" udp {source} > {destination}"),
        None => String::new(),
    }
}
