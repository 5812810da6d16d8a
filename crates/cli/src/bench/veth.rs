//! Two processes in two network namespaces with an Ethernet link between them.

use serde_json::json;
use sheave_measure::Spread;

use super::contender::{Contender, Load};
use super::end::Over;
use super::goal::Goal;
use super::network::Network;
use super::report::{Rows, column, fields, ratios, show};
use super::stage::Offloads;
use super::transfer::{TransferCost, costs, in_turns, streams};
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
    let mut table = session.report.table(
        "veth: two processes in two networks with an Ethernet link between them, MTU 1500, and the \
         CPU-seconds of both for a gigabyte; the ratio is of CPU-seconds, to TCP with the kernel's \
         offloads",
        &[
            column("messages"),
            column("connections"),
            column("over"),
            column("Gb/s"),
            column("CPU-s/GB min"),
            column("median"),
            column("max"),
            column("to TCP"),
            column("goal"),
        ],
    );
    for load in streams(args) {
        measure(&lanes, load, args.rounds, session, &mut table)?;
    }
    table.print();
    Ok(())
}

fn measure(
    lanes: &[Lane],
    load: Load,
    rounds: u32,
    session: &Session<'_>,
    table: &mut Rows,
) -> Result<(), Failure> {
    let contenders = lanes.iter().map(|lane| &lane.contender);
    let outcomes = in_turns(&contenders.collect::<Vec<_>>(), load, rounds, session)?;
    let tcp = costs(outcomes.first().map_or(&[][..], Vec::as_slice));
    for (lane, outcomes) in lanes.iter().zip(&outcomes) {
        add_row(table, lane, load, outcomes, &tcp);
    }
    Ok(())
}

fn add_row(table: &mut Rows, lane: &Lane, load: Load, outcomes: &[TransferCost], tcp: &[f64]) {
    let rates = outcomes
        .iter()
        .map(|outcome| outcome.bytes_per_second * 8.0);
    let (rate, cost) = (Spread::of(rates), Spread::of(costs(outcomes)));
    let ratio = ratios(&costs(outcomes), tcp);
    let mut object = json!({
        "message_bytes": load.size,
        "connections": load.connections,
        "over": lane.contender.name,
        "packet_bytes": lane.contender.packets.most(),
        "bits_per_second": fields(rate),
        "cpu_seconds_per_gigabyte": fields(cost),
        "ratio_to_tcp": fields(ratio),
    });
    let goal = lane.goal.map_or_else(String::new, |goal| {
        goal.note(ratio.median, &mut object);
        goal.cell(ratio.median)
    });
    table.row(
        object,
        vec![
            load.size.to_string(),
            load.connections.to_string(),
            lane.contender.name.clone(),
            format!("{:.2}", rate.median / 1e9),
            format!("{:.3}", cost.min),
            format!("{:.3}", cost.median),
            format!("{:.3}", cost.max),
            show(ratio),
            goal,
        ],
    );
}
