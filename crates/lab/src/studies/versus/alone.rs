//! Each transport alone on a network.

use sheave_engine::Time;
use sheave_sim::VantagePoint;
use sheave_sim::scenario::Run as Simulated;

use super::{SCENE, scene};
use crate::{Measured, Run};

pub(super) const ALONE: &str = "alone";

/// Metric: user data delivered from the first packet to the last delivery, Mbit/s.
pub(super) const RATE: &str = "mbit_per_s";
/// Metric: number of retransmitted DATA chunks or segments.
pub(super) const REPEATED: &str = "retransmissions";
/// Metric: number of packets lost at random or dropped by a queue.
pub(super) const LOST: &str = "lost_packets";

/// Metric: bytes of IP packets sent in the direction of the data.
pub(super) const BYTES: &str = "bytes_sent";

/// Number of bytes that an amount stands for; `None` for an unlimited amount.
pub(super) fn bytes(run: &Run) -> Option<u32> {
    match run.settings.text("amount") {
        "10 kB" => Some(10_000),
        "100 kB" => Some(100_000),
        "1 MB" => Some(1_000_000),
        "10 MB" => Some(10_000_000),
        _ => None,
    }
}

pub(super) fn execute(run: &Run) -> Result<Measured, String> {
    let scenario = scene::scenario(SCENE, run)?;
    let built = scenario.build_with_stats(run.seed);
    let mut simulated = built.map_err(|error| error.to_string())?;
    simulated.world.run_to_completion(simulated.end);
    let measured = measured(&simulated, bytes(run))?;
    Ok(match run.settings.number("loss_percent") {
        0.0 => measured.without_chance(),
        _ => measured,
    })
}

fn measured(run: &Simulated, bytes: Option<u32>) -> Result<Measured, String> {
    let sink = run.sink("main").ok_or("no sink")?;
    let over = match bytes {
        None => run.world.now(),
        Some(bytes) if sink.bytes() >= bytes.into() => sink.last().unwrap_or_default(),
        Some(bytes) => {
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
