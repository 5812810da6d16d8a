//! `sheave perf`: measures throughput with iperf3's flags, tables and JSON keys.

mod abandoned;
mod background;
mod client;
mod control;
mod flags;
mod flow;
mod idle;
mod keys;
mod presentation;
mod report;
mod row;
mod server;
mod table;
mod tcp;

use std::fs::File;
use std::num::NonZero;
use std::time::Duration;

use clap::Args;
use sheave::Options;

use crate::failure::{Exit, Failure, While};
use crate::interrupt::Interrupts;
use crate::network::{HostPort, NetworkArgs, PeerArgs};
use crate::screen::{Lines, Output, Screen};
use crate::units::{parse_bytes, parse_duration, parse_rate};
use background::PidFile;
use control::{Direction, Limit, MAX_ASSOCIATIONS, MAX_LENGTH, Plan, ServerOutput};
use flags::Flags;

/// The default SCTP port, as in iperf3.
pub const PERF_PORT: u16 = 5201;

/// Measures throughput.
#[derive(Args, Clone, Debug)]
#[command(after_help = include_str!("../../help/perf.txt").trim_end())]
pub struct PerfArgs {
    /// Run as a server
    #[arg(
        short,
        long,
        required_unless_present = "client",
        conflicts_with = "client"
    )]
    server: bool,

    /// Run as a client of this server
    #[arg(short, long, value_name = "HOST[:PORT]")]
    client: Option<HostPort>,

    /// SCTP port (and TCP port, for --vs-tcp)
    #[arg(short, long, value_name = "PORT", default_value_t = PERF_PORT)]
    port: u16,

    /// Time to measure; 0 until Ctrl-C
    #[arg(short, long, value_name = "TIME", default_value = "10", value_parser = parse_duration)]
    time: Duration,

    /// Bytes to send in each direction instead of a time, over every association
    #[arg(short = 'n', long, value_name = "SIZE", value_parser = parse_bytes, conflicts_with = "time")]
    bytes: Option<u64>,

    /// Message size, bytes
    #[arg(short, long, value_name = "SIZE", default_value = "64K", value_parser = parse_bytes)]
    length: u64,

    /// Number of parallel associations
    #[arg(short = 'P', long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=i64::from(MAX_ASSOCIATIONS)))]
    parallel: u16,

    /// Protocol threads of this end, each with associations of its own; UDP only
    #[arg(long, value_name = "N", default_value_t = NonZero::<usize>::MIN)]
    threads: NonZero<usize>,

    /// Processors of this end to run on, comma-separated [default: all]
    #[arg(short = 'A', long, value_name = "N", value_delimiter = ',')]
    affinity: Vec<usize>,

    /// Streams per association
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=65534))]
    nstreams: u16,

    /// Send from the server to the client
    #[arg(short = 'R', long, conflicts_with = "bidir")]
    reverse: bool,

    /// Send in both directions at the same time
    #[arg(long)]
    bidir: bool,

    /// Interval of the table's lines; 0 for none
    #[arg(short, long, value_name = "TIME", default_value = "1", value_parser = parse_duration)]
    interval: Duration,

    /// Uncounted time at the start
    #[arg(short = 'O', long, value_name = "TIME", default_value = "0", value_parser = parse_duration)]
    omit: Duration,

    /// Bit rate limit per association; 0 is no limit. N messages may be sent at once
    #[arg(short, long, value_name = "RATE[/N]", value_parser = Rate::parse)]
    bitrate: Option<Rate>,

    /// Lifetime of messages; expired ones are not retransmitted (RFC 3758)
    #[arg(long, value_name = "TIME", value_parser = parse_duration, requires = "client")]
    lifetime: Option<Duration>,

    /// Most retransmissions of a chunk; its message is then abandoned (RFC 7496)
    #[arg(
        long,
        value_name = "N",
        requires = "client",
        conflicts_with = "lifetime"
    )]
    max_retransmissions: Option<u8>,

    /// Measure the kernel's TCP too, in turns, and print the ratio
    #[arg(long, requires = "client", conflicts_with_all = ["bytes", "bidir"])]
    vs_tcp: bool,

    /// End after one test (server)
    #[arg(short = '1', long)]
    one_off: bool,

    #[command(flatten)]
    flags: Flags,

    #[command(flatten)]
    network: NetworkArgs,

    #[command(flatten)]
    peer: PeerArgs,
}

/// Runs the command.
/// Errors: the port cannot be used, the server does not answer, or the test failed.
pub fn run(args: &PerfArgs, output: Output, interrupts: &Interrupts) -> Result<Exit, Failure> {
    if args.flags.daemon {
        if !background::is_background() {
            return background::start();
        }
        background::leave_session();
    }
    args.flags.check()?;
    stay_on(&args.affinity)?;
    let args = &args.prepared()?;
    let output = match args.flags.json_stream {
        true => Output::Json,
        false => output,
    };
    let screen = Screen::new(output).with_lines(args.lines()?);
    let pidfile = args.flags.pidfile.clone().map(PidFile::write).transpose()?;
    let outcome = match &args.client {
        None => server::run(args, &screen, interrupts),
        Some(host) => client::run(args, host, &screen, interrupts),
    };
    drop(pidfile);
    outcome
}

/// A bit rate and the number of messages that may be sent at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rate {
    bits_per_second: u64,
    burst: u32,
}

impl Rate {
    /// Parses `10M`, or `10M/5` for bursts of five messages.
    fn parse(text: &str) -> Result<Self, String> {
        let (rate, burst) = text.split_once('/').unwrap_or((text, "1"));
        let burst = burst
            .parse()
            .ok()
            .filter(|burst| (1..=1000).contains(burst));
        Ok(Self {
            bits_per_second: parse_rate(rate)?,
            burst: burst.ok_or("after the slash stands a number of messages, 1 to 1000")?,
        })
    }
}

impl PerfArgs {
    /// Applies iperf3's network flags.
    fn prepared(&self) -> Result<Self, Failure> {
        let mut args = self.clone();
        args.peer = args.peer.in_millis();
        for ip in args.flags.bound()? {
            if !args.network.local.contains(&ip) {
                args.network.local.push(ip);
            }
        }
        if let Some(family) = args.flags.family() {
            args.network = args.network.of_family(family)?;
        }
        Ok(args)
    }

    /// The destination and prefix of lines.
    fn lines(&self) -> Result<Lines, Failure> {
        let open = |path: &std::path::PathBuf| {
            let file = File::options().append(true).create(true).open(path);
            file.while_doing(format!("--logfile {}", path.display()))
        };
        Ok(Lines {
            file: self.flags.logfile.as_ref().map(open).transpose()?,
            timestamps: self.flags.timestamps.clone(),
            title: self.flags.title.clone(),
        })
    }

    /// The protocol parameters of this end.
    fn options(&self) -> Result<Options, Failure> {
        let mut options = self.network.options();
        self.flags.apply(&mut options)?;
        Ok(options)
    }

    fn plan(&self) -> Result<Plan, Failure> {
        if !(1..=MAX_LENGTH).contains(&self.length) {
            return Err(Failure::usage("--length: must be 1 byte to 16M"));
        }
        let millis = |span: Duration| u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
        let blocks = self.flags.blockcount;
        let bytes = self
            .bytes
            .or(blocks.map(|blocks| blocks.saturating_mul(self.length)));
        if bytes == Some(0) {
            return Err(Failure::usage("--bytes, --blockcount: must be above zero"));
        }
        // A shorter time would round to 0, which means no end.
        let time = match millis(self.time) {
            0 if !self.time.is_zero() => 1,
            millis => millis,
        };
        if bytes.is_none() && time == 0 && self.vs_tcp {
            return Err(Failure::usage("--time: must be above zero with --vs-tcp"));
        }
        let mut plan = Plan::new(cookie());
        plan.associations = self.parallel;
        plan.streams = self.nstreams;
        plan.length = self.length;
        plan.limit = match bytes {
            Some(bytes) => Limit::Bytes(bytes),
            None => Limit::Millis(time),
        };
        if self.flags.get_server_output {
            plan.server_output = ServerOutput::Wanted;
        }
        plan.omit = millis(self.omit);
        plan.direction = match (self.reverse, self.bidir) {
            (_, true) => Direction::Both,
            (true, false) => Direction::Reverse,
            (false, false) => Direction::Forward,
        };
        if let Some(rate) = self.bitrate.filter(|rate| rate.bits_per_second > 0) {
            plan.bitrate = Some(rate.bits_per_second);
            plan.burst = rate.burst;
        }
        plan.lifetime = self.lifetime.map(millis);
        plan.max_retransmissions = self.max_retransmissions;
        plan.validate()
            .map_err(|rule| Failure::usage(format!("out of range: {rule}")))?;
        Ok(plan)
    }
}

/// Restricts this process to some processors.
#[cfg(target_os = "linux")]
fn stay_on(processors: &[usize]) -> Result<(), Failure> {
    use rustix::thread::{CpuSet, sched_setaffinity};

    if processors.is_empty() {
        return Ok(());
    }
    let mut set = CpuSet::new();
    for &processor in processors {
        if processor >= CpuSet::MAX_CPU {
            return Err(Failure::usage(format!(
                "--affinity: {processor} is beyond {}",
                CpuSet::MAX_CPU - 1
            )));
        }
        set.set(processor);
    }
    sched_setaffinity(None, &set).map_err(|error| {
        Failure::new(format!(
            "--affinity: cannot run on these processors: {error}"
        ))
        .fix("`nproc` prints their number; the first is 0")
    })
}

#[cfg(not(target_os = "linux"))]
fn stay_on(processors: &[usize]) -> Result<(), Failure> {
    if processors.is_empty() {
        return Ok(());
    }
    Err(Failure::usage("--affinity: only Linux can do that"))
}

/// A unique name for a test.
fn cookie() -> String {
    use std::collections::hash_map::RandomState;
    use std::hash::{BuildHasher, Hasher};

    let random = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", random(), random())
}
