//! Two processes in two network namespaces with an Ethernet link between them.

use sheave_measure::{Goal, Spread, Table};

use super::contender::Contender;
use super::end::Over;
use super::network::Network;
use super::stage::Offloads;
use super::transfer::throughput;
use super::{BenchArgs, Session};
use crate::failure::{Failure, While};

/// Maximum ratio of our CPU time to that of TCP with the kernel's offloads.
const GOAL: Goal = Goal::AtMost(1.2);

/// Measures throughput and its cost.
/// Errors: Root or the programs `ip` and `ethtool` are missing.
pub fn run(args: &BenchArgs, session: &Session<'_>) -> Result<(), Failure> {
    let make = |offloads| {
        let network = Network::new(1, offloads);
        let network = network.while_doing("cannot make two networks with a link");
        network.map_err(|failure| {
            failure.fix("this needs root and the programs ip (iproute2) and ethtool")
        })
    };
    let (with, without) = (make(Offloads::On)?, make(Offloads::Off)?);
    let mut contenders = [
        Contender::linked(Over::Tcp.name(), Over::Tcp, &with),
        Contender::linked(Over::Sctp.name(), Over::Sctp, &with),
        Contender::linked(Over::SctpRaw.name(), Over::SctpRaw, &with),
        Contender::linked("TCP, no offloads", Over::Tcp, &without),
    ];
    let goals = [None, Some(GOAL), None, None];
    let mut table = Table::new(
        "veth: two processes in two networks with an Ethernet link between them, MTU 1500, and the \
         CPU-seconds of both for a gigabyte; the ratio is of CPU-seconds, to TCP with the kernel's \
         offloads",
    );
    throughput("veth", &mut contenders, args, session, |row, costs, at| {
        let ratio = Spread::of_ratios(costs[at], costs[0]);
        let row = row.ratio("ratio_to_tcp", "to TCP", ratio);
        table.push(row.goal("", goals[at], ratio.median));
    })?;
    session.report.print(&table);
    Ok(())
}
