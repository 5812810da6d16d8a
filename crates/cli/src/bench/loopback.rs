//! Two processes over the sockets of this machine.

use std::env;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use clap::ValueEnum;
use serde::Deserialize;
use serde_json::json;
use sheave_measure::Spread;

use super::end::{EndArgs, Over, Work};
use super::report::{Report, column, fields, ratios, show};
use super::{BenchArgs, Limits};
use crate::failure::{Failure, While};

/// The sizes that are measured unless others are asked for.
const SIZES: [u64; 3] = [8 << 10, 12 << 10, 64 << 10];
/// Connections at the same time.
const CONNECTIONS: [u16; 2] = [1, 4];
/// Round trips of one measurement of the latency.
const TRIPS: u32 = 4000;
/// Bytes of a message whose latency is measured.
const ECHO: usize = 64;

/// What the two ends say together.
struct Outcome {
    bytes_per_second: f64,
    /// CPU-seconds of both ends for a gigabyte.
    cost: f64,
    client: ClientTells,
}

#[derive(Deserialize)]
struct Ready {
    port: u16,
}

#[derive(Deserialize)]
struct ServerTells {
    bytes: u64,
    cpu: f64,
}

#[derive(Deserialize)]
struct ClientTells {
    seconds: f64,
    cpu: f64,
    p50: Option<f64>,
    p99: Option<f64>,
    p999: Option<f64>,
}

/// Measures throughput and its cost.
pub fn run(args: &BenchArgs, report: &Report, limits: Limits) -> Result<(), Failure> {
    let mut table = report.table(
        "loopback: two processes, and the CPU-seconds of both for a gigabyte; ratios of those are \
         to TCP with its offloads, the roof is bare UDP with GSO and GRO",
        &[
            column("messages"),
            column("connections"),
            column("over"),
            column("Gb/s"),
            column("CPU-s/GB min"),
            column("median"),
            column("max"),
            column("to TCP"),
            column("of the roof"),
        ],
    );
    let sizes = if args.size.is_empty() {
        &SIZES[..]
    } else {
        &args.size
    };
    let amount = u32::try_from(args.time.as_millis()).unwrap_or(u32::MAX);
    for size in sizes {
        for connections in CONNECTIONS {
            let end = EndArgs {
                over: Over::Tcp,
                work: Work::Stream,
                port: None,
                size: usize::try_from((*size).clamp(1, 1 << 20)).unwrap_or(1),
                connections,
                amount,
            };
            let outcomes = in_turns(&end, args.rounds)?;
            let costs = |over: usize| -> Vec<f64> {
                let outcomes = outcomes.iter().filter_map(|round| round.get(over));
                outcomes.map(|outcome| outcome.cost).collect()
            };
            for (index, over) in Over::value_variants().iter().enumerate() {
                let rates = outcomes.iter().filter_map(|round| round.get(index));
                let rate = Spread::of(rates.map(|outcome| outcome.bytes_per_second * 8.0));
                let cost = Spread::of(costs(index));
                let ratio = ratios(&costs(index), &costs(0));
                let roof = limits.udp / cost.median;
                table.row(
                    json!({
                        "message_bytes": end.size,
                        "connections": connections,
                        "over": name(*over),
                        "bits_per_second": fields(rate),
                        "cpu_seconds_per_gigabyte": fields(cost),
                        "ratio_to_tcp": fields(ratio),
                        "share_of_roof": roof,
                    }),
                    vec![
                        size.to_string(),
                        connections.to_string(),
                        name(*over).into(),
                        format!("{:.2}", rate.median / 1e9),
                        format!("{:.3}", cost.min),
                        format!("{:.3}", cost.median),
                        format!("{:.3}", cost.max),
                        show(ratio),
                        format!("{:.0} %", 100.0 * roof),
                    ],
                );
            }
        }
    }
    table.print();
    Ok(())
}

/// Measures round trips.
pub fn run_latency(args: &BenchArgs, report: &Report, _limits: Limits) -> Result<(), Failure> {
    let end = EndArgs {
        over: Over::Tcp,
        work: Work::Echo,
        port: None,
        size: ECHO,
        connections: 1,
        amount: TRIPS,
    };
    let outcomes = in_turns(&end, args.rounds)?;
    let mut table = report.table(
        "latency: a message of 64 bytes to another process and back, us of wall time; the median \
         round's, and of the 99.9th percentile all rounds'",
        &[
            column("over"),
            column("p50"),
            column("p99"),
            column("p99.9"),
            column("p50 to TCP"),
        ],
    );
    for (index, over) in Over::value_variants().iter().enumerate() {
        let series = |over: usize, of: fn(&ClientTells) -> Option<f64>| -> Vec<f64> {
            let outcomes = outcomes.iter().filter_map(|round| round.get(over));
            outcomes.filter_map(|outcome| of(&outcome.client)).collect()
        };
        let p50 = Spread::of(series(index, |tells| tells.p50));
        let p99 = Spread::of(series(index, |tells| tells.p99));
        let p999 = Spread::of(series(index, |tells| tells.p999));
        let halves = |over| series(over, |tells| tells.p50);
        let ratio = ratios(&halves(index), &halves(0));
        table.row(
            json!({
                "over": name(*over),
                "p50_us": fields(p50),
                "p99_us": fields(p99),
                "p99.9_us": fields(p999),
                "ratio_to_tcp": fields(ratio),
            }),
            vec![
                name(*over).into(),
                format!("{:.1}", p50.median),
                format!("{:.1}", p99.median),
                show(p999),
                show(ratio),
            ],
        );
    }
    table.print();
    Ok(())
}

fn name(over: Over) -> &'static str {
    match over {
        Over::Tcp => "TCP of the kernel",
        Over::Sctp => "sheave, UDP with GSO",
        Over::SctpWithoutGso => "sheave, UDP without",
    }
}

/// In each round one measurement of each protocol.
fn in_turns(end: &EndArgs, rounds: u32) -> Result<Vec<Vec<Outcome>>, Failure> {
    let round = |_| {
        let each = Over::value_variants().iter();
        each.map(|over| {
            transfer(&EndArgs {
                over: *over,
                ..*end
            })
        })
        .collect()
    };
    (0..rounds).map(round).collect()
}

fn transfer(end: &EndArgs) -> Result<Outcome, Failure> {
    let mut server = start(end)?;
    let Some(stdout) = server.stdout.take() else {
        return Err(Failure::new("a process without output"));
    };
    let mut server_says = BufReader::new(stdout);
    let mut line = String::new();
    let told = server_says.read_line(&mut line);
    told.while_doing("the server of the measurement")?;
    let ready: Ready = serde_json::from_str(&line).while_doing("the server of the measurement")?;
    let client = EndArgs {
        port: Some(ready.port),
        ..*end
    };
    let client = start(&client)?.wait_with_output();
    let client = client.while_doing("the client of the measurement")?;
    if !client.status.success() {
        // It would wait for ever.
        let _ = server.kill();
        let _ = server.wait();
        return Err(Failure::new("the client of the measurement failed"));
    }
    let mut rest = String::new();
    let told = server_says.read_to_string(&mut rest);
    told.while_doing("the server of the measurement")?;
    server.wait().while_doing("the server of the measurement")?;
    let server: ServerTells =
        serde_json::from_str(&rest).while_doing("the server of the measurement")?;
    let client: ClientTells =
        serde_json::from_slice(&client.stdout).while_doing("the client of the measurement")?;
    let bytes = server.bytes as f64;
    Ok(Outcome {
        bytes_per_second: bytes / client.seconds,
        cost: (server.cpu + client.cpu) / (bytes / 1e9),
        client,
    })
}

/// Starts this program as one end.
fn start(end: &EndArgs) -> Result<Child, Failure> {
    let program = env::current_exe().while_doing("cannot find this program")?;
    let mut command = Command::new(program);
    command
        .args(["bench-end", "--over", &word(&end.over)])
        .args(["--work", &word(&end.work)])
        .args(["--size", &end.size.to_string()])
        .args(["--connections", &end.connections.to_string()])
        .args(["--amount", &end.amount.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    if let Some(port) = end.port {
        command.args(["--port", &port.to_string()]);
    }
    command.spawn().while_doing("cannot start a process")
}

/// A choice as the command line names it.
fn word(choice: &impl ValueEnum) -> String {
    choice
        .to_possible_value()
        .map_or_else(String::new, |value| value.get_name().to_owned())
}
