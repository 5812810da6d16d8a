//! A transfer between two processes, and the reports of both ends.

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use sheave_measure::{Load, Row, Spread, Work};

use super::contender::Contender;
use super::{BenchArgs, Session};
use crate::failure::{Failure, While};

/// Default message sizes.
const SIZES: [u64; 3] = [8 << 10, 12 << 10, 64 << 10];
/// Numbers of concurrent connections.
const CONNECTIONS: [u16; 2] = [1, 4];
/// Figures of a one-way transfer.
const FIGURES: [&str; 2] = ["bits_per_second", "cpu_seconds_per_gigabyte"];

/// Requested one-way transfers: each size, over one and over several connections.
fn streams(args: &BenchArgs) -> Vec<Load> {
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

/// Measures the requested one-way transfers with each contender; calls `push` with the row of each
/// and the CPU-seconds per gigabyte of all contenders, whose position is given.
pub(super) fn throughput(
    table: &str,
    contenders: &mut [Contender],
    args: &BenchArgs,
    session: &Session<'_>,
    mut push: impl FnMut(Row, &[&[f64]], usize),
) -> Result<(), Failure> {
    for load in streams(args) {
        let samples = in_turns(table, contenders, load, session, FIGURES, |both| {
            [both.bytes_per_second * 8.0, both.cpu / both.gigabytes]
        })?;
        let costs: Vec<&[f64]> = samples.iter().map(|[_, costs]| &costs[..]).collect();
        for (at, (contender, [rates, _])) in contenders.iter().zip(&samples).enumerate() {
            let row = Row::new()
                .count("message_bytes", "messages", load.size)
                .count("connections", "connections", load.connections)
                .text("over", "over", &contender.name)
                .field("packet_bytes", contender.packets.most())
                .cell("packets", contender.packets)
                .median(FIGURES[0], "Gb/s", Spread::of(rates), (1e-9, 2))
                .spread(FIGURES[1], "CPU-s/GB", Spread::of(costs[at]), (1.0, 3));
            push(row, &costs, at);
        }
    }
    Ok(())
}

/// Combined reports of both ends.
pub(super) struct TransferCost {
    pub(super) bytes_per_second: f64,
    gigabytes: f64,
    /// CPU time of both ends, seconds.
    pub(super) cpu: f64,
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

/// Transfers with each contender in each round, in turns; returns the figures of each, which `of`
/// takes from the reports of the ends.
pub(super) fn in_turns<const N: usize>(
    table: &str,
    contenders: &mut [Contender],
    load: Load,
    session: &Session<'_>,
    keys: [&str; N],
    of: impl Fn(&TransferCost) -> [f64; N],
) -> Result<Vec<[Vec<f64>; N]>, Failure> {
    let Load {
        size, connections, ..
    } = load;
    let describe = |contender: &Contender| {
        let Contender { name, packets, .. } = contender;
        let mut fields = json!({
            "message_bytes": size,
            "connections": connections,
            "stack": name,
            "packet_bytes": packets.most(),
        });
        if load.bulk > 0 {
            fields["bulk_bytes"] = load.bulk.into();
        }
        (
            format!("{name}, {size} bytes, {connections} connections"),
            fields,
        )
    };
    session.in_turns(table, contenders, keys, describe, |contender| {
        Ok(of(&transfer(contender, load)?))
    })
}

fn transfer(contender: &Contender, load: Load) -> Result<TransferCost, Failure> {
    let server = contender.start_server(load)?;
    let ready: std::io::Result<Ready> = server.hear(Duration::MAX);
    let port = ready.while_doing("the server of the measurement")?.port;
    // The server is ended if the client fails; it would wait for ever.
    let client = contender.start_client(load, port)?.finish(Duration::MAX);
    let client: ClientTells = client.while_doing("the client of the measurement")?;
    let server = server.finish(Duration::MAX);
    let server: ServerTells = server.while_doing("the server of the measurement")?;
    let bytes = server.bytes as f64;
    Ok(TransferCost {
        bytes_per_second: bytes / client.seconds,
        gigabytes: bytes / 1e9,
        cpu: server.cpu + client.cpu,
        client,
    })
}
