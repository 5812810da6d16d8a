//! Gain from a second and a fourth core, in wall time, so that other load on the machine affects
//! it.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{self, Command, Stdio};
use std::thread::{self, available_parallelism};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sheave_measure::pair::UserData;
use sheave_measure::{Pair, Row, Spread, Table};

use super::setups::Conditions;
use super::{BenchArgs, Session};
use crate::failure::{Failure, While};
use crate::sys::cpu_time;

/// Message size, bytes.
const MESSAGE: usize = 12 << 10;
/// Message size for comparing streams with associations, as in the paper, bytes.
const SMALL: usize = 1280;
/// Associations over the loopback interface, for any number of threads.
const ASSOCIATIONS: u16 = 4;

/// Throughput of `sheave perf` over the loopback interface.
#[derive(Clone, Copy, Debug)]
struct CoreLoad {
    message: usize,
    associations: u16,
    streams: u16,
    threads: usize,
    processors: Processors,
}

/// Processor assignment of the two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Processors {
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

/// A sample.
struct Sample {
    bits_per_second: f64,
    /// Cores used by other programs meanwhile.
    others: f64,
}

/// Measures one and more threads in turns.
pub fn run(args: &BenchArgs, session: &Session<'_>) -> Result<(), Failure> {
    let cores = available_parallelism().map_or(1, usize::from);
    let counts: Vec<usize> = [1, 2, 4]
        .into_iter()
        .filter(|n| *n <= cores.max(2))
        .collect();
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("unknown");
    let mut table = Table::new(format!(
        "cores: wall time on {cores} cores, messages of 12 KiB; the load was {load} at the \
         beginning; where others keep cores busy, the figures are theirs, too"
    ));
    for place in [Place::Memory, Place::Loopback] {
        let mut samples: Vec<Vec<Sample>> = counts.iter().map(|_| Vec::new()).collect();
        for round in 1..=args.rounds {
            for (count, samples) in counts.iter().zip(&mut samples) {
                session.step(&format!("{}, {count} threads, round {round}", place.name()))?;
                let sample = place.sample(*count, args.time)?;
                let fields = json!({
                    "what": place.name(),
                    "stack": "sheave",
                    "threads": count,
                    "round": round,
                    "bits_per_second": sample.bits_per_second,
                    "cores_busy_with_others": sample.others,
                });
                session.report.sample("cores", fields)?;
                samples.push(sample);
            }
        }
        let rates = |samples: &[Sample]| -> Vec<f64> {
            samples
                .iter()
                .map(|sample| sample.bits_per_second)
                .collect()
        };
        let alone = samples.first().map(|samples| rates(samples));
        for (count, samples) in counts.iter().zip(&samples) {
            let ratio = Spread::of_ratios(&rates(samples), alone.as_deref().unwrap_or_default());
            let others = Spread::of(samples.iter().map(|sample| sample.others));
            let rate = Spread::of(rates(samples));
            let row = Row::new()
                .text("what", "what", place.name())
                .count("threads", "threads", *count)
                .spread("bits_per_second", "Gb/s", rate, (1e-9, 1))
                .ratio("ratio", "to one thread", ratio)
                .median(
                    "cores_busy_with_others",
                    "cores busy with others",
                    others,
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
    for (name, processors) in [
        ("one core each", Processors::OneEach),
        ("all cores", Processors::All),
    ] {
        let (mut one, mut two) = (Vec::new(), Vec::new());
        for round in 1..=args.rounds {
            session.step(&format!("streams and associations, {name}, round {round}"))?;
            let load = |associations, streams, threads| CoreLoad {
                message: SMALL,
                associations,
                streams,
                threads,
                processors,
            };
            let streams = over_loopback(load(1, 2, 1), args.time)?;
            let associations = over_loopback(load(2, 1, 2), args.time)?;
            let fields = json!({
                "stack": "sheave",
                "processors": name,
                "message_bytes": SMALL,
                "round": round,
                "streams_bits_per_second": streams,
                "associations_bits_per_second": associations,
            });
            session.report.sample("streams", fields)?;
            one.push(streams);
            two.push(associations);
        }
        let (ratio, two) = (Spread::of_ratios(&one, &two), Spread::of(two));
        let row = Row::new()
            .text("processors", "the ends run on", name)
            .spread(
                "streams_bits_per_second",
                "streams, Gb/s",
                Spread::of(one),
                (1e-9, 1),
            )
            .median(
                "associations_bits_per_second",
                "associations, Gb/s median",
                two,
                (1e-9, 1),
            )
            .ratio("ratio", "streams to associations", ratio);
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

    fn sample(self, threads: usize, span: Duration) -> Result<Sample, Failure> {
        let (begin, busy) = (Instant::now(), busy_with_others());
        let bits_per_second = match self {
            Self::Memory => in_memory(threads, span),
            Self::Loopback => {
                let load = CoreLoad {
                    message: MESSAGE,
                    associations: ASSOCIATIONS,
                    streams: 1,
                    threads,
                    processors: Processors::All,
                };
                over_loopback(load, span)?
            }
        };
        // All children have been waited for; otherwise they would count as other programs.
        let others = (busy_with_others() - busy) / begin.elapsed().as_secs_f64();
        Ok(Sample {
            bits_per_second,
            others: others.max(0.0),
        })
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
    let ours = cpu_time();
    let ours = ours.user + ours.system + crate::sys::children_cpu_time();
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

fn over_loopback(load: CoreLoad, span: Duration) -> Result<f64, Failure> {
    let program = env::current_exe().while_doing("cannot find this program")?;
    let threads = load.threads.to_string();
    let stay = |processor| match load.processors {
        Processors::All => [].as_slice(),
        Processors::OneEach => processor,
    };
    // SCTP port, over separate UDP ports; a TCP port of that number is opened as well.
    let port = (20_000 + process::id() % 20_000).to_string();
    let mut server = Command::new(&program)
        .args(["perf", "-s", "-1", "-J", "-X", "127.0.0.2"])
        .args(["--udp-port", "0", "--port", &port])
        .args(["--threads", &threads])
        .args(stay(&["--affinity", "1"]))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        // Hides the report that the client left after the result.
        .stderr(Stdio::null())
        .spawn()
        .while_doing("cannot start a process")?;
    let outcome = server.stdout.take().map(|stdout| {
        let mut line = String::new();
        let mut stdout = BufReader::new(stdout);
        stdout.read_line(&mut line)?;
        let listening: Value = serde_json::from_str(&line)?;
        let udp_port = listening.get("udp_port").map(Value::to_string);
        let udp_port = udp_port.unwrap_or_default();
        let seconds = span.as_secs_f64().to_string();
        let client = Command::new(&program)
            .args(["perf", "-c", "127.0.0.2", "-J", "-X", "127.0.0.1"])
            .args(["-p", &port, "--peer-udp-port", &udp_port])
            .args(["-P", &load.associations.to_string(), "--threads", &threads])
            .args(["--nstreams", &load.streams.to_string()])
            .args(["-l", &load.message.to_string(), "-t", &seconds, "-i", "0"])
            .args(stay(&["--affinity", "0"]))
            .stdin(Stdio::null())
            .output()?;
        let report: Value = serde_json::from_slice(&client.stdout)?;
        let rate = report.pointer("/end/sum_received/bits_per_second");
        Ok::<_, std::io::Error>(rate.and_then(Value::as_f64))
    });
    // The server ends after one test; without a test it would wait for ever.
    let measured = matches!(outcome, Some(Ok(Some(_))));
    if !measured {
        let _ = server.kill();
    }
    let _ = server.wait();
    match outcome {
        Some(Ok(Some(rate))) => Ok(rate),
        Some(Err(error)) => Err(error).while_doing("cannot measure over the loopback interface"),
        _ => Err(Failure::new("`sheave perf` measured nothing")),
    }
}
