//! Two processes over loopback sockets.

use serde_json::json;
use sheave_measure::Spread;

use super::contender::{Contender, Load, NAMES, contenders};
use super::report::{Rows, column, fields, ratios, show};
use super::transfer::{TransferCost, costs, in_turns, streams};
use super::{BenchArgs, Limits, Session};
use crate::failure::Failure;

/// Measures throughput and CPU cost.
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
    for load in streams(args) {
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
