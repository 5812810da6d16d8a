//! Cost of system calls under `sheave run`, with our own programs and with iperf3.

use std::net::UdpSocket;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sheave_measure::{Goal, Report, Row, Spread, Table};

use super::BenchArgs;
use crate::failure::{Failure, While};
use crate::interrupt::Interrupts;

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

/// Rows in table order: what is measured, its unit, and the goal of the median.
const FIGURES: [(&str, &str, Option<Goal>); 13] = [
    (
        "echo of 64 B, both ends under one host, p50",
        "us",
        Some(Goal::AtMost(100.0)),
    ),
    ("echo of 64 B, both ends under one host, p99", "us", None),
    (
        "echo of 64 B, a host each, p50",
        "us",
        Some(Goal::AtMost(100.0)),
    ),
    ("echo of 64 B, a host each, p99", "us", None),
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
    (
        "trapped calls (getsockname) of one thread",
        "1/s",
        Some(Goal::AtLeast(70_000.0)),
    ),
    (
        "the same calls, a library preloaded",
        "1/s",
        Some(Goal::AtLeast(210_000.0)),
    ),
    (
        "messages of 64 B one way, both ends under one host",
        "1/s",
        None,
    ),
    ("the same messages, a library preloaded", "1/s", None),
    ("iperf3, 64 KiB, a host each", "Gb/s", None),
    ("sheave perf, 64 KiB, the same path", "Gb/s", None),
    ("iperf3 to sheave perf", "", Some(Goal::AtLeast(0.6))),
];

/// Measures all figures, in turns.
pub fn run(args: &BenchArgs, report: &Report, interrupts: &Interrupts) -> Result<(), Failure> {
    let has_iperf3 = Command::new("iperf3").arg("-v").output().is_ok();
    if !has_iperf3 {
        report.note("skipped", "iperf3: there is none here (Debian: iperf3)");
    }
    let can_preload = cfg!(not(target_env = "musl"));
    if !can_preload {
        report.note(
            "skipped",
            "the preloaded library: this tool is linked statically",
        );
    }
    let mut samples = FIGURES.map(|_| Vec::new());
    for round in 1..=args.rounds {
        report.progress(&format!("programs under `sheave run`, round {round}"));
        if interrupts.exit().is_some() {
            return Err(Failure::new(format!("before round {round}")));
        }
        let (one, two) = ([free_port()?], [free_port()?, free_port()?]);
        let mut measured = [None; FIGURES.len()];
        (measured[0], measured[1]) = echoes(LISTENER, &one)?;
        (measured[2], measured[3]) = echoes(LISTENER, &two)?;
        measured[6] = Some(calls(LISTENER)?);
        measured[8] = Some(messages(LISTENER)?);
        if can_preload {
            (measured[4], measured[5]) = echoes(PRELOAD, &[free_port()?])?;
            measured[7] = Some(calls(PRELOAD)?);
            measured[9] = Some(messages(PRELOAD)?);
        }
        if has_iperf3 {
            let seconds = args.time.max(Duration::from_secs(1)).as_secs().to_string();
            let (iperf3, perf) = (iperf3(&seconds)?, perf(&seconds)?);
            measured[10] = Some(iperf3 * 1e-9);
            measured[11] = Some(perf * 1e-9);
            measured[12] = Some(iperf3 / perf);
        }
        for ((what, unit, _), (value, values)) in
            FIGURES.iter().zip(measured.iter().zip(&mut samples))
        {
            let Some(value) = *value else { continue };
            let fields = json!({ "what": what, "round": round, "unit": unit, "figure": value });
            report.sample("run", fields)?;
            values.push(value);
        }
    }
    let mut table = Table::new(
        "run: programs under `sheave run` on this machine, over UDP; wall time: the median of the \
         rounds (least..greatest)",
    );
    let measured = FIGURES.into_iter().zip(samples);
    for ((what, unit, goal), values) in measured.filter(|(_, values)| !values.is_empty()) {
        let spread = Spread::of(values);
        let row = Row::new()
            .text("what", "what", what)
            .ratio("figure", "figure", spread)
            .count("unit", "unit", unit);
        table.push(row.goal("", goal, spread.median));
    }
    report.print(&table);
    Ok(())
}

/// Round trips between two programs; with the same UDP port, both share one host process.
fn echoes(door: &str, ports: &[String]) -> Result<(Option<f64>, Option<f64>), Failure> {
    let (theirs, ours) = (&ports[0], &ports[ports.len() - 1]);
    let ends = ["bench-sockets", "--port", ECHO_PORT, "--count", ECHOES];
    let mut server = hosted(door, theirs, theirs);
    let server = Program::start(server.arg(own()?).args(ends).arg("server"))?;
    let mut client = hosted(door, ours, theirs);
    let told = ask(client.arg(own()?).args(ends).arg("client"))?;
    server.finish()?;
    let figure = |pointer| number(&told, pointer).map(Some);
    Ok((figure("/p50")?, figure("/p99")?))
}

fn calls(door: &str) -> Result<f64, Failure> {
    let words = ["bench-sockets", "--count", CALLS, "calls"];
    let told = Program::start(hosted(door, "0", "9899").arg(own()?).args(words))?.finish()?;
    number(&told, "/calls_per_second")
}

/// Messages per second from one program to another under the same host process.
fn messages(door: &str) -> Result<f64, Failure> {
    let port = free_port()?;
    let ends = ["bench-sockets", "--port", ECHO_PORT, "--count", MESSAGES];
    let mut sink = hosted(door, &port, &port);
    let sink = Program::start(sink.arg(own()?).args(ends).arg("sink"))?;
    let mut source = hosted(door, &port, &port);
    ask(source.arg(own()?).args(ends).arg("source"))?;
    number(&sink.finish()?, "/messages_per_second")
}

fn iperf3(seconds: &str) -> Result<f64, Failure> {
    let (theirs, ours, port) = (free_port()?, free_port()?, free_port()?);
    let server = ["iperf3", "-s", "-1", "-J", "-p", &port];
    let server = Program::start(hosted(LISTENER, &theirs, &theirs).args(server))?;
    let mut client = hosted(LISTENER, &ours, &theirs);
    client.args("iperf3 -c 127.0.0.1 --sctp -J -l 65536".split(' '));
    let told = ask(client.args(["-p", &port, "-t", seconds]))?;
    server.finish()?;
    number(&told, "/end/sum_received/bits_per_second")
}

fn perf(seconds: &str) -> Result<f64, Failure> {
    let (theirs, port) = (free_port()?, free_port()?);
    let mut server = Command::new(own()?);
    server.args(["perf", "-s", "-1", "-p", &port, "--local", "127.0.0.1"]);
    let server = Program::start(server.args(["-J", "--udp-port", &theirs]))?;
    let mut client = Command::new(own()?);
    client.args(["perf", "-c", "127.0.0.1", "-J", "-l", "65536", "-p", &port]);
    client.args(["-t", seconds, "--peer-udp-port", &theirs]);
    let told = ask(&mut client)?;
    drop(server);
    number(&told, "/end/sum_received/bits_per_second")
}

/// Runs a client, retrying while its server may still be starting; returns its report.
fn ask(client: &mut Command) -> Result<Value, Failure> {
    let began = Instant::now();
    loop {
        thread::sleep(START);
        match Program::start(client)?.finish() {
            Err(_) if began.elapsed() < PATIENCE => {}
            told => return told,
        }
    }
}

/// `sheave run` with this door and UDP port, for peers at UDP port `peer`.
fn hosted(door: &str, port: &str, peer: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap_or_else(|_| "sheave".into()));
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

/// A program, killed on drop.
struct Program(Child);

impl Program {
    fn start(command: &mut Command) -> Result<Self, Failure> {
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let child = command.spawn().while_doing("cannot start a program")?;
        Ok(Self(child))
    }

    /// Waits for the program and returns its JSON output.
    fn finish(mut self) -> Result<Value, Failure> {
        let stdout = self.0.stdout.take();
        let reader = thread::spawn(move || std::io::read_to_string(stdout?).ok());
        let begin = Instant::now();
        let status = loop {
            match self.0.try_wait().while_doing("cannot wait for a program")? {
                Some(status) => break status,
                None if begin.elapsed() > PATIENCE => {
                    return Err(Failure::new("a program does not end"));
                }
                None => thread::sleep(Duration::from_millis(10)),
            }
        };
        let printed = reader.join().ok().flatten().unwrap_or_default();
        match serde_json::from_str(&printed) {
            Ok(told) if status.success() => Ok(told),
            _ => Err(Failure::new(format!(
                "a program failed ({status}): {printed}"
            ))),
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
