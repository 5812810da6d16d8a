//! Two processes in two network namespaces with an Ethernet link between them.

use sheave_measure::{Goal, Spread, Table};

use super::contender::Contender;
use super::end::Over;
use super::loopback::throughput;
use super::network::Network;
use super::stage::Offloads;
use super::transfer::{costs, in_turns, streams};
use super::{BenchArgs, Session};
use crate::failure::{Failure, While};

/// Maximum ratio of our CPU time to that of TCP with the kernel's offloads.
const GOAL: Goal = Goal::AtMost(1.2);

/// A contender, and whether the goal applies to it.
struct Lane {
    contender: Contender,
    goal: Option<Goal>,
}

/// Measures throughput and its cost.
///
/// # Errors
/// Root or the programs `ip` and `ethtool` are missing.
pub fn run(args: &BenchArgs, session: &Session<'_>) -> Result<(), Failure> {
    let make = |offloads| {
        let network = Network::new(1, offloads);
        let network = network.while_doing("cannot make two networks with a link");
        network.map_err(|failure| {
            failure.fix("this needs root and the programs ip (iproute2) and ethtool")
        })
    };
    let (with, without) = (make(Offloads::On)?, make(Offloads::Off)?);
    let lane = |name, over, network, goal| Lane {
        contender: Contender::linked(name, over, network),
        goal,
    };
    let lanes = [
        lane(Over::Tcp.name(), Over::Tcp, &with, None),
        lane(Over::Sctp.name(), Over::Sctp, &with, Some(GOAL)),
        lane(Over::SctpRaw.name(), Over::SctpRaw, &with, None),
        lane("TCP, no offloads", Over::Tcp, &without, None),
    ];
    let contenders: Vec<&Contender> = lanes.iter().map(|lane| &lane.contender).collect();
    let mut table = Table::new(
        "veth: two processes in two networks with an Ethernet link between them, MTU 1500, and the \
         CPU-seconds of both for a gigabyte; the ratio is of CPU-seconds, to TCP with the kernel's \
         offloads",
    );
    for load in streams(args) {
        let outcomes = in_turns(&contenders, load, args.rounds, session)?;
        let tcp = costs(outcomes.first().map_or(&[][..], Vec::as_slice));
        for (lane, outcomes) in lanes.iter().zip(&outcomes) {
            let ratio = Spread::of_ratios(&costs(outcomes), &tcp);
            let row = throughput(&lane.contender, load, outcomes);
            let row = row.ratio("ratio_to_tcp", "to TCP", ratio);
            table.push(row.goal("", lane.goal, ratio.median));
        }
    }
    session.report.print(&table);
    Ok(())
}
