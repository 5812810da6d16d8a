//! Data channels: SCTP and channels only, inside DTLS, over sockets, and with a browser.

mod bare;
mod browser;
mod whole;

use std::fmt;
use std::time::{Duration, Instant};

use serde_json::json;
use sheave::dtls::DtlsVersion;
use sheave_datachannel::{ChannelEvent, ChannelId, Message, SendError};
use sheave_measure::{Row, Spread, Table, cpu_time};

use self::bare::Bare;
use self::whole::Whole;
use super::{BenchArgs, Session};
use crate::failure::{Failure, While};

/// Approximate CPU time per sample, seconds.
const SAMPLE: f64 = 0.1;

/// User bytes per CPU-second of both ends.
const RATE: &str = "bytes_per_cpu_second";

/// Default message sizes.
const SIZES: [u64; 2] = [64, 16 << 10];

/// Maximum IP packet size, bytes: on the Internet, and over the loopback interface.
const PMTUS: [u16; 2] = [1280, 9000];

/// Layers to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layers {
    /// SCTP and channels, packets passed in memory.
    Bare,
    /// SCTP and channels inside DTLS, with ICE.
    Dtls(DtlsVersion),
    /// Every layer over UDP sockets on loopback.
    Sockets,
}

impl fmt::Display for Layers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bare => "SCTP and channels",
            Self::Dtls(DtlsVersion::V1_2) => "and DTLS 1.2",
            Self::Dtls(_) => "and DTLS 1.3",
            Self::Sockets => "and sockets (DTLS 1.3)",
        })
    }
}

/// Wall time without progress that counts as failure.
const PATIENCE: Duration = Duration::from_secs(60);

/// State of the channel between two ends.
#[derive(Default)]
struct Progress {
    channel: Option<ChannelId>,
    /// Messages that arrived.
    received: u64,
}

impl Progress {
    fn note(&mut self, event: &ChannelEvent) {
        match event {
            ChannelEvent::Opened { channel } => self.channel = Some(*channel),
            ChannelEvent::Message { .. } => self.received += 1,
            _ => {}
        }
    }
}

/// Two ends in one thread.
trait Ends {
    /// Messages sent at most before packets are handled.
    const BURST: u64;

    fn progress(&self) -> &Progress;

    /// Sends a message from one end to the other.
    fn send(&mut self, channel: ChannelId, message: Message) -> Result<(), SendError>;

    /// Carries packets in both directions.
    fn turn(&mut self) -> Result<(), Failure>;
}

/// Takes turns until `done`; fails if there is no progress.
fn take_turns<E: Ends>(
    ends: &mut E,
    mut done: impl FnMut(&mut E) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let (mut seen, mut end) = (ends.progress().received, Instant::now() + PATIENCE);
    while !done(ends)? {
        ends.turn()?;
        if ends.progress().received > seen {
            (seen, end) = (ends.progress().received, Instant::now() + PATIENCE);
        } else if Instant::now() > end {
            return Err(Failure::new("it came to a standstill"));
        }
    }
    Ok(())
}

/// Waits until the channel is open.
fn open<E: Ends>(mut ends: E) -> Result<E, Failure> {
    take_turns(&mut ends, |ends| Ok(ends.progress().channel.is_some()))?;
    Ok(ends)
}

/// Transfers `count` messages of `size` bytes from one end to the other.
fn transfer<E: Ends>(ends: &mut E, size: usize, count: u64) -> Result<(), Failure> {
    let (goal, mut unsent) = (ends.progress().received + count, count);
    take_turns(ends, |ends| {
        let channel = ends.progress().channel;
        for _ in 0..E::BURST.min(unsent) {
            let Some(channel) = channel else { break };
            // Written anew, as an application would.
            let [byte, ..] = unsent.to_le_bytes();
            match ends.send(channel, Message::binary(vec![byte; size])) {
                Ok(()) => unsent -= 1,
                Err(SendError::BufferFull(_)) => break,
                Err(error) => return Err(Failure::new(format!("{error:?}"))),
            }
        }
        Ok(ends.progress().received >= goal)
    })
}

/// Transfers so many messages.
type Transfer = Box<dyn FnMut(u64) -> Result<(), Failure>>;

/// Transfers messages of `size` bytes between these ends.
fn between<E: Ends + 'static>(mut ends: E, size: usize) -> Transfer {
    Box::new(move |count| transfer(&mut ends, size, count))
}

/// A table row.
struct Case {
    size: usize,
    pmtu: u16,
    layers: Layers,
    transfer: Transfer,
    count: u64,
}

/// Measures every size with every set of layers.
pub fn run(args: &BenchArgs, session: &Session<'_>) -> Result<(), Failure> {
    let mut cases = Vec::new();
    let layers = [
        Layers::Bare,
        Layers::Dtls(DtlsVersion::V1_2),
        Layers::Dtls(DtlsVersion::V1_3),
        Layers::Sockets,
    ];
    for size in sizes(args)? {
        for pmtu in PMTUS {
            for layers in layers {
                session.step(&format!("{size} bytes, packets of {pmtu}, {layers}"))?;
                cases.push(Case::new(size, pmtu, layers)?);
            }
        }
    }
    let describe = |case: &Case| {
        let Case { size, pmtu, .. } = *case;
        let layers = case.layers.to_string();
        let name = format!("{size} bytes, {layers}");
        (
            name,
            json!({ "message_bytes": size, "pmtu": pmtu, "layers": layers }),
        )
    };
    let samples = session.in_turns("datachannel", &mut cases, [RATE], describe, |case| {
        let bytes = case.count as f64 * case.size as f64;
        Ok([bytes / case.measure()?])
    })?;
    print(session, &cases, &samples);
    drop(cases);
    browser::run(args, session)
}

fn sizes(args: &BenchArgs) -> Result<Vec<usize>, Failure> {
    let asked = match args.size.as_slice() {
        [] => &SIZES[..],
        some => some,
    };
    let largest = bare::LARGEST as u64;
    if let Some(size) = asked.iter().find(|size| **size > largest || **size == 0) {
        let fix = format!("messages of data channels are 1 to {largest} bytes long here");
        return Err(Failure::usage(format!("--size {size}: not for datachannel")).fix(fix));
    }
    Ok(asked
        .iter()
        .filter_map(|size| usize::try_from(*size).ok())
        .collect())
}

impl Case {
    fn new(size: usize, pmtu: u16, layers: Layers) -> Result<Self, Failure> {
        let transfer = match layers {
            Layers::Bare => between(Bare::new(pmtu)?, size),
            Layers::Dtls(version) => between(Whole::in_memory(size, pmtu, version)?, size),
            Layers::Sockets => between(Whole::over_sockets(size, pmtu)?, size),
        };
        let mut case = Self {
            size,
            pmtu,
            layers,
            transfer,
            count: 64,
        };
        while case.measure()? < SAMPLE * 0.7 {
            case.count *= 2;
        }
        Ok(case)
    }

    /// Takes one sample; returns its CPU time, seconds.
    fn measure(&mut self) -> Result<f64, Failure> {
        let before = cpu_time();
        let moved = (self.transfer)(self.count);
        moved.while_doing(format!("{} bytes, {}", self.size, self.layers))?;
        Ok((cpu_time() - before).as_secs_f64().max(1e-9))
    }
}

fn print(session: &Session<'_>, cases: &[Case], samples: &[[Vec<f64>; 1]]) {
    let mut table = Table::new(
        "datachannel: user data per CPU-second, both ends in one thread, one ordered channel; the \
         share of a layer is what the row takes longer than the first of its kind",
    );
    let mut first = f64::NAN;
    for (case, [rates]) in cases.iter().zip(samples) {
        let rate = Spread::of(rates);
        if case.layers == Layers::Bare {
            first = rate.median;
        }
        let micros = case.size as f64 * 1e6 / rate.median;
        let share = 1.0 - rate.median / first;
        let row = Row::new()
            .count("message_bytes", "messages", case.size)
            .field("pmtu", case.pmtu)
            .cell("packets", format!("to {} B", case.pmtu))
            .text("layers", "what", case.layers)
            .spread(RATE, "Gb/s", rate, (8e-9, 2))
            .figure("us_per_message", "us/message", micros, (1.0, 2))
            .share("share_of_layers", "share of layers", share);
        table.push(row);
    }
    session.report.print(&table);
}
