//! Live agreement: the same engine over the same links, simulated, and in real time between
//! processes with real sockets.

pub(super) mod packets;
mod part;

use core::time::Duration;
use std::net::{Ipv4Addr, SocketAddr};
use std::thread;

use serde_json::json;
use sheave_emulate::{Emulator, Running};
use sheave_engine::{Options, PathMtuDiscovery, Profile, Time};
use sheave_sim::Sink;
use sheave_sim::scenario::Scenario;

pub(super) use self::part::take_part;
use super::{NAME, SCENE};
use crate::live::{Process, Watch, on_time};
use crate::studies::scene;
use crate::{Measured, Run};

/// Experiment: goodput, live and simulated.
pub(super) const LIVE: &str = "live";
/// Number of parallel associations, each with its own link.
pub(super) const PAIRS: usize = 4;
/// Size of a message, bytes, whose DATA chunk fills a packet even with a UDP header.
const MESSAGE: usize = 1440;
/// Size of the receive buffer, bytes.
const BUFFER: usize = 65_536;
/// Time from the first message to the start of the measurement.
const WARM_UP: Duration = Duration::from_secs(2);
/// Duration of a measurement.
const MEASURED: Duration = Duration::from_secs(10);
/// Largest mean lateness of timers, including 50 us of kernel slack. Our choice: at 250 us, caused
/// by other busy programs, goodput drops by a fifth.
const LATE_MAX: Duration = Duration::from_micros(150);
/// Time limit for a process to start.
const SOON: Duration = Duration::from_secs(20);

pub(super) fn is_live(run: &Run) -> bool {
    run.experiment == LIVE && run.settings.text("how") == "live"
}

/// The duration of a live run.
pub(super) fn duration() -> Duration {
    WARM_UP + MEASURED
}

/// The `count` links of a run, and the sender of a simulated one.
pub(super) fn scenario(run: &Run, count: usize) -> Result<Scenario, String> {
    let mut scenario = scene::scenario(SCENE, run)?;
    scenario.links.truncate(count);
    Ok(scenario)
}

/// RFC 9260's options, with a minimum RTO of 200 ms, so that few timeouts do not dominate a run.
fn options(receive_buffer: usize) -> Options {
    Options {
        path_mtu_discovery: PathMtuDiscovery::Off,
        receive_buffer,
        partial_delivery_point: receive_buffer / 2,
        rto_min: Duration::from_millis(200),
        ..Profile::Rfc9260.options()
    }
}

/// Carries out a run.
pub(super) fn execute(run: &Run) -> Result<Measured, String> {
    if !is_live(run) {
        return simulated(run);
    }
    on_time(LATE_MAX, || real(run))
}

/// Simulates a run for each association of the live one, each with its own seed.
fn simulated(run: &Run) -> Result<Measured, String> {
    let scenario = scenario(run, 1)?;
    let mut rates = 0.0;
    for number in 0..PAIRS as u64 {
        let built = scenario.build(run.seed * PAIRS as u64 + number);
        let mut simulated = built.map_err(|error| error.to_string())?;
        let mut delivered_at = |time| {
            simulated.world.run_until(Time::ZERO + time);
            simulated.sink("main").map_or(0, Sink::bytes)
        };
        let before = delivered_at(WARM_UP);
        let after = delivered_at(WARM_UP + MEASURED);
        rates += (after - before) as f64 * 8e-6 / MEASURED.as_secs_f64();
    }
    Ok(Measured::new().with("mbit_per_s", rates / PAIRS as f64))
}

/// Carries out a live run; also returns the mean lateness of timers.
fn real(run: &Run) -> Result<(Measured, Duration), String> {
    let network = Scenario {
        flows: Vec::new(),
        ..scenario(run, PAIRS)?
    };
    let mut emulator = Emulator::new(&network, run.seed).map_err(|error| error.to_string())?;
    let (mut servers, mut fronts) = (Vec::new(), Vec::new());
    for _ in 0..PAIRS {
        let mut server = Process::part(NAME, &json!({ "side": "serve", "buffer": BUFFER }))?;
        let port = server.hear_port(SOON)?;
        let local = |port| SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port);
        let front = emulator.add_relay(local(0), local(port));
        fronts.push(front.map_err(|error| error.to_string())?);
        servers.push(server);
    }
    let running = Running::start(emulator).map_err(|error| error.to_string())?;
    let clients: Result<Vec<Process>, String> = (fronts.iter())
        .map(|front| {
            let part = json!({ "side": "send", "to": front, "buffer": BUFFER });
            Process::part(NAME, &part)
        })
        .collect();
    let clients = clients?;
    for server in &mut servers {
        // The association is established.
        server.hear(SOON)?;
    }
    thread::sleep(WARM_UP);
    let before = ask(&mut servers)?;
    let watch = Watch::begin();
    thread::sleep(MEASURED);
    let late = watch.end();
    let after = ask(&mut servers)?;
    drop(clients);
    let report = running.end().map_err(|error| error.to_string())?;
    let rates: f64 = (before.iter().zip(&after))
        .map(|(before, after)| (after.0 - before.0) * 8e-6 / (after.1 - before.1))
        .sum();
    let refused = report.losses.unsent + report.losses.refused;
    let measured = Measured::new()
        .with("mbit_per_s", rates / PAIRS as f64)
        .with("emulator_losses", refused as f64);
    Ok((measured, late))
}

/// Asks each server for the bytes received so far, and its time in seconds.
fn ask(servers: &mut [Process]) -> Result<Vec<(f64, f64)>, String> {
    let mut answers = Vec::new();
    for server in servers {
        server.tell(&json!("count"))?;
        let heard = server.hear(SOON)?;
        match (heard["bytes"].as_f64(), heard["seconds"].as_f64()) {
            (Some(bytes), Some(seconds)) => answers.push((bytes, seconds)),
            _ => return Err(format!("the server does not count: {heard}")),
        }
    }
    Ok(answers)
}
