//! Two flows that share a bottleneck.

use core::time::Duration;

use sheave_sim::scenario::Scenario;
use sheave_sim::{Bitrate, LinkSpec, tcp};

use super::{BBR, CHUNK, CONTROLS, CUBIC, PACKET, options, watch};
use crate::of_cells::{self, Column};
use crate::settings::whole;
use crate::studies::extensions::NAME;
use crate::studies::extensions::part::Part;
use crate::studies::{network, rivals};
use crate::{
    Cell, Effort, Evidence, Exhibit, Judgement, Measured, Quantity, Rule, Run, Settings, Summary,
};

pub(in crate::studies::extensions) const PART: Part = Part {
    experiment: EXPERIMENT,
    quantities,
    plan,
    scenario,
    execute,
    rules,
    exhibits,
};

const EXPERIMENT: &str = "bbr-sharing";

/// The kinds of competing flow.
const RIVALS: [&str; 4] = [ITSELF, CUBIC_TCP, rivals::THEN, rivals::RFC];
const ITSELF: &str = "itself";
/// The TCP used for judging: the only variant with CUBIC, which the claims are about.
const CUBIC_TCP: &str = rivals::TODAY;

/// Queue lengths, in bandwidth-delay products.
const QUEUES: [f64; 3] = [0.5, 1.0, 4.0];
/// Bandwidth-delay product, packets.
const PRODUCT: f64 = 66.7;
/// Duration of a run, start of the second flow, and start of the measurement, seconds.
const SECONDS: u64 = 45;
const LATER: u64 = 3;
const FROM: u64 = 15;
/// Metric: throughput relative to the other flow's.
const RATIO: &str = "times_rival";
/// Largest ratio to the other's share that counts as no more than it. Our choice.
const NO_MORE: f64 = 1.1;
/// Smallest Jain's index that counts as fair. Our choice.
const FAIR: f64 = 0.9;
/// Smallest share of an even half that does not count as starvation. Our choice.
const STARVED: f64 = 0.5;

fn quantities() -> Vec<Quantity> {
    vec![
        ("bbr_later_s", LATER.to_string()),
        ("bbr_from_s", FROM.to_string()),
        ("bbr_until_s", SECONDS.to_string()),
    ]
}

fn plan(effort: Effort) -> Vec<Settings> {
    let mut all = Vec::new();
    for rival in RIVALS {
        for control in CONTROLS {
            for queue in QUEUES {
                // The loss-based controls compete with themselves in short queues only.
                if rival == ITSELF && control != BBR && queue > 1.0 {
                    continue;
                }
                let judges = rival == ITSELF || rival == CUBIC_TCP;
                let short = judges || (control == BBR && queue == 1.0);
                if !effort.choose(short, true) {
                    continue;
                }
                let settings = Settings::new().with("rival", rival);
                all.push(settings.with("control", control).with("queue", queue));
            }
        }
    }
    all
}

fn scenario(settings: &Settings) -> Result<Scenario, String> {
    let queue = whole((settings.number("queue") * PRODUCT).round());
    let link = |mbit, millis, queue| LinkSpec {
        mtu: 1500,
        queue: network::packets(queue),
        ..LinkSpec::new(Bitrate::mbit(mbit), Duration::from_millis(millis))
    };
    let (bottleneck, access) = (link(20, 20, queue), link(1000, 0, 10_000));
    let back = link(1000, 20, 10_000);
    let both = |name, ends| network::links(name, ends, access.clone(), access.clone());
    let mut scenario = network::scenario(EXPERIMENT, Duration::from_secs(SECONDS));
    scenario.hosts.extend(["C", "D"].map(str::to_owned));
    scenario.routers = vec!["R".to_owned(), "S".to_owned()];
    scenario.links = vec![
        network::links("middle", ["R", "S"], bottleneck, back),
        both("a", ["A", "R"]),
        both("c", ["C", "R"]),
        both("b", ["S", "B"]),
        both("d", ["S", "D"]),
    ];
    let work = network::bulk(CHUNK, 1, None);
    let options = options(settings.text("control"))?;
    let mut rival = match settings.text("rival") {
        ITSELF => network::sctp(options.clone(), work.clone()),
        name if rivals::ALL.contains(&name) => {
            let tcp = tcp::Options {
                send_buffer: 8 << 20,
                receive_buffer: 8 << 20,
                ..rivals::options(name)
            };
            network::tcp(tcp, work.clone())
        }
        other => return Err(format!("there is no rival {other}")),
    };
    rival.name = "rival".to_owned();
    (rival.from, rival.to) = ("C".to_owned(), "D".to_owned());
    rival.start = Duration::from_secs(LATER);
    scenario.flows = vec![network::sctp(options, work), rival];
    Ok(scenario)
}

fn execute(run: &Run) -> Result<Measured, String> {
    let mut simulated = network::built(&scenario(&run.settings)?, run.seed)?;
    let from = Duration::from_secs(FROM);
    let seen = watch(&mut simulated, from, &["main", "rival"]);
    let (main, rival) = (seen.rates[0], seen.rates[1]);
    let squares = main * main + rival * rival;
    let mut measured = Measured::new()
        .with("mbit_per_s", main)
        .with("rival_mbit_per_s", rival)
        .with(RATIO, main / rival.max(1e-9))
        .with("jain", (main + rival).powi(2) / (2.0 * squares).max(1e-9))
        .with(
            "queueing_s",
            seen.mean_queue() * PACKET as f64 * 8e-6 / 20.0,
        );
    measured.fingerprint = Some(simulated.world.fingerprint().to_string());
    Ok(measured)
}

fn rules() -> Vec<Rule> {
    vec![
        Rule::new("EX-B7", itself),
        Rule::new("EX-B8", |summary| {
            beside_tcp(summary, |cell| cell.under(RATIO, NO_MORE))
        }),
        Rule::new("EX-B9", |summary| {
            beside_tcp(summary, |cell| cell.over(RATIO, STARVED))
        }),
    ]
}

fn cell<'a>(summary: &'a Summary, rival: &str, control: &str, queue: f64) -> Option<&'a Cell> {
    let some = Settings::new().with("rival", rival);
    let some = some.with("control", control).with("queue", queue);
    summary.cell(NAME, EXPERIMENT, &some)
}

fn itself(summary: &Summary) -> Option<Judgement> {
    let why = "The second begins while the first has all of the link.";
    Judgement::of_each(QUEUES, why, |queue| {
        let cell = cell(summary, ITSELF, BBR, queue)?;
        let told = format!("{queue} products: {}", cell.estimate("jain")?);
        Some((vec![cell.over("jain", FAIR)?], told))
    })
}

fn beside_tcp(summary: &Summary, holds: fn(&Cell) -> Option<Evidence>) -> Option<Judgement> {
    let why = "SCTP with CUBIC shows what this SCTP takes beside this TCP in any case.";
    Judgement::of_each(QUEUES, why, |queue| {
        let bbr = cell(summary, CUBIC_TCP, BBR, queue)?;
        let cubic = cell(summary, CUBIC_TCP, CUBIC, queue)?.estimate(RATIO)?;
        let ratio = bbr.estimate(RATIO)?;
        let others = [rivals::THEN, rivals::RFC].into_iter().filter_map(|tcp| {
            let ratio = cell(summary, tcp, BBR, queue)?.estimate(RATIO)?;
            Some(format!("; beside {tcp} {ratio}"))
        });
        let told = format!(
            "{queue} products: {ratio} times TCP (SCTP with CUBIC: {cubic}{})",
            others.collect::<String>()
        );
        Some((vec![holds(bbr)?], told))
    })
}

fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    use Column::{Estimate, Setting};
    let columns = [
        ("rival", Setting("rival")),
        ("congestion control", Setting("control")),
        ("queue (products)", Setting("queue")),
        ("Mb/s", Estimate("mbit_per_s")),
        ("rival, Mb/s", Estimate("rival_mbit_per_s")),
        ("Jain's index", Estimate("jain")),
        ("queueing (s)", Estimate("queueing_s")),
    ];
    let title = "Two flows with one bottleneck of 20 Mb/s";
    let table = of_cells::table(title, &columns, PART.cells(summary));
    vec![Exhibit::Table(table)]
}
