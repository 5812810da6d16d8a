//! `sheave bench`: cost of Sheave on this machine, compared with the kernel's TCP and the machine's
//! limits.

mod beside;
mod contender;
mod cores;
#[cfg(feature = "webrtc")]
mod datachannel;
mod end;
#[cfg(target_os = "linux")]
mod failover;
mod files;
mod instructions;
mod latency;
mod loopback;
mod many;
mod memory;
#[cfg(target_os = "linux")]
mod network;
#[cfg(target_os = "linux")]
mod run;
#[cfg(feature = "dtls")]
mod secure;
mod setups;
mod simulator;
mod sockets;
mod stage;
mod transfer;
#[cfg(target_os = "linux")]
mod veth;

use std::cell::OnceCell;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use sheave_measure::{Form, Report, Row, Table, ceiling, machine};

pub use self::end::{EndArgs, run as run_end};
pub use self::instructions::{SpinArgs, run_spin};
pub use self::sockets::{SocketsArgs, run as run_sockets};
use crate::failure::{Exit, Failure, While};
use crate::interrupt::Interrupts;
use crate::screen::Output;
use crate::units::{parse_bytes, parse_duration};
use setups::Setups;

/// Measures what Sheave costs here.
#[derive(Args, Clone, Debug)]
#[command(after_help = include_str!("../../help/bench.txt").trim_end())]
pub struct BenchArgs {
    /// Measurements to make [default: all but datachannel, failover, files, instructions, run, secure, simulator and veth]
    #[arg(value_enum)]
    sections: Vec<Section>,

    /// Rounds
    #[arg(long, value_name = "N", default_value_t = 3)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,

    /// Bytes of a message, several with commas [default: a range]
    #[arg(long, value_name = "SIZE", value_delimiter = ',', value_parser = parse_bytes)]
    size: Vec<u64>,

    /// Time that each transfer over the loopback interface takes
    #[arg(long, value_name = "TIME", default_value = "0.5", value_parser = parse_duration)]
    time: Duration,

    /// Associations to hold at the same time
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    associations: u32,

    /// files: the number of files
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    files: u32,

    /// Conditions of the engine
    #[command(flatten)]
    setups: Setups,

    /// latency: messages of that SIZE that fill the line meanwhile, on another stream of the same
    /// association; failover: rivals of mptcp, noq, quinn and tcp, by comma
    #[arg(long, value_name = "SIZE|RIVAL", value_delimiter = ',', value_parser = parse_beside)]
    beside: Vec<Beside>,

    /// Append every sample to FILE, one JSON object a line, as `cargo bench -- --json` does
    #[arg(long, value_name = "FILE")]
    samples: Option<PathBuf>,

    /// Paths that are cut
    #[cfg(target_os = "linux")]
    #[command(flatten)]
    cuts: failover::CutArgs,

    /// loopback: a program that behaves as our own ends do
    #[arg(long, value_name = "NAME=COMMAND", hide = true)]
    contender: Vec<String>,
}

/// Traffic or rivals for the comparison.
#[derive(Clone, Copy, Debug)]
enum Beside {
    /// Messages of this size, bytes.
    Messages(u64),
    #[cfg(target_os = "linux")]
    Rival(failover::Rival),
}

fn parse_beside(text: &str) -> Result<Beside, String> {
    #[cfg(target_os = "linux")]
    if let Ok(rival) = failover::Rival::from_str(text, true) {
        return Ok(Beside::Rival(rival));
    }
    let bytes = parse_bytes(text).map(Beside::Messages);
    bytes.map_err(|error| format!("neither mptcp, noq, quinn, tcp nor a size: {error}"))
}

/// Measurements.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    /// The machine: copies, checksums, packets through the kernel
    Limits,
    /// The engine, both ends in one thread
    Memory,
    /// Two processes over sockets, beside TCP
    Loopback,
    /// The same in two networks with an Ethernet link between them; needs root
    #[cfg(target_os = "linux")]
    Veth,
    /// The round trip of a 64-byte message between two processes
    Latency,
    /// Associations set up, and held
    Many,
    /// A single thread beside two and four
    Cores,
    /// Encryption on every path beside none, DTLS and TLS over TCP: transfers, set-up, memory
    #[cfg(feature = "dtls")]
    Secure,
    /// WebRTC data channels, what DTLS and sockets add to them, and a browser at one end
    #[cfg(feature = "webrtc")]
    Datachannel,
    /// Many small files from one directory to another, beside rsync where it is installed
    Files,
    /// Instructions for each packet, counted by valgrind; takes minutes
    Instructions,
    /// Simulated packets per CPU-second, beside ns-2 where it is installed
    Simulator,
    /// Programs under `sheave run`: echoes, calls a second, iperf3 beside `sheave perf`
    #[cfg(target_os = "linux")]
    Run,
    /// Gaps in delivery when one of two paths is cut, each profile; needs root
    #[cfg(target_os = "linux")]
    Failover,
}

/// The sections that run by default; the others take minutes or need root.
const USUAL: [Section; 6] = [
    Section::Limits,
    Section::Memory,
    Section::Loopback,
    Section::Latency,
    Section::Many,
    Section::Cores,
];

/// Limits of the machine.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// User bytes per CPU-second of an SCTP that only copies and computes checksums.
    packets: f64,
    /// CPU-seconds of both ends per gigabyte through UDP sockets.
    udp: f64,
}

/// Runs the command.
/// Errors: a socket cannot be opened, or a process cannot be started.
pub fn run(args: &BenchArgs, output: Output, interrupts: &Interrupts) -> Result<Exit, Failure> {
    let form = match output {
        Output::Human => Form::Text,
        Output::Json => Form::Json,
    };
    let report = Report::new(form, args.samples.as_deref());
    let report = report.while_doing("cannot write the samples")?;
    let machine = machine();
    report.note("machine", &machine);
    report.sample("machine", json!({ "machine": machine }))?;
    let session = Session {
        report,
        rounds: args.rounds,
        limits: OnceCell::new(),
        interrupts,
    };
    type Measure = fn(&BenchArgs, &Session<'_>) -> Result<(), Failure>;
    let sections: &[(Section, Measure)] = &[
        #[cfg(target_os = "linux")]
        (Section::Failover, failover::run),
        #[cfg(target_os = "linux")]
        (Section::Run, run::run),
        (Section::Limits, limits),
        (Section::Memory, memory::run),
        (Section::Instructions, instructions::run),
        (Section::Simulator, simulator::run),
        (Section::Loopback, loopback::run),
        #[cfg(target_os = "linux")]
        (Section::Veth, veth::run),
        (Section::Latency, latency::run),
        (Section::Many, many::run),
        (Section::Cores, cores::run),
        #[cfg(feature = "dtls")]
        (Section::Secure, secure::run),
        #[cfg(feature = "webrtc")]
        (Section::Datachannel, datachannel::run),
        (Section::Files, files::run),
    ];
    for (section, measure) in sections {
        let is_wanted = match args.sections.is_empty() {
            true => USUAL.contains(section),
            false => args.sections.contains(section),
        };
        if is_wanted {
            measure(args, &session)?;
        }
    }
    Ok(Exit::Success)
}

/// State shared by all measurements.
struct Session<'a> {
    report: Report,
    rounds: u32,
    limits: OnceCell<Limits>,
    interrupts: &'a Interrupts,
}

impl Session<'_> {
    /// Starts another step and shows it; fails after Ctrl-C.
    fn step(&self, what: &str) -> Result<(), Failure> {
        self.report.progress(what);
        match self.interrupts.exit() {
            Some(_) => Err(Failure::new(format!("before: {what}"))),
            None => Ok(()),
        }
    }

    /// Takes a sample of each case in each round, in turns, like [`Report::in_turns`].
    fn in_turns<C, const N: usize>(
        &self,
        table: &str,
        cases: &mut [C],
        keys: [&str; N],
        describe: impl Fn(&C) -> (String, Value),
        mut sample: impl FnMut(&mut C) -> Result<[f64; N], Failure>,
    ) -> Result<Vec<[Vec<f64>; N]>, Failure> {
        let turns = (table, self.rounds);
        self.report.in_turns(turns, cases, keys, describe, |case| {
            match self.interrupts.exit() {
                Some(_) => Err(Failure::new("interrupted")),
                None => sample(case),
            }
        })
    }

    /// Notes that something is not measured here.
    fn skip(&self, why: &str) {
        self.report.note("skipped", why);
    }

    /// The machine's limits, measured once.
    fn limits(&self) -> Result<Limits, Failure> {
        if let Some(limits) = self.limits.get() {
            return Ok(*limits);
        }
        let udp = ceiling::udp().while_doing("cannot measure UDP sockets")?;
        let packets = ceiling::packets();
        Ok(*self.limits.get_or_init(|| Limits { packets, udp }))
    }
}

fn limits(_: &BenchArgs, session: &Session<'_>) -> Result<(), Failure> {
    let limits = session.limits()?;
    let mut table =
        Table::new("limits: what this machine does at most on one core, packets of 1472 bytes");
    for (what, rate) in [
        ("memory copied", ceiling::copying()),
        ("CRC32c taken", ceiling::checksums()),
        ("SCTP that only copies and takes checksums", limits.packets),
        ("UDP over loopback, with GSO and GRO", 1e9 / limits.udp),
    ] {
        let row = Row::new().text("what", "what", what);
        let row = row.figure("bytes_per_second", "GB/s", rate, (1e-9, 1));
        session.report.sample("limits", row.fields())?;
        table.push(row.cell("CPU-s/GB", format!("{:.3}", 1e9 / rate)));
    }
    session.report.print(&table);
    Ok(())
}
