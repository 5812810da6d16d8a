//! Two processes over loopback sockets.

use sheave_measure::{Row, Spread, Table};

use super::contender::{Contender, Load, NAMES, contenders};
use super::transfer::{TransferCost, costs, in_turns, streams};
use super::{BenchArgs, Limits, Session};
use crate::failure::Failure;

/// Measures throughput and CPU cost.
pub fn run(args: &BenchArgs, session: &Session<'_>) -> Result<(), Failure> {
    let contenders = contenders(args, session)?;
    let mut table = Table::new(
        "loopback: two processes, and the CPU-seconds of both for a gigabyte. A packet is at most as \
         long as its column says: on a network of Ethernet, 1500. Ratios are of CPU-seconds, to TCP \
         with its offloads: over this machine's loopback interface, and over one with an MTU of \
         1500. The ceiling is bare UDP with GSO and GRO, 1500 bytes",
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
            let row = row_of(contender, load, of_lane, &[tcp, ethernet], session.limits);
            table.push(row);
        }
    }
    session.report.print(&table);
    Ok(())
}

fn row_of(
    contender: &Contender,
    load: Load,
    outcomes: &[TransferCost],
    [tcp, tcp_1500]: &[Vec<f64>; 2],
    limits: Limits,
) -> Row {
    let row = throughput(contender, load, outcomes);
    let ceiling = limits.udp / Spread::of(costs(outcomes)).median;
    let to = |tcp: &[f64]| Spread::of_ratios(&costs(outcomes), tcp);
    row.ratio("ratio_to_tcp", "to TCP", to(tcp))
        .ratio("ratio_to_tcp_1500", "to TCP, 1500", to(tcp_1500))
        .share("share_of_ceiling", "of the ceiling", ceiling)
}

/// Rate and cost of a transfer.
pub(super) fn throughput(contender: &Contender, load: Load, outcomes: &[TransferCost]) -> Row {
    let rates = outcomes.iter().map(|one| one.bytes_per_second * 8.0);
    let (rate, cost) = (Spread::of(rates), Spread::of(costs(outcomes)));
    Row::new()
        .count("message_bytes", "messages", load.size)
        .count("connections", "connections", load.connections)
        .text("over", "over", &contender.name)
        .field("packet_bytes", contender.packets.most())
        .cell("packets", contender.packets)
        .median("bits_per_second", "Gb/s", rate, (1e-9, 2))
        .spread("cpu_seconds_per_gigabyte", "CPU-s/GB", cost, (1.0, 3))
}
