//! Both transports at the same time over one bottleneck.

use core::time::Duration;

use sheave_engine::Time;
use sheave_sim::scenario::Scenario;
use sheave_sim::tcp::Congestion;
use sheave_sim::{Bitrate, LinkSpec, Sink};

use super::grid::{Network, QueueLength};
use super::{MESSAGE, NAME, SIDES, flow, network, tcp};
use crate::{Effort, Measured, Quantity, Run, Settings};

pub(super) const SHARED: &str = "shared";

/// Congestion controls of the competing TCP.
pub(super) const RIVALS: [&str; 2] = [CUBIC, RENO];
pub(super) const CUBIC: &str = "CUBIC";
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

/// The queues of the bottleneck.
pub(super) const QUEUES: [QueueLength; 3] = [
    QueueLength::Products(1.0),
    QueueLength::Products(4.0),
    QueueLength::Codel,
];

fn networks(effort: Effort) -> Vec<Network> {
    let ways = effort.choose(
        vec![(10, 20), (10, 100), (50, 20)],
        vec![(10, 20), (10, 100), (50, 20), (50, 100)],
    );
    let all = ways.into_iter().flat_map(|(mbit, rtt_ms)| {
        QUEUES.map(|queue| Network {
            rtt_ms,
            loss_percent: 0.0,
            mbit,
            queue,
        })
    });
    all.collect()
}

pub(super) fn plan(effort: Effort) -> Vec<Run> {
    let mut plan = Vec::new();
    for network in networks(effort) {
        for (rival, side) in RIVALS
            .into_iter()
            .flat_map(|rival| SIDES.map(|side| (rival, side)))
        {
            let settings = network.settings().with("rival", rival).with("side", side);
            plan.extend(effort.runs(NAME, SHARED, settings));
        }
    }
    plan
}

pub(super) fn scenario(settings: &Settings, seed: u64) -> Result<Scenario, String> {
    let bottleneck = Network::of(settings)?;
    let access = LinkSpec {
        mtu: 1500,
        queue: network::packets(100_000),
        ..LinkSpec::new(Bitrate::mbit(1000), Duration::ZERO)
    };
    let both = |name, ends| network::links(name, ends, access.clone(), access.clone());
    let mut scenario = network::scenario(SHARED, Duration::from_secs(UNTIL));
    scenario.hosts.extend(["C", "D"].map(str::to_owned));
    scenario.routers = vec!["R".to_owned(), "S".to_owned()];
    let (there, back) = (bottleneck.there(), bottleneck.back());
    scenario.links = vec![
        network::links("middle", ["R", "S"], there, back),
        both("a", ["A", "R"]),
        both("c", ["C", "R"]),
        both("b", ["S", "B"]),
        both("d", ["S", "D"]),
    ];
    let work = network::bulk(MESSAGE, 1, None);
    let mut main = flow(settings.text("side"), work.clone())?;
    let with = |congestion| sheave_sim::tcp::Options {
        congestion,
        ..tcp()
    };
    let mut rival = match settings.text("rival") {
        CUBIC => network::tcp(with(Congestion::Cubic), work),
        RENO => network::tcp(with(Congestion::NewReno), work),
        other => return Err(format!("there is no rival {other}")),
    };
    rival.name = "rival".to_owned();
    (rival.from, rival.to) = ("C".to_owned(), "D".to_owned());
    begins_later(seed, [&mut main.start, &mut rival.start]);
    scenario.flows = vec![main, rival];
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
    let scenario = scenario(&run.settings, run.seed)?;
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
