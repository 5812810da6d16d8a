//! Runs in Sheave's simulator.

use core::time::Duration;

use sheave_engine::{FastRecoveryAtTimeout, Options, Profile, Time, WindowRules};
use sheave_sim::scenario::{Flow, LinkPair, Run as Simulated, Scenario};
use sheave_sim::tcp::{self, Counting, Nagle};
use sheave_sim::{
    Bitrate, Errors, Gilbert, LinkSpec, Outage, Probability, Reading, Sink, State, VantagePoint,
};

use super::{
    BULK, CHUNK, DELAY_MS, DYING, GILBERT, SAW_TOOTH, SEGMENT, SEGMENTS, SHEAVE_LASTING, TCP, WARM,
    WINDOW, dies_at,
};
use crate::studies::network;
use crate::{Measured, Run, Settings};

/// Message size over TCP, bytes, which fills ten segments with its prefix of four bytes.
const MESSAGE: usize = 10 * SEGMENT - 4;
/// Bytes of an unlimited receive window.
const BOUNDLESS: usize = 1 << 20;

/// The simulated network and traffic of a run.
pub(super) fn scenario(run: &Run) -> Result<Scenario, String> {
    let settings = &run.settings;
    let paths = match run.experiment.as_str() {
        BULK | GILBERT | SAW_TOOTH => 1,
        DYING => 2,
        other => return Err(format!("there is no experiment {other}")),
    };
    let duration = Duration::from_secs_f64(settings.number("seconds"));
    let mut scenario = network::scenario("validation", duration);
    scenario.links = (1..=paths).map(|path| link(run, path)).collect();
    scenario.flows = vec![flow(&run.experiment, settings)];
    Ok(scenario)
}

fn link(run: &Run, path: u8) -> LinkPair {
    let settings = &run.settings;
    let (rate, queue) = match run.experiment.as_str() {
        SAW_TOOTH => (10, settings.whole("queue")),
        _ => (100, 100),
    };
    let back = LinkSpec {
        queue: network::packets(queue),
        ..LinkSpec::new(Bitrate::mbit(rate), Duration::from_millis(DELAY_MS))
    };
    let mut there = LinkSpec {
        loss: losses(&run.experiment, settings),
        ..back.clone()
    };
    if run.experiment == DYING && path == 1 {
        there.outages = vec![Outage {
            from: Time::ZERO + Duration::from_secs_f64(dies_at(run.seed)),
            until: Time::MAX,
        }];
    }
    network::links(&format!("path{path}"), ["A", "B"], there, back)
}

fn losses(experiment: &str, settings: &Settings) -> Errors {
    let percent = |name: &str| Probability::new(settings.number(name) / 100.0);
    let state = |seconds: f64, stay: f64, hit: Probability| State {
        period: Duration::from_secs_f64(seconds),
        stay: Probability::new(stay),
        hit,
    };
    match experiment {
        BULK => Errors::Uniform(percent("loss_percent")),
        GILBERT => Errors::Gilbert(Gilbert {
            good: state(2.5, 0.9, Probability::new(0.0)),
            bad: state(0.5, 0.3, percent("beta_percent")),
            reading: Reading::Ns2,
        }),
        _ => Errors::None,
    }
}

fn flow(experiment: &str, settings: &Settings) -> Flow {
    let is_bounded = experiment != SAW_TOOTH;
    match settings.text("transport") {
        TCP => {
            let window = if is_bounded {
                SEGMENTS * SEGMENT
            } else {
                BOUNDLESS
            };
            network::tcp(tcp_options(window), network::bulk(MESSAGE, 1, None))
        }
        _ => {
            let window = if is_bounded { WINDOW } else { BOUNDLESS };
            let mut options = sctp_options(window);
            if settings.text("simulator") == SHEAVE_LASTING {
                options.fast_recovery_at_timeout = FastRecoveryAtTimeout::Lasts;
            }
            if settings.value("path_max_retrans").is_some() {
                options.path_max_retrans = settings.whole("path_max_retrans");
            }
            network::sctp(options, network::bulk(CHUNK, 1, None))
        }
    }
}

fn tcp_options(window: usize) -> tcp::Options {
    tcp::Options {
        nagle: Nagle::Off,
        counting: Counting::Acknowledgements,
        receive_buffer: window,
        ..tcp::Options::default()
    }
}

/// RFC 2960's options with the windows of RFC 4960 and RFC 9260, which ns-2.35 uses.
fn sctp_options(window: usize) -> Options {
    Options {
        window_rules: WindowRules::Rfc9260,
        receive_buffer: window,
        send_buffer: BOUNDLESS,
        partial_delivery_point: window / 2,
        ..Profile::Rfc2960.options()
    }
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
