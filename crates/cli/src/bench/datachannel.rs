//! Data channels: SCTP and channels only, inside DTLS, over sockets, and with a browser.

mod bare;
mod browser;
mod whole;

use std::fmt;

use serde_json::json;
use sheave::dtls::DtlsVersion;
use sheave_datachannel::Message;
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

/// Two ends in one thread.
trait Ends {
    /// Transfers `count` messages from one end to the other.
    fn transfer(&mut self, count: u64) -> Result<(), Failure>;
}

/// Writes a new message, as an application would.
fn fresh(size: usize, number: u64) -> Message {
    let [byte, ..] = number.to_le_bytes();
    Message::binary(vec![byte; size])
}

/// A table row.
struct Case {
    size: usize,
    pmtu: u16,
    layers: Layers,
    ends: Box<dyn Ends>,
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
        let ends: Box<dyn Ends> = match layers {
            Layers::Bare => Box::new(Bare::new(size, pmtu)?),
            Layers::Dtls(version) => Box::new(Whole::in_memory(size, pmtu, version)?),
            Layers::Sockets => Box::new(Whole::over_sockets(size, pmtu)?),
        };
        let mut case = Self {
            size,
            pmtu,
            layers,
            ends,
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
        let moved = self.ends.transfer(self.count);
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
