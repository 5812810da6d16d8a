//! Simulated packets per CPU-second, compared with ns-2 if installed.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;
use sheave_engine::{Options, Profile};
use sheave_measure::{Row, Spread, Table, cpu_time};
use sheave_sim::scenario::{Flow, FlowKind, FlowWorkload, LinkPair, Run, Scenario};
use sheave_sim::{Bitrate, LinkSpec, tcp};

use super::{BenchArgs, Session};
use crate::failure::Failure;

/// The program of Debian's package `ns2`, and its script.
const NS2: &str = "ns";
const SCRIPT: &str = include_str!("simulator.tcl");
/// Simulated time per sample, seconds; takes about half a CPU-second.
const SECONDS: u64 = 5;
/// Approximate receive window of both ends, bytes: ns-2's default.
const WINDOW: usize = 65_536;

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
    let built = scenario(transport).build(1);
    let mut run: Run = built.map_err(|error| Failure::new(error.to_string()))?;
    let before = cpu_time();
    run.world.run_until(run.end);
    let spent = cpu_time().saturating_sub(before);
    let links: Vec<_> = run.world.links().map(|(link, _)| link).collect();
    let delivered = links
        .into_iter()
        .map(|link| run.world.link_stats(link).delivered);
    Ok(delivered.sum::<u64>() as f64 / spent.as_secs_f64())
}

fn scenario(transport: Transport) -> Scenario {
    let link = LinkSpec::new(Bitrate::mbit(1000), Duration::from_micros(50));
    let workload = |message| FlowWorkload::Bulk {
        message,
        streams: 1,
        count: None,
    };
    let kind = match transport {
        Transport::Sctp => FlowKind::Sctp {
            reliability: sheave_engine::Reliability::Reliable,
            options: Box::new(Options {
                receive_buffer: WINDOW,
                partial_delivery_point: WINDOW / 2,
                ..Profile::Rfc9260.options()
            }),
            endpoint: Box::default(),
            workload: workload(1452),
        },
        Transport::Tcp => FlowKind::Tcp {
            options: Box::new(tcp::Options {
                receive_buffer: WINDOW,
                ..tcp::Options::default()
            }),
            // Ten segments, including the length prefix of a message.
            workload: workload(10 * 1460 - 4),
        },
    };
    Scenario {
        name: "speed".to_owned(),
        duration: Duration::from_secs(SECONDS),
        seeds: 1,
        hosts: vec!["A".to_owned(), "B".to_owned()],
        routers: Vec::new(),
        links: vec![LinkPair {
            name: "link".to_owned(),
            ends: ["A".to_owned(), "B".to_owned()],
            there: link.clone(),
            back: link,
        }],
        flows: vec![Flow {
            name: "main".to_owned(),
            from: "A".to_owned(),
            to: "B".to_owned(),
            start: Duration::ZERO,
            kind,
        }],
    }
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
