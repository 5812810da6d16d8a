//! Live agreement packet by packet: a deterministic transfer, through the emulator and in the
//! simulator.

mod sequence;

use core::time::Duration;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::thread;

use serde_json::json;
use sheave_emulate::{Emulator, Running};
use sheave_engine::Time;
use sheave_sim::Tap;
use sheave_sim::scenario::Scenario;

use self::sequence::{Comparison, Exchange};
use super::SOON;
use crate::live::{Process, Watch, on_time};
use crate::studies::recording::Recording;
use crate::studies::scene;
use crate::studies::validation::{NAME, SCENE};
use crate::{Measured, Run};

/// Experiment: packet-by-packet comparison.
pub(in super::super) const PACKETS: &str = "packets";
/// Metric: number of packets that occur in only one of the two.
pub(in super::super) const DIFFERING: &str = "differing_packets";
/// Metric: median time difference of packets that occur in both.
pub(in super::super) const APART: &str = "apart_median_ms";
/// Note: the first difference.
pub(in super::super) const DIFFERENCE: &str = "first difference";

/// Size of the receive buffer, bytes. With a small buffer, messages behind a gap would shrink the
/// window. Once the gap is filled and the user has read them, a SACK announces the larger window:
/// after the SACK for the data in a live run, where another thread reads, but together with it in
/// simulation.
const BUFFER: usize = 262_144;
/// Size of a UDP header, bytes.
const UDP: u32 = 8;
/// Compared time from the first packet of a run.
const COMPARED: Duration = Duration::from_secs(5);
/// Additional duration of a live run, to include late packets.
const LATE: Duration = Duration::from_millis(500);
/// Largest mean lateness of timers. Our choice: a sixth of a packet's transmission time.
const LATE_MAX: Duration = Duration::from_millis(1);

/// The duration of a run.
pub(in super::super) fn duration() -> Duration {
    COMPARED + LATE
}

/// The network of a run with its sender; `overhead` is the number of additional bytes per packet.
fn scenario(run: &Run, overhead: u32) -> Result<Scenario, String> {
    let mut scenario = scene::scenario(SCENE, run)?;
    for pair in &mut scenario.links {
        (pair.there.overhead, pair.back.overhead) = (overhead, overhead);
    }
    Ok(scenario)
}

/// Carries out a run live and simulated, and compares the packets.
pub(in super::super) fn execute(run: &Run) -> Result<Measured, String> {
    // Makes simulated packets as long as those with a UDP header.
    let simulated = simulated(&scenario(run, UDP)?, run.seed)?;
    let network = scenario(run, 0)?;
    on_time(LATE_MAX, || {
        let (live, late) = real(&network, run.seed)?;
        let comparison = Comparison::new(&live, &simulated, COMPARED);
        Ok((measured(&comparison), late))
    })
}

fn measured(comparison: &Comparison) -> Measured {
    let measured = Measured::new()
        .with("packets", comparison.compared as f64)
        .with("agreeing_packets", comparison.agreeing as f64)
        .with("common_packets", comparison.common as f64)
        .with("further_packets", comparison.further as f64)
        .with(DIFFERING, comparison.differing() as f64);
    let measured = match comparison.apart {
        Some([median, most]) => measured
            .with(APART, median * 1e3)
            .with("apart_most_ms", most * 1e3),
        None => measured,
    };
    match &comparison.difference {
        Some(difference) => measured.with_note(DIFFERENCE, difference),
        None => measured,
    }
}

fn simulated(scenario: &Scenario, seed: u64) -> Result<Exchange, String> {
    let built = scenario.build(seed);
    let mut run = built.map_err(|error| error.to_string())?;
    let captures = Captures::default();
    let [there, back] = captures.sinks();
    let (forth, home) = *run.links.first().ok_or("there is no link")?;
    run.world.capture(forth, Tap::Departure, there);
    run.world.capture(home, Tap::Departure, back);
    run.world.run_until(Time::ZERO + duration());
    let finished = run.world.finish_captures();
    finished.map_err(|error| error.to_string())?;
    captures.exchange()
}

/// The packets of a live run, and the mean lateness of timers.
fn real(scenario: &Scenario, seed: u64) -> Result<(Exchange, Duration), String> {
    let network = Scenario {
        flows: Vec::new(),
        ..scenario.clone()
    };
    let mut emulator = Emulator::new(&network, seed).map_err(|error| error.to_string())?;
    let captures = Captures::default();
    emulator.capture(0, captures.sinks());
    let mut server = Process::part(NAME, &json!({ "side": "serve", "buffer": BUFFER }))?;
    let local = |port| SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port);
    let port = server.hear_port(SOON)?;
    let front = emulator.add_relay(local(0), local(port));
    let front = front.map_err(|error| error.to_string())?;
    let running = Running::start(emulator).map_err(|error| error.to_string())?;
    let client = Process::part(
        NAME,
        &json!({ "side": "send", "to": front, "buffer": BUFFER }),
    )?;
    // The association is established.
    server.hear(SOON)?;
    let watch = Watch::begin();
    thread::sleep(duration());
    let late = watch.end();
    drop(client);
    running.end().map_err(|error| error.to_string())?;
    Ok((captures.exchange()?, late))
}

/// Captures of a link in both directions.
#[derive(Debug, Default)]
struct Captures([Recording; 2]);

impl Captures {
    fn sinks(&self) -> [Box<dyn Write + Send>; 2] {
        let sink = |one: &Recording| Box::new(one.clone()) as Box<dyn Write + Send>;
        [sink(&self.0[0]), sink(&self.0[1])]
    }

    fn exchange(&self) -> Result<Exchange, String> {
        let bytes = self.0.each_ref().map(Recording::bytes);
        Exchange::read([&bytes[0], &bytes[1]])
    }
}

#[cfg(test)]
mod tests;
