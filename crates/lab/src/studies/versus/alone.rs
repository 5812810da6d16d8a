//! Each transport alone on a network.

use core::time::Duration;

use sheave_engine::Time;
use sheave_sim::VantagePoint;
use sheave_sim::scenario::{FlowWorkload, Run as Simulated, Scenario};

use super::grid::{Amount, GridCell, cells};
use super::{MESSAGE, NAME, SIDES, flow, network};
use crate::{Effort, Measured, Run, Settings};

pub(super) const ALONE: &str = "alone";

/// Metric: user data delivered from the first packet to the last delivery, Mbit/s.
pub(super) const RATE: &str = "mbit_per_s";
/// Metric: number of retransmitted DATA chunks or segments.
pub(super) const REPEATED: &str = "retransmissions";
/// Metric: number of packets lost at random or dropped by a queue.
pub(super) const LOST: &str = "lost_packets";

/// Metric: bytes of IP packets sent in the direction of the data.
pub(super) const BYTES: &str = "bytes_sent";

/// Time limit for a transfer.
const LONGEST: Duration = Duration::from_secs(600);

pub(super) fn plan(effort: Effort) -> Vec<Run> {
    let mut plan = Vec::new();
    for cell in cells(effort) {
        let seeds = if cell.is_random() { usize::MAX } else { 1 };
        for seed in effort.seeds().take(seeds) {
            plan.extend(
                SIDES.map(|side| Run::new(NAME, ALONE, cell.settings().with("side", side), seed)),
            );
        }
    }
    plan
}

pub(super) fn scenario(settings: &Settings) -> Result<Scenario, String> {
    let cell = GridCell::of(settings)?;
    let (work, lasts) = match cell.amount {
        Amount::Bulk => (network::bulk(MESSAGE, 1, None), bulk_duration(cell)),
        Amount::Bytes(bytes) => (transfer(bytes), LONGEST),
    };
    let flow = flow(settings.text("side"), work)?;
    let mut scenario = network::scenario(ALONE, lasts);
    let (there, back) = (cell.network.there(), cell.network.back());
    scenario.links = vec![network::links("link", ["A", "B"], there, back)];
    scenario.flows = vec![flow];
    Ok(scenario)
}

/// A workload of at least `bytes` bytes, rounded up to complete messages.
fn transfer(bytes: u32) -> FlowWorkload {
    let message = MESSAGE.min(bytes as usize);
    let count = u64::from(bytes).div_ceil(message as u64);
    network::bulk(message, 1, Some(count))
}

pub(super) fn bulk_duration(cell: GridCell) -> Duration {
    let network = cell.network;
    let (least, round_trips) = if network.mbit >= 1000 {
        (3.0, 20.0)
    } else {
        (10.0, 60.0)
    };
    Duration::from_secs_f64(least + round_trips * network.rtt())
}

pub(super) fn execute(run: &Run) -> Result<Measured, String> {
    let cell = GridCell::of(&run.settings)?;
    let scenario = scenario(&run.settings)?;
    let built = scenario.build_with_stats(run.seed);
    let mut simulated = built.map_err(|error| error.to_string())?;
    simulated.world.run_to_completion(simulated.end);
    let measured = measured(&simulated, cell)?;
    Ok(if cell.is_random() {
        measured
    } else {
        measured.without_chance()
    })
}

fn measured(run: &Simulated, cell: GridCell) -> Result<Measured, String> {
    let sink = run.sink("main").ok_or("no sink")?;
    let over = match cell.amount {
        Amount::Bulk => run.world.now(),
        Amount::Bytes(bytes) if sink.bytes() >= bytes.into() => sink.last().unwrap_or_default(),
        Amount::Bytes(bytes) => {
            let there = sink.bytes();
            return Err(format!("{there} of {bytes} bytes arrived"));
        }
    };
    let seconds = over.since(Time::ZERO).as_secs_f64();
    let lost = run.links.iter().map(|(there, back)| {
        let [there, back] = [there, back].map(|link| run.world.link_stats(*link));
        there.lost + there.dropped + back.lost + back.dropped
    });
    let sent = run.links.iter().map(|(there, _)| {
        let there = run.world.link_stats(*there);
        there.bytes_sent
    });
    let mut measured = Measured::new()
        .with("seconds", seconds)
        .with(BYTES, sent.sum::<u64>() as f64)
        .with(RATE, sink.bytes() as f64 * 8e-6 / seconds)
        .with(LOST, lost.sum::<u64>() as f64);
    measured.fingerprint = Some(run.world.fingerprint().to_string());
    Ok(repairs(run, measured))
}

/// Adds the numbers of retransmissions and timeouts.
fn repairs(run: &Simulated, measured: Measured) -> Measured {
    if let Some(stats) = run.sctp_stats("main", VantagePoint::Client) {
        let measured = measured
            .with(REPEATED, stats.assoc.retransmissions as f64)
            .with("timeouts", stats.assoc.timeouts as f64)
            .with("tail_probes", stats.assoc.tail_probes as f64);
        let Some(peer) = run.sctp_stats("main", VantagePoint::Server) else {
            return measured;
        };
        return measured.with("needless", peer.assoc.duplicates_received as f64);
    }
    let Some(tcp) = run.tcp("main", VantagePoint::Client) else {
        return measured;
    };
    let sent = tcp.stack().sent();
    measured
        .with(REPEATED, sent.retransmissions as f64)
        .with("timeouts", sent.timeouts as f64)
}
