//! Two paths that share a bottleneck queue with a TCP connection.

use core::time::Duration;

use sheave_engine::{BufferSplitting, Coupling, Multipath};
use sheave_sim::scenario::Scenario;
use sheave_sim::{Bitrate, Discipline, LinkSpec, Red, Signal, tcp};

use super::{CHUNK, concurrent, link, measure, options, rate};
use crate::studies::extensions::NAME;
use crate::studies::extensions::part::Part;
use crate::studies::{network, rivals};
use crate::{
    Cell, Effort, Exhibit, Judgement, Measured, Quantity, Rule, Run, Settings, Summary, Table,
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

const EXPERIMENT: &str = "multipath-sharing";

/// The sending modes of the association.
const SENDERS: [&str; 5] = [ONE, UNCOUPLED, RP1, RP2, LIA];
const ONE: &str = "sctp, one path";
const UNCOUPLED: &str = "cmt, uncoupled";
const RP1: &str = "cmt, pooled thresholds";
const RP2: &str = "cmt, pooled rates";
const LIA: &str = "cmt, linked increases";

/// The competing TCPs. The first is used for judging: like the association, it has NewReno and the
/// RFC's parameters.
const TCPS: [&str; 3] = [rivals::RFC, rivals::THEN, rivals::TODAY];
/// The TCP used for judging.
const JUDGED: &str = TCPS[0];
/// The senders that the quick extent runs with the other TCPs.
const BESIDE_ALL: [&str; 2] = [ONE, UNCOUPLED];

/// Duration of a run, seconds.
const SECONDS: u64 = 60;
/// Largest ratio to TCP's share that counts as no more than it. Our choice: the variation of a
/// single path.
const NO_MORE: f64 = 1.1;
/// Queue length of the bottleneck, packets.
const QUEUE: usize = 80;

fn quantities() -> Vec<Quantity> {
    vec![
        ("sharing_queue", QUEUE.to_string()),
        ("sharing_s", SECONDS.to_string()),
    ]
}

fn plan(effort: Effort) -> Vec<Settings> {
    let mut plan = Vec::new();
    for tcp in TCPS {
        let senders = match tcp {
            JUDGED => &SENDERS[..],
            _ => effort.choose(&BESIDE_ALL[..], &SENDERS[..]),
        };
        plan.extend(
            senders
                .iter()
                .map(|sender| Settings::new().with("sender", *sender).with("tcp", tcp)),
        );
    }
    plan
}

fn scenario(settings: &Settings) -> Result<Scenario, String> {
    let pooled = |coupling| concurrent(BufferSplitting::Even, coupling);
    let multipath = match settings.text("sender") {
        ONE => Multipath::Off,
        UNCOUPLED => pooled(Coupling::Uncoupled),
        RP1 => pooled(Coupling::PooledThresholds),
        RP2 => pooled(Coupling::PooledRates),
        LIA => pooled(Coupling::LinkedIncreases),
        other => return Err(format!("there is no sender {other}")),
    };
    let mut scenario = network::scenario(EXPERIMENT, Duration::from_secs(SECONDS));
    scenario.hosts.extend(["C", "D"].map(str::to_owned));
    scenario.routers = vec!["R".to_owned(), "S".to_owned()];
    let access = link(100, 1, 1000);
    let bottleneck = LinkSpec {
        queue: Discipline::Red(Red::for_limit(QUEUE, Signal::Drop)),
        ..LinkSpec::new(Bitrate::mbit(10), Duration::from_millis(15))
    };
    let both = |name, ends, spec: &LinkSpec| network::links(name, ends, spec.clone(), spec.clone());
    scenario.links = vec![
        both("a1", ["A", "R"], &access),
        both("a2", ["A", "R"], &access),
        both("c", ["C", "R"], &access),
        both("middle", ["R", "S"], &bottleneck),
        both("b1", ["S", "B"], &access),
        both("b2", ["S", "B"], &access),
        both("d", ["S", "D"], &access),
    ];
    let work = network::bulk(CHUNK, 1, None);
    let mut rival = network::tcp(
        tcp::Options {
            receive_buffer: 1 << 20,
            ..rivals::options(settings.text("tcp"))
        },
        work.clone(),
    );
    rival.name = "rival".to_owned();
    (rival.from, rival.to) = ("C".to_owned(), "D".to_owned());
    scenario.flows = vec![network::sctp(options(multipath), work), rival];
    Ok(scenario)
}

fn execute(run: &Run) -> Result<Measured, String> {
    let simulated = network::run(&scenario(&run.settings)?, run.seed)?;
    let measured = measure(&simulated);
    let (main, rival) = (rate(&simulated, "main"), rate(&simulated, "rival"));
    Ok(measured
        .with("rival_mbit_per_s", rival)
        .with("times_tcp", main / rival.max(1e-9)))
}

fn rules() -> Vec<Rule> {
    vec![Rule::new("EX-T4", greed), Rule::new("EX-T5", fairness)]
}

fn cell<'a>(summary: &'a Summary, sender: &str, tcp: &str) -> Option<&'a Cell> {
    let some = Settings::new().with("sender", sender);
    summary.cell(NAME, EXPERIMENT, &some.with("tcp", tcp))
}

/// The ratios of all senders to the TCP used for judging, and, if run, to the other TCPs.
fn told(summary: &Summary) -> Option<String> {
    let ratio = |sender, tcp| {
        let mean = cell(summary, sender, tcp)?.estimate("times_tcp")?;
        Some(format!("{sender} {mean}"))
    };
    let judged = SENDERS.into_iter().map(|sender| ratio(sender, JUDGED));
    let judged: Option<Vec<String>> = judged.collect();
    let mut told = vec![format!("times TCP: {}", judged?.join(", "))];
    for tcp in &TCPS[1..] {
        let beside = SENDERS.into_iter().filter_map(|sender| ratio(sender, tcp));
        told.push(format!(
            "beside {tcp}: {}",
            beside.collect::<Vec<_>>().join(", ")
        ));
    }
    Some(told.join("; "))
}

fn greed(summary: &Summary) -> Option<Judgement> {
    let greedy = cell(summary, UNCOUPLED, JUDGED)?.over("times_tcp", NO_MORE)?;
    Some(Judgement::new(
        vec![greedy],
        told(summary)?,
        "Two windows halve one at a time, and grow by a packet each in a round trip.",
    ))
}

fn fairness(summary: &Summary) -> Option<Judgement> {
    let mut parts = Vec::new();
    for sender in [RP1, RP2, LIA] {
        parts.push(cell(summary, sender, JUDGED)?.under("times_tcp", NO_MORE)?);
    }
    Some(Judgement::new(
        parts,
        told(summary)?,
        "The sender with one path shows what this SCTP takes beside this TCP in any case.",
    ))
}

fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    let mut head = ["sender", "Mb/s", "TCP beside it, Mb/s"]
        .map(str::to_owned)
        .to_vec();
    head.extend(TCPS.map(|tcp| format!("times {tcp}")));
    let mut table = Table::with_head(
        "Two paths with one bottleneck, beside a TCP connection",
        head,
    );
    for sender in SENDERS {
        let of = |tcp, metric| {
            let estimate = cell(summary, sender, tcp).and_then(|cell| cell.estimate(metric));
            estimate.map_or_else(|| "-".to_owned(), |estimate| estimate.to_string())
        };
        let mut row = vec![sender.to_owned()];
        row.extend(["mbit_per_s", "rival_mbit_per_s"].map(|metric| of(JUDGED, metric)));
        row.extend(TCPS.map(|tcp| of(tcp, "times_tcp")));
        table.push(row);
    }
    vec![Exhibit::Table(table)]
}
