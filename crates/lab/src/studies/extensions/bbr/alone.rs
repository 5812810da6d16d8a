//! A single flow on links that are difficult for loss-based congestion control.

mod claims;

use core::time::Duration;

use sheave_sim::scenario::Scenario;
use sheave_sim::{Bitrate, Errors, LinkSpec, LinkTrace, Pace, Probability, VantagePoint};

use super::{CHUNK, CONTROLS, PACKET, options, watch};
use crate::of_cells::{self, Column};
use crate::settings::whole;
use crate::studies::extensions::NAME;
use crate::studies::extensions::part::Part;
use crate::studies::network;
use crate::{Cell, Effort, Exhibit, Measured, Quantity, Run, Settings, Summary};

pub(in crate::studies::extensions) const PART: Part = Part {
    experiment: EXPERIMENT,
    quantities,
    plan,
    scenario,
    execute,
    rules: claims::rules,
    exhibits,
};

const EXPERIMENT: &str = "bbr-alone";

/// A link with a difficulty.
#[derive(Clone, Copy, Debug)]
struct Network {
    name: &'static str,
    /// Link rate at the end of the run, Mb/s.
    mbit: f64,
    /// One-way propagation delay, milliseconds.
    delay: u64,
    /// Queue length, packets.
    queue: usize,
    /// Random loss, as a share of packets with DATA.
    loss: f64,
    /// Duration of a run, and start of the measurement, seconds.
    seconds: u64,
    from: u64,
}

const MIDDLING: Network = Network {
    name: "",
    mbit: 20.0,
    delay: 20,
    queue: 67,
    loss: 0.0,
    seconds: 25,
    from: 5,
};

const NETWORKS: [Network; 6] = [
    Network {
        name: "loss 0.1 %",
        loss: 0.001,
        ..MIDDLING
    },
    Network {
        name: "loss 1 %",
        loss: 0.01,
        ..MIDDLING
    },
    Network {
        name: "loss 2 %",
        loss: 0.02,
        ..MIDDLING
    },
    Network {
        name: DEEP,
        queue: 533,
        ..MIDDLING
    },
    Network {
        name: SHALLOW,
        mbit: 100.0,
        delay: 50,
        queue: 17,
        ..MIDDLING
    },
    Network {
        name: HALVED,
        // The trace has two packets of 1504 bytes per millisecond, then one.
        mbit: 12.032,
        queue: 320,
        seconds: 20,
        from: 15,
        ..MIDDLING
    },
];
const DEEP: &str = "deep buffer";
const SHALLOW: &str = "shallow buffer";
const HALVED: &str = "rate halved";

/// When the rate of [`HALVED`] drops, milliseconds.
const FALLS_AT: u64 = 10_000;

impl Network {
    fn named(name: &str) -> Result<Self, String> {
        let found = NETWORKS.into_iter().find(|network| network.name == name);
        found.ok_or_else(|| format!("there is no network {name}"))
    }

    /// Transmission time of a packet, seconds.
    fn packet_time(&self) -> f64 {
        PACKET as f64 * 8e-6 / self.mbit
    }

    /// Maximum goodput without loss, Mb/s.
    fn capacity(&self) -> f64 {
        self.mbit * CHUNK as f64 / PACKET as f64
    }

    /// Round-trip time with an empty queue, seconds.
    fn round_trip(&self) -> f64 {
        self.delay as f64 * 2e-3
    }

    fn pace(&self) -> Result<Pace, String> {
        if self.name != HALVED {
            return Ok(Pace::Constant(Bitrate::mbit(whole(self.mbit))));
        }
        let mut moments = String::new();
        for millis in 1..=self.seconds * 1000 {
            let line = format!("{millis}\n");
            moments.push_str(&line);
            if millis <= FALLS_AT {
                moments.push_str(&line);
            }
        }
        let trace = LinkTrace::parse(&moments).map_err(|error| error.to_string())?;
        Ok(Pace::Trace(trace.into()))
    }
}

fn quantities() -> Vec<Quantity> {
    vec![("bbr_chunk", CHUNK.to_string())]
}

fn plan(_: Effort) -> Vec<Settings> {
    let all = NETWORKS.iter().flat_map(|network| {
        CONTROLS.map(|control| {
            Settings::new()
                .with("network", network.name)
                .with("control", control)
        })
    });
    all.collect()
}

fn scenario(settings: &Settings) -> Result<Scenario, String> {
    let network = Network::named(settings.text("network"))?;
    let clean = LinkSpec {
        mtu: 1500,
        ..LinkSpec::new(Bitrate::mbit(1000), Duration::from_millis(network.delay))
    };
    let there = LinkSpec {
        pace: network.pace()?,
        queue: network::packets(network.queue),
        loss: if network.loss > 0.0 {
            Errors::Uniform(Probability::new(network.loss))
        } else {
            Errors::None
        },
        ..clean.clone()
    };
    let mut scenario = network::scenario(EXPERIMENT, Duration::from_secs(network.seconds));
    scenario.links = vec![network::links("link", ["A", "B"], there, clean)];
    let options = options(settings.text("control"))?;
    scenario.flows = vec![network::sctp(options, network::bulk(CHUNK, 1, None))];
    Ok(scenario)
}

fn execute(run: &Run) -> Result<Measured, String> {
    let network = Network::named(run.settings.text("network"))?;
    let mut simulated = network::built(&scenario(&run.settings)?, run.seed)?;
    let seen = watch(&mut simulated, Duration::from_secs(network.from), &["main"]);
    let dropped = simulated.world.link_stats(simulated.links[0].0);
    let mut measured = Measured::new()
        .with("mbit_per_s", seen.rates[0])
        .with("share", seen.rates[0] / network.capacity())
        .with("queueing_s", seen.mean_queue() * network.packet_time())
        .with("queueing_p95_s", seen.high_queue() * network.packet_time())
        .with(
            "dropped_percent",
            dropped.dropped as f64 * 100.0 / dropped.offered.max(1) as f64,
        );
    if let Some(stats) = simulated.sctp_stats("main", VantagePoint::Client) {
        measured = measured.with("timeouts", stats.assoc.timeouts as f64);
    }
    measured.fingerprint = Some(simulated.world.fingerprint().to_string());
    Ok(measured)
}

fn cell<'a>(summary: &'a Summary, network: &str, control: &str) -> Option<&'a Cell> {
    let some = Settings::new()
        .with("network", network)
        .with("control", control);
    summary.cell(NAME, EXPERIMENT, &some)
}

fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    use Column::{Estimate, Setting};
    let columns = [
        ("network", Setting("network")),
        ("congestion control", Setting("control")),
        ("Mb/s", Estimate("mbit_per_s")),
        ("share of the rate", Estimate("share")),
        ("queueing (s)", Estimate("queueing_s")),
        ("95 % of the time below (s)", Estimate("queueing_p95_s")),
        ("dropped by the queue (%)", Estimate("dropped_percent")),
        ("timeouts", Estimate("timeouts")),
    ];
    let table = of_cells::table("One flow on hard links", &columns, PART.cells(summary));
    vec![Exhibit::Table(table)]
}
