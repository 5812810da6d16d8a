//! Live agreement packet by packet: a transfer of which nothing is left to chance, through the emulator
//! and in the simulator.

mod sequence;

use core::time::Duration;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::thread;

use serde_json::json;
use sheave_emulate::{Emulator, Running};
use sheave_engine::{Options, Time};
use sheave_sim::scenario::Scenario;
use sheave_sim::{Bitrate, Errors, LinkSpec, Pattern, Tap};

use self::sequence::{Comparison, Exchange};
use super::{MESSAGE, PMTU, SOON, options};
use crate::live::{Process, Watch, on_time};
use crate::studies::network;
use crate::studies::recording::Recording;
use crate::studies::validation::{DELAY_MS, NAME};
use crate::{Effort, Extent, Measured, Run, Settings};

/// The experiment.
pub(in super::super) const PACKETS: &str = "packets";
/// The metric of the packets that are in one of both only.
pub(in super::super) const DIFFERING: &str = "differing_packets";
/// The metric of the time by which packets that are in both are early or late, the median.
pub(in super::super) const APART: &str = "apart_median_ms";
/// The note of the first difference.
pub(in super::super) const DIFFERENCE: &str = "first difference";

/// Packets on the way there that are lost, by number: one by itself, two in a row, one soon after those,
/// and a late one.
pub(in super::super) const LOST: [usize; 5] = [40, 120, 121, 160, 300];
/// Speed of the link, Mb/s: a packet takes 6 ms, next to which a late wake-up is short.
const MBIT: u64 = 2;
/// Packets that the queue holds: more than there are at a time.
const QUEUE: usize = 400;
/// Bytes of the receive buffer. In a small one the messages behind a gap make the window narrow; when
/// the gap is filled and the reader has taken them, a SACK tells of the window, live from another thread
/// and so after that for the data, simulated with it.
const BUFFER: usize = 262_144;
/// Bytes of a UDP header.
const UDP: u32 = 8;
/// The part of a run that is compared, from its first packet on.
const COMPARED: Duration = Duration::from_secs(5);
/// Time for which a live run goes on, for packets that are late.
const LATE: Duration = Duration::from_millis(500);
/// Time by which timers may be late on average. Ours: a sixth of what a packet takes.
const LATE_MAX: Duration = Duration::from_millis(1);

/// Time that a run takes.
pub(in super::super) fn duration() -> Duration {
    COMPARED + LATE
}

pub(in super::super) fn plan(effort: Effort) -> Vec<Run> {
    if effort.extent == Extent::Quick {
        return Vec::new();
    }
    let run =
        |seed, losses: &str| Run::new(NAME, PACKETS, Settings::new().with("losses", losses), seed);
    let rounds = effort.rounds();
    rounds
        .flat_map(|seed| ["none", "listed"].map(|losses| run(seed, losses)))
        .collect()
}

/// The network of a run and its sender. `overhead` is that of each packet, bytes.
fn scenario(settings: &Settings, overhead: u32) -> Scenario {
    let back = LinkSpec {
        queue: network::packets(QUEUE),
        overhead,
        ..LinkSpec::new(Bitrate::mbit(MBIT), Duration::from_millis(DELAY_MS))
    };
    let mut there = back.clone();
    if settings.text("losses") == "listed" {
        there.loss = Errors::Pattern(Pattern::numbers(&LOST));
    }
    let options = Options {
        initial_pmtu: PMTU,
        ..options(BUFFER)
    };
    let mut scenario = network::scenario(PACKETS, duration());
    scenario.links = vec![network::links("path1", ["A", "B"], there, back)];
    scenario.flows = vec![network::sctp(options, network::bulk(MESSAGE, 1, None))];
    scenario
}

/// Carries out a run both ways, and compares.
pub(in super::super) fn execute(run: &Run) -> Result<Measured, String> {
    // On the link simulated packets are as long as those in UDP.
    let simulated = simulated(&scenario(&run.settings, UDP), run.seed)?;
    let network = scenario(&run.settings, 0);
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

/// The packets of a live run, and the time by which timers were late in it.
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
    // The association is up.
    server.hear(SOON)?;
    let watch = Watch::begin();
    thread::sleep(duration());
    let late = watch.end();
    drop(client);
    running.end().map_err(|error| error.to_string())?;
    Ok((captures.exchange()?, late))
}

/// The captures of a link, there and back.
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
