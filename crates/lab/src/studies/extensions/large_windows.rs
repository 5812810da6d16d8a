//! Congestion controls for large windows: CUBIC and HighSpeed compared with New Reno.

mod claims;
mod exhibits;

use core::time::Duration;

use sheave_engine::{LossDetection, Options, Profile};
use sheave_sim::scenario::Scenario;
use sheave_sim::{Bitrate, Errors, LinkSpec, Probability, Sink, VantagePoint};

use super::part::Part;
use crate::studies::network;
use crate::{Effort, Measured, Quantity, Run, Settings};

pub(super) const PART: Part = Part {
    experiment: LARGE_WINDOWS,
    quantities,
    plan,
    scenario,
    execute,
    rules: claims::rules,
    exhibits: exhibits::exhibits,
};

const LARGE_WINDOWS: &str = "large-windows";

/// The congestion controls, by their names in the engine.
const CONTROLS: [&str; 3] = [RENO, CUBIC, HIGH_SPEED];
const RENO: &str = "new-reno";
const CUBIC: &str = "cubic";
const HIGH_SPEED: &str = "highspeed";

/// User data per chunk that fills a packet of 1500 bytes, bytes.
const CHUNK: usize = 1452;
/// Round-trip time, seconds.
const RTT: f64 = 0.1;
/// Metric: packets per round trip.
const WINDOW: &str = "window_packets";
/// Approximate number of losses in a run, and the maximum duration, seconds.
const LOSSES: f64 = 30.0;
const LONGEST: f64 = 200.0;

fn quantities() -> Vec<Quantity> {
    vec![
        ("large_windows_chunk", CHUNK.to_string()),
        ("large_windows_losses", LOSSES.to_string()),
        ("large_windows_longest_s", LONGEST.to_string()),
    ]
}

fn plan(effort: Effort) -> Vec<Settings> {
    let rates = effort.choose(vec![1e-3, 1e-4], vec![1e-2, 1e-3, 3e-4, 1e-4, 3e-5]);
    let all = rates.into_iter().flat_map(|p| {
        CONTROLS.map(|control| Settings::new().with("p", p).with("control", control))
    });
    all.collect()
}

/// Duration of a run, from New Reno's window of about 1.2/sqrt(p) packets (RFC 3649 §5).
fn seconds(p: f64) -> f64 {
    (LOSSES / p / (1.2 / p.sqrt()) * RTT).min(LONGEST)
}

fn scenario(settings: &Settings) -> Result<Scenario, String> {
    let name = settings.text("control");
    let p = settings.number("p");
    let clean = LinkSpec {
        queue: network::packets(100_000),
        ..LinkSpec::new(Bitrate::mbit(1000), Duration::from_millis(50))
    };
    let lossy = LinkSpec {
        loss: Errors::Uniform(Probability::new(p)),
        ..clean.clone()
    };
    let mut options = Options {
        loss_detection: LossDetection::Rack,
        send_buffer: 64 << 20,
        receive_buffer: 64 << 20,
        ..Profile::Rfc9260.options()
    };
    (options.set("congestion", name)).map_err(|error| error.to_string())?;
    let length = Duration::from_secs_f64(seconds(p));
    let mut scenario = network::scenario(LARGE_WINDOWS, length);
    scenario.links = vec![network::links("link", ["A", "B"], lossy, clean)];
    scenario.flows = vec![network::sctp(options, network::bulk(CHUNK, 1, None))];
    Ok(scenario)
}

fn execute(run: &Run) -> Result<Measured, String> {
    let mut simulated = network::built(&scenario(&run.settings)?, run.seed)?;
    // Skips the first tenth, which is dominated by slow start.
    let length = seconds(run.settings.number("p"));
    let began = Duration::from_secs_f64(length / 10.0);
    simulated.world.run_until(sheave_engine::Time::ZERO + began);
    let before = simulated.sink("main").map_or(0, Sink::bytes);
    simulated.world.run_until(simulated.end);
    let bytes = simulated.sink("main").map_or(0, Sink::bytes) - before;
    let measured_for = length * 0.9;
    let mut measured = Measured::new()
        .with(WINDOW, bytes as f64 / CHUNK as f64 * RTT / measured_for)
        .with("mbit_per_s", bytes as f64 * 8e-6 / measured_for);
    if let Some(stats) = simulated.sctp_stats("main", VantagePoint::Client) {
        measured = measured
            .with("timeouts", stats.assoc.timeouts as f64)
            .with("retransmissions", stats.assoc.retransmissions as f64);
    }
    measured.fingerprint = Some(simulated.world.fingerprint().to_string());
    Ok(measured)
}

#[cfg(test)]
mod tests;
