//! Two processes over loopback sockets.

use sheave_measure::{Spread, Table};

use super::contender::{TCP_1500, contenders};
use super::end::Over;
use super::transfer::throughput;
use super::{BenchArgs, Session};
use crate::failure::Failure;

/// Measures throughput and CPU cost.
pub fn run(args: &BenchArgs, session: &Session<'_>) -> Result<(), Failure> {
    let mut contenders = contenders(args, session)?;
    let mut table = Table::new(
        "loopback: two processes, and the CPU-seconds of both for a gigabyte. A packet is at most as \
         long as its column says: on a network of Ethernet, 1500. Ratios are of CPU-seconds, to TCP \
         with its offloads: over this machine's loopback interface, and over one with an MTU of \
         1500. The ceiling is bare UDP with GSO and GRO, 1500 bytes",
    );
    let place = |name: &str| {
        contenders
            .iter()
            .position(|contender| contender.name == name)
    };
    let [tcp, tcp_1500] = [Over::Tcp.name(), TCP_1500].map(place);
    let limits = session.limits()?;
    throughput(
        "loopback",
        &mut contenders,
        args,
        session,
        |row, costs, at| {
            let to = |tcp: Option<usize>| {
                Spread::of_ratios(costs[at], tcp.map_or(&[][..], |tcp| costs[tcp]))
            };
            let ceiling = limits.udp / Spread::of(costs[at]).median;
            let row = row.ratio("ratio_to_tcp", "to TCP", to(tcp)).ratio(
                "ratio_to_tcp_1500",
                "to TCP, 1500",
                to(tcp_1500),
            );
            table.push(row.share("share_of_ceiling", "of the ceiling", ceiling));
        },
    )?;
    session.report.print(&table);
    Ok(())
}
