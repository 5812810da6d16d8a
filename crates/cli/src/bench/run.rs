//! Cost of system calls under `sheave run`, with our own programs and with iperf3.

use std::net::UdpSocket;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sheave_measure::{Goal, Program, Row, Spread, Table};

use super::cores::{CoreLoad, over_loopback};
use super::{BenchArgs, Session};
use crate::failure::{Failure, While};

/// Echoes, calls, and one-way messages per round.
const ECHOES: &str = "3000";
const CALLS: &str = "30000";
const MESSAGES: &str = "100000";
/// SCTP port of the echo server.
const ECHO_PORT: &str = "7";
/// Values of `--door`.
const LISTENER: &str = "listener";
const PRELOAD: &str = "preload";
/// Time limit of a program.
const PATIENCE: Duration = Duration::from_secs(60);
/// Wait before a client's first attempt and between attempts, while its server may still be
/// starting.
const START: Duration = Duration::from_millis(700);

/// A row of the table: what is measured, its unit, and the goal of the median.
type Figure = (&'static str, &'static str, Option<Goal>);

/// Work of the programs in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    /// Echoes between two programs, under so many hosts
    Echoes(&'static str, usize),
    Calls(&'static str),
    Messages(&'static str),
    /// A transfer by iperf3, and by `sheave perf`
    Iperf3,
}

/// Tasks and their figures, in table order.
const TASKS: [(Task, &[Figure]); 8] = [
    (
        Task::Echoes(LISTENER, 1),
        &[
            (
                "echo of 64 B, both ends under one host, p50",
                "us",
                Some(Goal::AtMost(100.0)),
            ),
            ("echo of 64 B, both ends under one host, p99", "us", None),
        ],
    ),
    (
        Task::Echoes(LISTENER, 2),
        &[
            (
                "echo of 64 B, a host each, p50",
                "us",
                Some(Goal::AtMost(100.0)),
            ),
            ("echo of 64 B, a host each, p99", "us", None),
        ],
    ),
    (
        Task::Echoes(PRELOAD, 1),
        &[
            (
                "echo of 64 B, one host, a library preloaded, p50",
                "us",
                None,
            ),
            (
                "echo of 64 B, one host, a library preloaded, p99",
                "us",
                None,
            ),
        ],
    ),
    (
        Task::Calls(LISTENER),
        &[(
            "trapped calls (getsockname) of one thread",
            "1/s",
            Some(Goal::AtLeast(70_000.0)),
        )],
    ),
    (
        Task::Calls(PRELOAD),
        &[(
            "the same calls, a library preloaded",
            "1/s",
            Some(Goal::AtLeast(210_000.0)),
        )],
    ),
    (
        Task::Messages(LISTENER),
        &[(
            "messages of 64 B one way, both ends under one host",
            "1/s",
            None,
        )],
    ),
    (
        Task::Messages(PRELOAD),
        &[("the same messages, a library preloaded", "1/s", None)],
    ),
    (
        Task::Iperf3,
        &[
            ("iperf3, 64 KiB, a host each", "Gb/s", None),
            ("sheave perf, 64 KiB, the same path", "Gb/s", None),
            ("iperf3 to sheave perf", "", Some(Goal::AtLeast(0.6))),
        ],
    ),
];

/// Measures all figures, in turns.
pub(super) fn run(args: &BenchArgs, session: &Session<'_>) -> Result<(), Failure> {
    let mut tasks = TASKS
        .map(|(task, figures)| (task, figures, Vec::new()))
        .to_vec();
    if Command::new("iperf3").arg("-v").output().is_err() {
        session.skip("iperf3: there is none here (Debian: iperf3)");
        tasks.retain(|(task, ..)| *task != Task::Iperf3);
    }
    if cfg!(target_env = "musl") {
        session.skip("the preloaded library: this tool is linked statically");
        tasks.retain(|(task, ..)| task.door() != PRELOAD);
    }
    for round in 1..=args.rounds {
        for (task, figures, samples) in &mut tasks {
            session.step(&format!("programs under `sheave run`, round {round}"))?;
            let sample = task.sample(args.time)?;
            for ((what, unit, _), figure) in figures.iter().zip(&sample) {
                let fields =
                    json!({ "what": what, "round": round, "unit": unit, "figure": figure });
                session.report.sample("run", fields)?;
            }
            samples.push(sample);
        }
    }
    let mut table = Table::new(
        "run: programs under `sheave run` on this machine, over UDP; wall time: the median of the \
         rounds (least..greatest)",
    );
    for (_, figures, samples) in &tasks {
        for (at, (what, unit, goal)) in figures.iter().enumerate() {
            let spread = Spread::of(samples.iter().map(|sample| sample[at]));
            let row = Row::new()
                .text("what", "what", what)
                .ratio("figure", "figure", spread)
                .count("unit", "unit", *unit);
            table.push(row.goal("", *goal, spread.median));
        }
    }
    session.report.print(&table);
    Ok(())
}

impl Task {
    const fn door(self) -> &'static str {
        match self {
            Self::Echoes(door, _) | Self::Calls(door) | Self::Messages(door) => door,
            Self::Iperf3 => LISTENER,
        }
    }

    /// The figures of the task, in table order.
    fn sample(self, time: Duration) -> Result<Vec<f64>, Failure> {
        Ok(match self {
            Self::Echoes(door, hosts) => echoes(door, hosts)?,
            Self::Calls(door) => vec![calls(door)?],
            Self::Messages(door) => vec![messages(door)?],
            Self::Iperf3 => {
                let span = Duration::from_secs(time.as_secs().max(1));
                let load = CoreLoad {
                    message: 1 << 16,
                    ..CoreLoad::PLAIN
                };
                let (iperf3, perf) = (iperf3(span)?, over_loopback(load, span)?);
                vec![iperf3 * 1e-9, perf * 1e-9, iperf3 / perf]
            }
        })
    }
}

/// Median and 99th percentile of the round trips between two programs, each under its own host
/// process or both under one.
fn echoes(door: &str, hosts: usize) -> Result<Vec<f64>, Failure> {
    let theirs = free_port()?;
    let ours = if hosts == 1 {
        theirs.clone()
    } else {
        free_port()?
    };
    let ends = ["bench-sockets", "--port", ECHO_PORT, "--count", ECHOES];
    let mut server = hosted(door, &theirs, &theirs);
    let server = start(server.arg(own()?).args(ends).arg("server"))?;
    let mut client = hosted(door, &ours, &theirs);
    let told = ask(client.arg(own()?).args(ends).arg("client"))?;
    server.finish::<Value>(PATIENCE)?;
    Ok(vec![number(&told, "/p50")?, number(&told, "/p99")?])
}

fn calls(door: &str) -> Result<f64, Failure> {
    let words = ["bench-sockets", "--count", CALLS, "calls"];
    let told = start(hosted(door, "0", "9899").arg(own()?).args(words))?.finish(PATIENCE)?;
    number(&told, "/calls_per_second")
}

/// Messages per second from one program to another under the same host process.
fn messages(door: &str) -> Result<f64, Failure> {
    let port = free_port()?;
    let ends = ["bench-sockets", "--port", ECHO_PORT, "--count", MESSAGES];
    let mut sink = hosted(door, &port, &port);
    let sink = start(sink.arg(own()?).args(ends).arg("sink"))?;
    let mut source = hosted(door, &port, &port);
    ask(source.arg(own()?).args(ends).arg("source"))?;
    number(&sink.finish(PATIENCE)?, "/messages_per_second")
}

fn iperf3(span: Duration) -> Result<f64, Failure> {
    let (theirs, ours, port) = (free_port()?, free_port()?, free_port()?);
    let server = ["iperf3", "-s", "-1", "-J", "-p", &port];
    let server = start(hosted(LISTENER, &theirs, &theirs).args(server))?;
    let mut client = hosted(LISTENER, &ours, &theirs);
    client.args("iperf3 -c 127.0.0.1 --sctp -J -l 65536".split(' '));
    let told = ask(client.args(["-p", &port, "-t", &span.as_secs().to_string()]))?;
    server.finish::<Value>(PATIENCE)?;
    number(&told, "/end/sum_received/bits_per_second")
}

/// Runs a client, retrying while its server may still be starting; returns its report.
fn ask(client: &mut Command) -> Result<Value, Failure> {
    let began = Instant::now();
    loop {
        thread::sleep(START);
        match start(client)?.finish(PATIENCE) {
            Err(_) if began.elapsed() < PATIENCE => {}
            told => return told.while_doing("a program of the measurement"),
        }
    }
}

fn start(command: &mut Command) -> Result<Program, Failure> {
    Program::start(command, Stdio::null()).while_doing("cannot start a program")
}

/// `sheave run` with this door and UDP port, for peers at UDP port `peer`.
fn hosted(door: &str, port: &str, peer: &str) -> Command {
    let mut command = Command::new(own().unwrap_or_else(|_| "sheave".into()));
    command.args(["run", "--door", door, "-X", "127.0.0.1"]);
    command.args(["--udp", port, "--encap-port", peer, "--"]);
    command
}

fn own() -> Result<std::path::PathBuf, Failure> {
    std::env::current_exe().while_doing("cannot find this program")
}

/// A currently free UDP port; another program is unlikely to take it.
fn free_port() -> Result<String, Failure> {
    let socket = UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.local_addr());
    let address = socket.while_doing("cannot find a free UDP port")?;
    Ok(address.port().to_string())
}

fn number(told: &Value, pointer: &str) -> Result<f64, Failure> {
    let number = told.pointer(pointer).and_then(Value::as_f64);
    number.ok_or_else(|| Failure::new(format!("no {pointer} in {told}")))
}
