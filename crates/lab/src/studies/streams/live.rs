//! Live runs: real processes over the same links in real time, each with a simulated counterpart.

mod part;

use core::time::Duration;
use std::net::{Ipv4Addr, SocketAddr};

use serde_json::{Value, json};
use sheave_emulate::{Emulator, Running};
use sheave_sim::scenario::Scenario;

pub(super) use self::part::take_part;
use super::{NAME, network};
use crate::live::{FAR, Namespaces, Process, cross, with_report};
use crate::{Measured, Run, Settings};

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
