//! Building blocks shared by the simulated studies.

use sheave_sim::scenario::{Run, Scenario, ScenarioError};
use sheave_sim::{Discipline, Limit};

use crate::Measured;
use crate::estimate::quantile_of;

/// A drop-tail queue for `limit` packets.
pub(super) const fn packets(limit: usize) -> Discipline {
    Discipline::DropTail(Limit::Packets(limit))
}

/// Builds a scenario.
pub(super) fn built(scenario: &Scenario, seed: u64) -> Result<Run, String> {
    scenario.build(seed).map_err(|error| error.to_string())
}

/// Runs a scenario to its end.
pub(super) fn run(scenario: &Scenario, seed: u64) -> Result<Run, String> {
    finish(scenario.build(seed))
}

/// Runs a scenario like [`run`], and records the history of the associations.
pub(super) fn run_watched(scenario: &Scenario, seed: u64) -> Result<Run, String> {
    let built = scenario.build_watched(seed);
    finish(built)
}

fn finish(built: Result<Run, ScenarioError>) -> Result<Run, String> {
    let mut run = built.map_err(|error| error.to_string())?;
    run.world.run_to_completion(run.end);
    Ok(run)
}

/// Measures the main flow's delivery and rate: from its start to the last message if the flow ends,
/// otherwise over the whole run.
pub(super) fn delivered(run: &Run) -> Measured {
    let mut measured = Measured::new();
    measured.fingerprint = Some(run.world.fingerprint().to_string());
    let Some(sink) = run.sink("main") else {
        return measured;
    };
    let began = sink.opened().unwrap_or_default();
    let ended = match sink.ended() {
        Some(_) => sink.last().unwrap_or_default(),
        None => run.world.now(),
    };
    let seconds = ended.since(began).as_secs_f64();
    measured
        .with("messages", sink.messages() as f64)
        .with("bytes", sink.bytes() as f64)
        .with("seconds", seconds)
        .with("mbit_per_s", sink.bytes() as f64 * 8e-6 / seconds)
}

/// Measures the message delays of the main flow: mean, deviation, and quantiles, seconds.
pub(super) fn delays(run: &Run, measured: Measured) -> Measured {
    let Some(sink) = run.sink("main") else {
        return measured;
    };
    let receipts = sink.receipts().iter();
    let delays = receipts.map(|receipt| receipt.delay().as_secs_f64());
    with_delays(delays.collect(), measured)
}

/// Adds mean, deviation and quantiles of delays, seconds.
pub(super) fn with_delays(mut delays: Vec<f64>, mut measured: Measured) -> Measured {
    delays.sort_by(f64::total_cmp);
    if let Some(estimate) = crate::Estimate::of(&delays) {
        measured = measured
            .with("delay_mean_s", estimate.mean)
            .with("delay_deviation_s", estimate.deviation);
    }
    let quantiles = [
        ("delay_p50_s", 0.5),
        ("delay_p95_s", 0.95),
        ("delay_p99_s", 0.99),
        ("delay_max_s", 1.0),
    ];
    for (name, share) in quantiles {
        if let Some(value) = quantile_of(&delays, share) {
            measured = measured.with(name, value);
        }
    }
    measured
}
