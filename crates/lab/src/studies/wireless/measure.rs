//! Measurements of the runs.

use sheave_sim::scenario::Run;
use sheave_sim::{LinkStats, Sink, VantagePoint};

use super::{THROUGHPUT, network};
use crate::Measured;

/// Measures throughput, the links' counters, and retransmissions.
pub(super) fn transfer(run: &Run) -> Measured {
    let measured = network::delivered(run);
    let seconds = run.world.now().as_secs_f64();
    let bytes = run.sink("main").map_or(0, Sink::bytes);
    let measured = measured.with(THROUGHPUT, bytes as f64 / 1000.0 / seconds);
    let links: Vec<LinkStats> = run
        .links
        .iter()
        .map(|(there, _)| run.world.link_stats(*there))
        .collect();
    let sum = |field: fn(&LinkStats) -> u64| links.iter().map(field).sum::<u64>() as f64;
    let measured = measured
        .with(
            "packets_damaged",
            sum(|link| link.corrupted + link.bad_header),
        )
        .with("packets_lost", sum(|link| link.lost))
        .with("packets_dropped", sum(|link| link.dropped));
    repairs(run, measured)
}

/// Measures how SCTP recovered from corruption and loss.
fn repairs(run: &Run, measured: Measured) -> Measured {
    let Some(stats) = run.sctp_stats("main", VantagePoint::Client) else {
        return measured;
    };
    let fast: u64 = stats
        .paths
        .iter()
        .map(|path| path.fast_retransmissions)
        .sum();
    measured
        .with("timeouts", stats.assoc.timeouts as f64)
        .with("fast_retransmissions", fast as f64)
        .with("again_damaged", stats.assoc.damage_retransmissions as f64)
        .with("retransmissions", stats.assoc.retransmissions as f64)
}
