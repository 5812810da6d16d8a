//! Live runs: real processes over the same links in real time, each with a simulated counterpart.

mod part;

use core::time::Duration;
use std::net::{Ipv4Addr, SocketAddr};

use serde_json::{Value, json};
use sheave_emulate::{Emulator, Running};
use sheave_sim::scenario::Scenario;

pub(super) use self::part::take_part;
use super::{NAME, USUAL_KIB, network};
use crate::live::{FAR, Namespaces, Process, cross, with_report};
use crate::{Effort, Measured, Run, Settings};

/// The experiment [`super::DELAY`], live and simulated.
pub(super) const DELAY: &str = "live-delay";
/// The experiment [`super::COUNT`], live and simulated.
pub(super) const COUNT: &str = "live-stream-count";
/// The experiment [`super::BLOCKING`], live and simulated.
pub(super) const BLOCKING: &str = "live-head-of-line";

/// Time between messages if delays are measured.
pub(super) const INTERVAL: Duration = Duration::from_millis(5);

/// Approximate duration of a run.
pub(super) const TIME: Duration = Duration::from_secs(2);
/// Time limit for a process to start.
const SOON: Duration = Duration::from_secs(10);
/// Time limit for a transfer.
const LATER: Duration = Duration::from_secs(120);

pub(super) fn is_live(run: &Run) -> bool {
    run.settings.text("how") == "live"
}

/// The live runs, in turns since the seeds are the outermost loop, each with its simulated
/// counterpart.
pub(super) fn plan(effort: Effort) -> Vec<Run> {
    let settings = settings(effort);
    let runs = effort.rounds().flat_map(|seed| {
        let both = settings.iter().flat_map(move |(experiment, settings)| {
            ["live", "simulated"]
                .map(|how| Run::new(NAME, experiment, settings.clone().with("how", how), seed))
        });
        both.collect::<Vec<Run>>()
    });
    runs.collect()
}

/// The settings. Files are large enough for a second or more; the quick extent has few live runs.
fn settings(effort: Effort) -> Vec<(&'static str, Settings)> {
    let mut all = Vec::new();
    let delays = effort.choose(vec![], vec![0.0, 10.0, 25.0, 50.0, 100.0, 200.0]);
    for delay in delays {
        let bytes = if delay < 10.0 { 15e6 } else { 3e6 };
        let one = Settings::new()
            .with("delay_ms", delay)
            .with("buffer_kib", USUAL_KIB)
            .with("bytes", bytes);
        all.extend(["tcp", "sctp"].map(|name| (DELAY, one.clone().with("transport", name))));
    }
    let counts = effort.choose(vec![1.0, 6.0], vec![1.0, 2.0, 4.0, 6.0, 10.0]);
    let losses = effort.choose(vec![5.0], vec![0.0, 5.0, 10.0]);
    for loss in losses {
        let bytes = if loss > 0.0 { 3e5 } else { 8e6 };
        let some = Settings::new()
            .with("loss_percent", loss)
            .with("buffer_kib", USUAL_KIB);
        let file = some.clone().with("delay_ms", 5.0).with("bytes", bytes);
        let single = some.with("messages", 200.0);
        let mut transports = vec![("tcp", 1.0)];
        transports.extend(counts.iter().map(|count| ("sctp", *count)));
        for (transport, count) in transports {
            let with = |settings: &Settings| {
                let settings = settings.clone().with("transport", transport);
                settings.with("streams", count)
            };
            all.push((COUNT, with(&file)));
            if loss > 0.0 {
                all.push((BLOCKING, with(&single)));
            }
        }
    }
    all
}

/// Carries out a live run over the network of its simulated counterpart.
pub(super) fn execute(run: &Run, twin: &Scenario) -> Result<Measured, String> {
    match run.settings.text("transport") {
        "tcp" => tcp(run, twin),
        _ => sctp(run, twin),
    }
}

/// Runs SCTP over UDP through a relay.
fn sctp(run: &Run, twin: &Scenario) -> Result<Measured, String> {
    let network = Scenario {
        flows: Vec::new(),
        ..twin.clone()
    };
    let mut emulator = Emulator::new(&network, run.seed).map_err(|error| error.to_string())?;
    let mut server = Process::part(NAME, &part("serve", &run.settings, None))?;
    let port = server.hear_port(SOON)?;
    let local = |port| SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port);
    let front = emulator.add_relay(local(0), local(port));
    let front = front.map_err(|error| error.to_string())?;
    let running = Running::start(emulator).map_err(|error| error.to_string())?;
    let _client = Process::part(NAME, &part("send", &run.settings, Some(front)))?;
    let heard = server.hear(LATER)?;
    let report = running.end().map_err(|error| error.to_string())?;
    Ok(with_report(measured(&heard)?, &report))
}

/// Runs the kernel's TCP between two network namespaces, through a tunnel.
fn tcp(run: &Run, twin: &Scenario) -> Result<Measured, String> {
    let work = |spaces: &Namespaces| {
        let [near, far] = spaces.names();
        let mut server = Namespaces::part(far, NAME, &part("serve", &run.settings, None))?;
        let to = SocketAddr::new(FAR.into(), server.hear_port(SOON)?);
        let _client = Namespaces::part(near, NAME, &part("send", &run.settings, Some(to)))?;
        server.hear(LATER)
    };
    cross(twin, run.seed, work, |heard, _| measured(&heard))
}

fn part(side: &str, settings: &Settings, to: Option<SocketAddr>) -> Value {
    json!({ "side": side, "settings": settings, "to": to })
}

/// Reads the measurements in the server's report.
fn measured(heard: &Value) -> Result<Measured, String> {
    let number = |name: &str| {
        let number = heard[name].as_f64();
        number.ok_or_else(|| format!("the server does not say {name}: {heard}"))
    };
    let (bytes, seconds) = (number("bytes")?, number("seconds")?);
    let delays = heard["delays"].as_array().into_iter().flatten();
    let delays: Vec<f64> = delays.filter_map(Value::as_f64).collect();
    let measured = Measured::new()
        .with("bytes", bytes)
        .with("seconds", seconds)
        .with("mbit_per_s", bytes * 8e-6 / seconds);
    Ok(network::with_delays(delays, measured))
}
