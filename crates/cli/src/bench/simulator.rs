//! Simulated packets per CPU-second, compared with ns-2 if installed.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::json;
use sheave_measure::{Row, Spread, Table, cpu_time};
use sheave_sim::scenario::read_network;

use super::{BenchArgs, Session};
use crate::failure::{Failure, While};

/// The program of Debian's package `ns2`, and its script.
const NS2: &str = "ns";
const SCRIPT: &str = include_str!("simulator.tcl");
/// The simulated network, and the beginning of its flow.
const SCENARIO: &str = r#"
name = "speed"
hosts = ["A", "B"]

[link.link]
ends = ["A", "B"]
rate = "1 Gbit/s"
delay = "50 us"

[flow.main]
from = "A"
to = "B"
"#;
/// Simulated time per sample, seconds; takes about half a CPU-second.
const SECONDS: u64 = 5;

/// A transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transport {
    Sctp,
    Tcp,
}

impl Transport {
    const fn name(self) -> &'static str {
        match self {
            Self::Sctp => "sctp",
            Self::Tcp => "tcp",
        }
    }

    /// The flow of the scenario; a window is ns-2's default, and a message of TCP is ten segments,
    /// including its length prefix.
    const fn flow(self) -> &'static str {
        match self {
            Self::Sctp => {
                "workload = { kind = \"bulk\", message = \"1452 B\" }\n\
                 sctp = { profile = \"rfc9260\", receive_buffer = \"65536 B\", \
                 partial_delivery_point = \"32768 B\" }"
            }
            Self::Tcp => {
                "transport = \"tcp\"\nworkload = { kind = \"bulk\", message = \"14596 B\" }\n\
                 tcp = { receive_buffer = \"65536 B\" }"
            }
        }
    }

    /// Minimum ratio to ns-2.
    const fn goal(self) -> f64 {
        match self {
            Self::Sctp => 2.0,
            Self::Tcp => 1.5,
        }
    }
}

/// Measures both transports in turns with ns-2.
pub fn run(_: &BenchArgs, session: &Session<'_>) -> Result<(), Failure> {
    let mut cases = Vec::new();
    for transport in [Transport::Sctp, Transport::Tcp] {
        session.step(&format!("simulated {}", transport.name()))?;
        // The packets of a run of ns-2, which is deterministic; `None` without ns-2.
        cases.push((transport, packets_of_ns2(transport)));
    }
    if cases.iter().any(|(_, packets)| packets.is_none()) {
        session.skip("beside ns-2: there is none here (Debian: ns2)");
    }
    let keys = ["packets_per_cpu_second", "ns2_packets_per_cpu_second"];
    let describe = |(transport, _): &(Transport, _)| {
        let name = transport.name();
        (format!("simulated {name}"), json!({ "what": name }))
    };
    let sample = |(transport, packets): &mut (Transport, Option<u64>)| {
        let theirs = packets.map(|packets| rate_of_ns2(*transport, packets));
        Ok([rate(*transport)?, theirs.transpose()?.unwrap_or(f64::NAN)])
    };
    let samples = session.in_turns("simulator", &mut cases, keys, describe, sample)?;
    let mut table = Table::new(
        "simulator: a lossless flow over 1 Gb/s, windows of 64 KiB; millions of \
         packets that arrived at either end per CPU-second, in turns with ns-2: the median of the rounds (least..greatest)",
    );
    for ((transport, packets), [ours, theirs]) in cases.iter().zip(&samples) {
        let row = Row::new().text("what", "what", transport.name()).within(
            keys[0],
            "ours",
            Spread::of(ours),
            (1e-6, 2),
        );
        let row = match packets {
            None => row.cell("ns-2", "-").cell("ratio", "-"),
            Some(_) => row
                .within(keys[1], "ns-2", Spread::of(theirs), (1e-6, 2))
                .ratio("ratio", "ratio", Spread::of_ratios(ours, theirs)),
        };
        table.push(row.count("goal", "goal", transport.goal()));
    }
    session.report.print(&table);
    Ok(())
}

/// Packets per CPU-second of this simulator, counted on arrival at either end.
fn rate(transport: Transport) -> Result<f64, Failure> {
    let text = format!("duration = \"{SECONDS} s\"{SCENARIO}{}", transport.flow());
    let scenario = read_network(&text).while_doing("the scenario")?;
    let mut run = scenario.build(1).while_doing("the scenario")?;
    let before = cpu_time();
    run.world.run_until(run.end);
    let spent = cpu_time().saturating_sub(before);
    let links: Vec<_> = run.world.links().map(|(link, _)| link).collect();
    let delivered = links
        .into_iter()
        .map(|link| run.world.link_stats(link).delivered);
    Ok(delivered.sum::<u64>() as f64 / spent.as_secs_f64())
}

/// Packets per CPU-second of ns-2.
fn rate_of_ns2(transport: Transport, packets: u64) -> Result<f64, Failure> {
    let spent = ns2(transport, "0").and_then(|said| {
        let nanoseconds = said.trim().strip_prefix("cpu ")?.parse::<f64>().ok()?;
        Some(nanoseconds * 1e-9)
    });
    let spent = spent.ok_or_else(|| Failure::new("ns-2 does not tell its time"))?;
    Ok(packets as f64 / spent)
}

/// Packets arriving at either end in ns-2.
fn packets_of_ns2(transport: Transport) -> Option<u64> {
    let said = ns2(transport, "1")?;
    let arrivals = said.lines().filter(|line| line.starts_with("r "));
    u64::try_from(arrivals.count()).ok()
}

/// Output of ns-2; `None` if ns-2 is missing or fails.
fn ns2(transport: Transport, counted: &str) -> Option<String> {
    let mut child = Command::new(NS2)
        .args([
            "/dev/stdin",
            transport.name(),
            &SECONDS.to_string(),
            counted,
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    // The script fits the pipe's buffer.
    let written = child.stdin.take()?.write_all(SCRIPT.as_bytes());
    let output = child.wait_with_output().ok()?;
    (written.is_ok() && output.status.success())
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
