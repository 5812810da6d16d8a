//! Two processes over the sockets of this machine.

use std::io::{BufRead, BufReader, Read};

use serde::Deserialize;
use serde_json::{Value, json};
use sheave_measure::Spread;

use super::contender::{Contender, Load, NAMES, contenders};
use super::end::{Over, Work};
use super::report::{Rows, column, fields, ratios, show};
use super::{BenchArgs, Limits, Session};
use crate::failure::{Failure, While};

/// The sizes that are measured unless others are asked for.
const SIZES: [u64; 3] = [8 << 10, 12 << 10, 64 << 10];
/// Connections at the same time.
const CONNECTIONS: [u16; 2] = [1, 4];
/// Round trips of one measurement of the latency.
const TRIPS: u32 = 4000;
/// Bytes of a message whose latency is measured.
pub(super) const ECHO: usize = 64;

/// The reports of both ends together.
pub(super) struct TransferCost {
    pub(super) bytes_per_second: f64,
    /// CPU-seconds of both ends for a gigabyte.
    cost: f64,
    pub(super) client: ClientTells,
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
pub(super) struct ClientTells {
    seconds: f64,
    cpu: f64,
    pub(super) p50: Option<f64>,
    pub(super) p99: Option<f64>,
    pub(super) p999: Option<f64>,
    /// The way to the server alone, beside bulk.
    pub(super) way_p50: Option<f64>,
    pub(super) way_p99: Option<f64>,
}

/// Measures throughput and its cost.
pub fn run(args: &BenchArgs, session: &Session<'_>) -> Result<(), Failure> {
    let contenders = contenders(args, session)?;
    let mut table = session.report.table(
        "loopback: two processes, and the CPU-seconds of both for a gigabyte. A packet is at most as \
         long as its column says: on a network of Ethernet, 1500. Ratios are of CPU-seconds, to TCP \
         with its offloads: over this machine's loopback interface, and over one with an MTU of \
         1500. The ceiling is bare UDP with GSO and GRO, 1500 bytes",
        &[
            column("messages"),
            column("connections"),
            column("over"),
            column("packets"),
            column("Gb/s"),
            column("CPU-s/GB min"),
            column("median"),
            column("max"),
            column("to TCP"),
            column("to TCP, 1500"),
            column("of the ceiling"),
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
            let load = Load {
                work: Work::Stream,
                size: usize::try_from((*size).clamp(1, 1 << 20)).unwrap_or(1),
                connections,
                amount,
                bulk: 0,
            };
            let outcomes = in_turns(&contenders, load, args.rounds, session)?;
            for (contender, of_lane) in contenders.iter().zip(&outcomes) {
                let [tcp, ethernet] = [NAMES.tcp, NAMES.tcp_1500].map(|name| {
                    let place = contenders
                        .iter()
                        .position(|contender| contender.name == name);
                    let outcomes = place.and_then(|place| outcomes.get(place));
                    costs(outcomes.map_or(&[][..], Vec::as_slice))
                });
                add_row(
                    &mut table,
                    contender,
                    load,
                    of_lane,
                    &[tcp, ethernet],
                    session.limits,
                );
            }
        }
    }
    table.print();
    Ok(())
}

fn add_row(
    table: &mut Rows,
    contender: &Contender,
    load: Load,
    outcomes: &[TransferCost],
    tcp: &[Vec<f64>; 2],
    limits: Limits,
) {
    let rates = outcomes
        .iter()
        .map(|outcome| outcome.bytes_per_second * 8.0);
    let rate = Spread::of(rates);
    let cost = Spread::of(costs(outcomes));
    let [ratio, ratio_1500] = tcp.each_ref().map(|tcp| ratios(&costs(outcomes), tcp));
    let ceiling = limits.udp / cost.median;
    table.row(
        json!({
            "message_bytes": load.size,
            "connections": load.connections,
            "over": contender.name,
            "packet_bytes": contender.packets.most(),
            "bits_per_second": fields(rate),
            "cpu_seconds_per_gigabyte": fields(cost),
            "ratio_to_tcp": fields(ratio),
            "ratio_to_tcp_1500": fields(ratio_1500),
            "share_of_ceiling": ceiling,
        }),
        vec![
            load.size.to_string(),
            load.connections.to_string(),
            contender.name.clone(),
            contender.packets.to_string(),
            format!("{:.2}", rate.median / 1e9),
            format!("{:.3}", cost.min),
            format!("{:.3}", cost.median),
            format!("{:.3}", cost.max),
            show(ratio),
            if ratio_1500.median.is_nan() {
                String::new()
            } else {
                show(ratio_1500)
            },
            format!("{:.0} %", 100.0 * ceiling),
        ],
    );
}

/// CPU-seconds for a gigabyte, round by round.
fn costs(outcomes: &[TransferCost]) -> Vec<f64> {
    outcomes.iter().map(|outcome| outcome.cost).collect()
}

/// Measures round trips.
pub fn run_latency(args: &BenchArgs, session: &Session<'_>) -> Result<(), Failure> {
    let load = Load {
        work: Work::Echo,
        size: ECHO,
        connections: 1,
        amount: TRIPS,
        bulk: 0,
    };
    let contenders = [Over::Tcp, Over::Sctp, Over::SctpWithoutGso].map(Contender::here);
    let outcomes = in_turns(&contenders, load, args.rounds, session)?;
    let mut table = session.report.table(
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
    let first = outcomes.first().map_or(&[][..], Vec::as_slice);
    for (contender, outcomes) in contenders.iter().zip(&outcomes) {
        let p50 = series(outcomes, |tells| tells.p50);
        let ratio = ratios(&p50, &series(first, |tells| tells.p50));
        let p50 = Spread::of(p50);
        let p99 = Spread::of(series(outcomes, |tells| tells.p99));
        let p999 = Spread::of(series(outcomes, |tells| tells.p999));
        table.row(
            json!({
                "over": contender.name,
                "p50_us": fields(p50),
                "p99_us": fields(p99),
                "p99.9_us": fields(p999),
                "ratio_to_tcp": fields(ratio),
            }),
            vec![
                contender.name.clone(),
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

/// A figure of all rounds.
pub(super) fn series(outcomes: &[TransferCost], of: fn(&ClientTells) -> Option<f64>) -> Vec<f64> {
    let figures = outcomes.iter().filter_map(|outcome| of(&outcome.client));
    figures.collect()
}

/// In each round one measurement of each contender; the outcomes of each contender.
pub(super) fn in_turns(
    contenders: &[Contender],
    load: Load,
    rounds: u32,
    session: &Session<'_>,
) -> Result<Vec<Vec<TransferCost>>, Failure> {
    let mut outcomes: Vec<Vec<TransferCost>> = contenders.iter().map(|_| Vec::new()).collect();
    for round in 1..=rounds {
        for (contender, outcomes) in contenders.iter().zip(&mut outcomes) {
            let Load {
                size, connections, ..
            } = load;
            session.step(&format!(
                "{}, {size} bytes, {connections} connections, round {round}",
                contender.name
            ))?;
            let outcome = contender.stage.perform(|| transfer(contender, load));
            let outcome = outcome.while_doing("cannot enter a network")??;
            note(session, contender, load, round, &outcome)?;
            outcomes.push(outcome);
        }
    }
    Ok(outcomes)
}

/// Notes a sample.
fn note(
    session: &Session<'_>,
    contender: &Contender,
    load: Load,
    round: u32,
    outcome: &TransferCost,
) -> Result<(), Failure> {
    let (table, figures) = match load.work {
        Work::Stream => (
            "loopback",
            json!({
                "bits_per_second": outcome.bytes_per_second * 8.0,
                "cpu_seconds_per_gigabyte": outcome.cost,
            }),
        ),
        Work::Echo => (
            "latency",
            json!({
                "p50_us": outcome.client.p50,
                "p99_us": outcome.client.p99,
                "p99.9_us": outcome.client.p999,
            }),
        ),
        Work::EchoBeside => (
            "latency beside bulk",
            json!({
                "bulk_bytes": load.bulk,
                "way_p50_us": outcome.client.way_p50,
                "way_p99_us": outcome.client.way_p99,
                "p50_us": outcome.client.p50,
                "p99_us": outcome.client.p99,
                "p99.9_us": outcome.client.p999,
                "bits_per_second": outcome.bytes_per_second * 8.0,
            }),
        ),
    };
    let mut fields = json!({
        "message_bytes": load.size,
        "connections": load.connections,
        "stack": contender.name,
        "packet_bytes": contender.packets.most(),
        "round": round,
    });
    if let (Some(fields), Value::Object(figures)) = (fields.as_object_mut(), figures) {
        fields.extend(figures);
    }
    session.report.sample(table, fields)
}

fn transfer(contender: &Contender, load: Load) -> Result<TransferCost, Failure> {
    let mut server = contender.start(load, None)?;
    let Some(stdout) = server.stdout.take() else {
        return Err(Failure::new("a process without output"));
    };
    let mut server_says = BufReader::new(stdout);
    let mut line = String::new();
    let told = server_says.read_line(&mut line);
    told.while_doing("the server of the measurement")?;
    let ready: Ready = serde_json::from_str(&line).while_doing("the server of the measurement")?;
    let client = contender.start(load, Some(ready.port))?.wait_with_output();
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
    Ok(TransferCost {
        bytes_per_second: bytes / client.seconds,
        cost: (server.cpu + client.cpu) / (bytes / 1e9),
        client,
    })
}
