//! A transfer between two processes, and the reports of both ends.

use std::borrow::Borrow;
use std::io::{BufRead, BufReader, Read};

use serde::Deserialize;
use serde_json::{Value, json};

use super::contender::{Contender, Load};
use super::end::Work;
use super::{BenchArgs, Session};
use crate::failure::{Failure, While};

/// Default message sizes.
const SIZES: [u64; 3] = [8 << 10, 12 << 10, 64 << 10];
/// Numbers of concurrent connections.
const CONNECTIONS: [u16; 2] = [1, 4];

/// Requested one-way transfers: each size, over one and over several connections.
pub(super) fn streams(args: &BenchArgs) -> Vec<Load> {
    let sizes = match &args.size[..] {
        [] => &SIZES[..],
        chosen => chosen,
    };
    let amount = u32::try_from(args.time.as_millis()).unwrap_or(u32::MAX);
    let load = |size: u64, connections| Load {
        work: Work::Stream,
        size: usize::try_from(size.clamp(1, 1 << 20)).unwrap_or(1),
        connections,
        amount,
        bulk: 0,
    };
    let of_size = |size: &u64| CONNECTIONS.map(|connections| load(*size, connections));
    sizes.iter().flat_map(of_size).collect()
}

/// Combined reports of both ends.
pub(super) struct TransferCost {
    pub(super) bytes_per_second: f64,
    /// CPU time of both ends, seconds.
    pub(super) cpu: f64,
    /// CPU-seconds of both ends per gigabyte.
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
    /// One-way time to the server during bulk transfer.
    pub(super) way_p50: Option<f64>,
    pub(super) way_p99: Option<f64>,
}

/// CPU-seconds per gigabyte, round by round.
pub(super) fn costs(outcomes: &[TransferCost]) -> Vec<f64> {
    outcomes.iter().map(|outcome| outcome.cost).collect()
}

/// A figure over all rounds.
pub(super) fn series(outcomes: &[TransferCost], of: fn(&ClientTells) -> Option<f64>) -> Vec<f64> {
    let figures = outcomes.iter().filter_map(|outcome| of(&outcome.client));
    figures.collect()
}

/// Measures each contender once per round; returns the outcomes by contender.
pub(super) fn in_turns(
    contenders: &[impl Borrow<Contender>],
    load: Load,
    rounds: u32,
    session: &Session<'_>,
) -> Result<Vec<Vec<TransferCost>>, Failure> {
    let mut outcomes: Vec<Vec<TransferCost>> = contenders.iter().map(|_| Vec::new()).collect();
    for round in 1..=rounds {
        for (contender, outcomes) in contenders.iter().zip(&mut outcomes) {
            let contender = contender.borrow();
            let Load {
                size, connections, ..
            } = load;
            session.step(&format!(
                "{}, {size} bytes, {connections} connections, round {round}",
                contender.name
            ))?;
            let outcome = transfer(contender, load)?;
            note(session, contender, load, round, &outcome)?;
            outcomes.push(outcome);
        }
    }
    Ok(outcomes)
}

/// Records a sample.
fn note(
    session: &Session<'_>,
    contender: &Contender,
    load: Load,
    round: u32,
    outcome: &TransferCost,
) -> Result<(), Failure> {
    let (table, figures) = match load.work {
        Work::Stream => (
            contender.network(),
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
                "cpu_seconds": outcome.cpu,
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
    Ok(session.report.sample(table, fields)?)
}

fn transfer(contender: &Contender, load: Load) -> Result<TransferCost, Failure> {
    let mut server = contender.start_server(load)?;
    let Some(stdout) = server.stdout.take() else {
        return Err(Failure::new("a process without output"));
    };
    let mut server_says = BufReader::new(stdout);
    let mut line = String::new();
    let told = server_says.read_line(&mut line);
    told.while_doing("the server of the measurement")?;
    let ready: Ready = serde_json::from_str(&line).while_doing("the server of the measurement")?;
    let client = contender.start_client(load, ready.port)?.wait_with_output();
    let client = client.while_doing("the client of the measurement")?;
    if !client.status.success() {
        // Without a client, the server would wait for ever.
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
    let cpu = server.cpu + client.cpu;
    Ok(TransferCost {
        bytes_per_second: bytes / client.seconds,
        cpu,
        cost: cpu / (bytes / 1e9),
        client,
    })
}
