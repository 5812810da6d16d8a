//! Runs in Sheave's simulator.

use core::time::Duration;

use sheave_engine::Time;
use sheave_sim::scenario::{Run as Simulated, Scenario};
use sheave_sim::{Outage, Sink, VantagePoint};

use super::{DYING, SAW_TOOTH, SCENE, WARM, dies_at};
use crate::studies::{network, scene};
use crate::{Measured, Run};

/// The simulated network and traffic of a run.
pub(super) fn scenario(run: &Run) -> Result<Scenario, String> {
    let mut scenario = scene::scenario(SCENE, run)?;
    if run.experiment == DYING {
        scenario.links[0].there.outages = vec![Outage {
            from: Time::ZERO + Duration::from_secs_f64(dies_at(run.seed)),
            until: Time::MAX,
        }];
    }
    Ok(scenario)
}

/// Carries out a run.
pub(super) fn execute(run: &Run) -> Result<Measured, String> {
    let scenario = scenario(run)?;
    let mut simulated = network::built(&scenario, run.seed)?;
    let measured = match run.experiment.as_str() {
        SAW_TOOTH => saw_tooth(&mut simulated),
        DYING => switch_over(&mut simulated, dies_at(run.seed)),
        _ => goodput(&mut simulated),
    };
    let fingerprint = simulated.world.fingerprint();
    Ok(Measured {
        fingerprint: Some(fingerprint.to_string()),
        ..measured
    })
}

fn delivered(run: &Simulated) -> u64 {
    run.sink("main").map_or(0, Sink::bytes)
}

fn seconds(run: &Simulated) -> f64 {
    run.world.now().since(Time::ZERO).as_secs_f64()
}

fn goodput(run: &mut Simulated) -> Measured {
    run.world
        .run_until(Time::ZERO + Duration::from_secs_f64(WARM));
    let before = delivered(run);
    run.world.run_until(run.end);
    let bytes = (delivered(run) - before) as f64;
    Measured::new().with("mbit_per_s", bytes * 8e-6 / (seconds(run) - WARM))
}

fn saw_tooth(run: &mut Simulated) -> Measured {
    let mut windows = Vec::new();
    while run.world.now() < run.end {
        run.world.run_for(Duration::from_millis(2));
        if let Some(window) = window(run) {
            windows.push((seconds(run), window as f64));
        }
    }
    cycle(&windows)
}

fn window(run: &Simulated) -> Option<u64> {
    if let Some(tcp) = run.tcp("main", VantagePoint::Client) {
        return Some(tcp.stats()?.cwnd);
    }
    let stats = run.sctp_stats("main", VantagePoint::Client)?;
    Some(stats.paths.first()?.cwnd)
}

/// Measures the mean time between window reductions, after slow start.
pub(super) fn cycle(windows: &[(f64, f64)]) -> Measured {
    let falls = windows
        .windows(2)
        .filter(|pair| pair[1].0 > WARM && pair[1].1 < 0.8 * pair[0].1);
    let falls: Vec<f64> = falls.map(|pair| pair[1].0).collect();
    let [first, .., last] = falls[..] else {
        return Measured::new();
    };
    let count = (falls.len() - 1) as f64;
    Measured::new()
        .with("cycle_s", (last - first) / count)
        .with("cycles", count)
}

fn switch_over(run: &mut Simulated, died: f64) -> Measured {
    let (mut moments, mut bytes) = (Vec::new(), 0);
    while run.world.now() < run.end {
        run.world.run_for(Duration::from_millis(5));
        let now = delivered(run);
        if now > bytes {
            moments.push(seconds(run));
            bytes = now;
        }
    }
    longest_pause(&moments, died)
}

/// Measures the time from the failure to the end of the longest pause in delivery after it.
pub(super) fn longest_pause(moments: &[f64], died: f64) -> Measured {
    let after: Vec<f64> = moments.iter().copied().filter(|at| *at > died).collect();
    let pauses = after.windows(2).map(|pair| (pair[1] - pair[0], pair[1]));
    let first = after.first().map(|at| (at - died, *at));
    let longest = pauses
        .chain(first)
        .max_by(|one, other| one.0.total_cmp(&other.0));
    match longest {
        Some((_, end)) => Measured::new().with("switch_over_s", end - died),
        None => Measured::new(),
    }
}
