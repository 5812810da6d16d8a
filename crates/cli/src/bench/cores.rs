//! Gain from a second and a fourth core, in wall time, so that other load on the machine affects
//! it.

use std::env;
use std::fs;
use std::process::{self, Command, Stdio};
use std::thread::{self, available_parallelism};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sheave_measure::pair::UserData;
use sheave_measure::{Pair, Program, Row, Spread, Table, process_cpu_time};

use super::setups::Conditions;
use super::{BenchArgs, Session};
use crate::failure::{Failure, While};
use crate::sys::children_cpu_time;

/// Message size, bytes.
const MESSAGE: usize = 12 << 10;
/// Message size for comparing streams with associations, as in the paper, bytes.
const SMALL: usize = 1280;
/// Maximum time of a server to start and to end.
const PATIENCE: Duration = Duration::from_secs(60);
/// Associations over the loopback interface, for any number of threads.
const ASSOCIATIONS: u16 = 4;

/// Throughput of `sheave perf` over the loopback interface.
#[derive(Clone, Copy, Debug)]
pub(super) struct CoreLoad {
    pub(super) message: usize,
    pub(super) associations: u16,
    pub(super) streams: u16,
    pub(super) threads: usize,
    pub(super) processors: Processors,
}

impl CoreLoad {
    /// A stream of an association, by a thread at each end.
    pub(super) const PLAIN: Self = Self {
        message: MESSAGE,
        associations: 1,
        streams: 1,
        threads: 1,
        processors: Processors::All,
    };
}

/// Processor assignment of the two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Processors {
    /// Chosen by the system.
    All,
    /// A processor per end.
    OneEach,
}

/// Distribution of the work over processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Pairs of ends in memory, one in each thread
    Memory,
    /// `sheave perf` with so many threads at each end
    Loopback,
}

/// Measures one and more threads in turns.
pub fn run(args: &BenchArgs, session: &Session<'_>) -> Result<(), Failure> {
    let cores = available_parallelism().map_or(1, usize::from);
    let mut counts: Vec<usize> = [1, 2, 4]
        .into_iter()
        .filter(|n| *n <= cores.max(2))
        .collect();
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("unknown");
    let mut table = Table::new(format!(
        "cores: wall time on {cores} cores, messages of 12 KiB; the load was {load} at the \
         beginning; where others keep cores busy, the figures are theirs, too"
    ));
    let keys = ["bits_per_second", "cores_busy_with_others"];
    for place in [Place::Memory, Place::Loopback] {
        let describe = |threads: &usize| {
            let name = place.name();
            let fields = json!({ "what": name, "stack": "sheave", "threads": threads });
            (format!("{name}, {threads} threads"), fields)
        };
        let sample = |threads: &mut usize| place.sample(*threads, args.time);
        let samples = session.in_turns("cores", &mut counts, keys, describe, sample)?;
        for (threads, [rates, others]) in counts.iter().zip(&samples) {
            let ratio = Spread::of_ratios(rates, &samples[0][0]);
            let row = Row::new()
                .text("what", "what", place.name())
                .count("threads", "threads", *threads)
                .spread(keys[0], "Gb/s", Spread::of(rates), (1e-9, 1))
                .ratio("ratio", "to one thread", ratio)
                .median(
                    keys[1],
                    "cores busy with others",
                    Spread::of(others),
                    (1.0, 1),
                );
            table.push(row);
        }
    }
    session.report.print(&table);
    streams(args, session)
}

/// Compares two streams of one association with two associations (DC-3b), in turns.
fn streams(args: &BenchArgs, session: &Session<'_>) -> Result<(), Failure> {
    let mut table = Table::new(
        "streams: one association of two streams beside two associations with an endpoint each, \
         loopback, messages of 1280 bytes",
    );
    let mut cases = [
        ("one core each", Processors::OneEach),
        ("all cores", Processors::All),
    ];
    let keys = ["streams_bits_per_second", "associations_bits_per_second"];
    let describe = |(name, _): &(&str, _)| {
        let fields = json!({ "stack": "sheave", "processors": name, "message_bytes": SMALL });
        (format!("streams and associations, {name}"), fields)
    };
    let samples = session.in_turns("streams", &mut cases, keys, describe, |(_, processors)| {
        let load = |associations, streams, threads| CoreLoad {
            message: SMALL,
            associations,
            streams,
            threads,
            processors: *processors,
        };
        Ok([
            over_loopback(load(1, 2, 1), args.time)?,
            over_loopback(load(2, 1, 2), args.time)?,
        ])
    })?;
    for ((name, _), [one, two]) in cases.iter().zip(&samples) {
        let row = Row::new()
            .text("processors", "the ends run on", name)
            .spread(keys[0], "streams, Gb/s", Spread::of(one), (1e-9, 1))
            .median(
                keys[1],
                "associations, Gb/s median",
                Spread::of(two),
                (1e-9, 1),
            )
            .ratio(
                "ratio",
                "streams to associations",
                Spread::of_ratios(one, two),
            );
        table.push(row);
    }
    session.report.print(&table);
    Ok(())
}

impl Place {
    fn name(self) -> &'static str {
        match self {
            Self::Memory => "in memory",
            Self::Loopback => "loopback, threads at each end",
        }
    }

    /// Bits per second, and the cores that other programs use meanwhile.
    fn sample(self, threads: usize, span: Duration) -> Result<[f64; 2], Failure> {
        let (begin, busy) = (Instant::now(), busy_with_others());
        let bits_per_second = match self {
            Self::Memory => in_memory(threads, span),
            Self::Loopback => {
                let load = CoreLoad {
                    associations: ASSOCIATIONS,
                    threads,
                    ..CoreLoad::PLAIN
                };
                over_loopback(load, span)?
            }
        };
        // All children have been waited for; otherwise they would count as other programs.
        let others = (busy_with_others() - busy) / begin.elapsed().as_secs_f64();
        Ok([bits_per_second, others.max(0.0)])
    }
}

/// CPU time of other programs, seconds.
fn busy_with_others() -> f64 {
    let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
    let ticks: Vec<f64> = stat
        .lines()
        .next()
        .into_iter()
        .flat_map(str::split_whitespace)
        .filter_map(|word| word.parse().ok())
        .collect();
    // user, nice, system, irq, softirq, steal (not idle or iowait).
    let busy: f64 = [0, 1, 2, 5, 6, 7]
        .iter()
        .filter_map(|index| ticks.get(*index))
        .sum();
    let ours = process_cpu_time() + children_cpu_time();
    // User space always sees ticks of 10 ms.
    busy / 100.0 - ours.as_secs_f64()
}

fn in_memory(threads: usize, span: Duration) -> f64 {
    let workers: Vec<_> = (0..threads)
        .map(|_| {
            thread::spawn(move || {
                let mut pair = Conditions::PLAIN.pair(MESSAGE);
                let mut data = UserData::fresh(MESSAGE);
                pair.transfer(&mut data, 1000);
                let begin = Instant::now();
                let mut messages = 0;
                while begin.elapsed() < span {
                    pair.transfer(&mut data, 1000);
                    messages += 1000;
                }
                f64::from(messages) * MESSAGE as f64 * 8.0 / begin.elapsed().as_secs_f64()
            })
        })
        .collect();
    let rates = workers.into_iter().filter_map(|worker| worker.join().ok());
    rates.sum()
}

/// Bits per second of `sheave perf` over the loopback interface.
pub(super) fn over_loopback(load: CoreLoad, span: Duration) -> Result<f64, Failure> {
    let program = env::current_exe().while_doing("cannot find this program")?;
    let threads = load.threads.to_string();
    let stay = |processor| match load.processors {
        Processors::All => [].as_slice(),
        Processors::OneEach => processor,
    };
    // SCTP port, over separate UDP ports; a TCP port of that number is opened as well.
    let port = (20_000 + process::id() % 20_000).to_string();
    let mut server = Command::new(&program);
    server
        .args(["perf", "-s", "-1", "-J", "-X", "127.0.0.2"])
        .args(["--udp-port", "0", "--port", &port])
        .args(["--threads", &threads])
        .args(stay(&["--affinity", "1"]))
        // Hides the report that the client left after the result.
        .stderr(Stdio::null());
    let mut client = Command::new(&program);
    let measured = Program::start(&mut server, Stdio::null()).and_then(|server| {
        let listening: Value = server.hear(PATIENCE)?;
        let client = client
            .args(["perf", "-c", "127.0.0.2", "-J", "-X", "127.0.0.1"])
            .args([
                "-p",
                &port,
                "--peer-udp-port",
                &listening["udp_port"].to_string(),
            ])
            .args(["-P", &load.associations.to_string(), "--threads", &threads])
            .args(["--nstreams", &load.streams.to_string()])
            .args(["-l", &load.message.to_string(), "-i", "0"])
            .args(["-t", &span.as_secs_f64().to_string()])
            .args(stay(&["--affinity", "0"]));
        // The server is ended if the client fails; it would wait for ever.
        let report: Value = Program::start(client, Stdio::null())?.finish(Duration::MAX)?;
        let _ = server.finish::<Value>(PATIENCE);
        Ok(report)
    });
    let report = measured.while_doing("cannot measure over the loopback interface")?;
    let rate = report.pointer("/end/sum_received/bits_per_second");
    let rate = rate.and_then(Value::as_f64);
    rate.ok_or_else(|| Failure::new("`sheave perf` measured nothing"))
}
