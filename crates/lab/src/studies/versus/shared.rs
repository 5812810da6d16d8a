//! Both transports at the same time over one bottleneck.

use core::time::Duration;

use sheave_engine::Time;
use sheave_sim::Sink;
use sheave_sim::scenario::Scenario;

use super::{SCENE, network, scene};
use crate::{Measured, Quantity, Run};

pub(super) const SHARED: &str = "shared";

/// A congestion control of the competing TCP.
pub(super) const RENO: &str = "New Reno";

/// Metric: goodput divided by the competing rival's.
pub(super) const SHARE: &str = "times_rival";

/// Start and end of the measurement, seconds.
const FROM: u64 = 15;
const UNTIL: u64 = 60;

/// The values of placeholders in the texts of the parameters.
pub(super) fn quantities() -> Vec<Quantity> {
    vec![
        ("shared_from_s", FROM.to_string()),
        ("shared_until_s", UNTIL.to_string()),
    ]
}

pub(super) fn scenario(run: &Run) -> Result<Scenario, String> {
    let mut scenario = scene::scenario(SCENE, run)?;
    if let [main, rival] = &mut scenario.flows[..] {
        begins_later(run.seed, [&mut main.start, &mut rival.start]);
    }
    Ok(scenario)
}

/// Delays the start of one of the two, depending on the seed.
pub(super) fn begins_later(seed: u64, [main, rival]: [&mut Duration; 2]) {
    let later = Duration::from_millis(100 + seed.wrapping_mul(379) % 900);
    match seed % 2 {
        0 => *main = later,
        _ => *rival = later,
    }
}

pub(super) fn execute(run: &Run) -> Result<Measured, String> {
    let scenario = scenario(run)?;
    let mut simulated = network::built(&scenario, run.seed)?;
    let names = ["main", "rival"];
    let bytes = |simulated: &sheave_sim::scenario::Run| {
        names.map(|name| simulated.sink(name).map_or(0, Sink::bytes))
    };
    let from = Time::ZERO + Duration::from_secs(FROM);
    simulated.world.run_until(from);
    let before = bytes(&simulated);
    simulated.world.run_until(simulated.end);
    let after = bytes(&simulated);
    let seconds = (UNTIL - FROM) as f64;
    let rates: [f64; 2] =
        core::array::from_fn(|at| (after[at] - before[at]) as f64 * 8e-6 / seconds);
    let [ours, rivals] = rates;
    let mut measured = Measured::new()
        .with("mbit_per_s", ours)
        .with("rival_mbit_per_s", rivals)
        .with(SHARE, ours / rivals.max(1e-9));
    measured.fingerprint = Some(simulated.world.fingerprint().to_string());
    Ok(measured)
}
