//! Two paths that meet in one queue, beside a TCP connection.

use core::time::Duration;

use sheave_engine::{BufferSplitting, Coupling, Multipath};
use sheave_sim::scenario::Scenario;
use sheave_sim::{Bitrate, Discipline, LinkSpec, Red, Signal, tcp};

use super::{CHUNK, concurrent, link, measure, options, rate};
use crate::studies::extensions::NAME;
use crate::studies::extensions::part::Part;
use crate::studies::{network, rivals};
use crate::{
    Cell, Claim, Effort, Exhibit, Judgement, Measured, Parameter, Ruling, Run, Settings, Source,
    Summary, Table,
};

pub(in crate::studies::extensions) const PART: Part = Part {
    experiment: EXPERIMENT,
    parameters,
    plan,
    scenario,
    execute,
    claims,
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

/// The TCPs beside them, the judged one first: the association, too, has NewReno and the RFC's
/// parameters.
const TCPS: [&str; 3] = [rivals::RFC, rivals::THEN, rivals::TODAY];
/// The TCP that judges.
const JUDGED: &str = TCPS[0];
/// The senders that a short report runs beside the TCPs that do not judge.
const BESIDE_ALL: [&str; 2] = [ONE, UNCOUPLED];

/// Duration of a run, seconds.
const SECONDS: u64 = 60;
/// Ratio to TCP's share that still counts as no more. Ours: the variation of one path alone.
const NO_MORE: f64 = 1.1;
/// Queue of the bottleneck, packets.
const QUEUE: usize = 80;

fn parameters() -> Vec<Parameter> {
    vec![
        Parameter::ours(
            "multipath sharing: network",
            format!(
                "A and B, two links of 100 Mb/s each to a router; C and D, one; between the \
                 routers 10 Mb/s, 15 ms; RED (drops) with a queue of {QUEUE} packets"
            ),
        ),
        Parameter::ours(
            "multipath sharing: rival",
            "one TCP connection from C to D: the RFCs' letter judges, NewReno with SACK as the \
             association has it; Linux of 2006 and of today (CUBIC) stand beside it, in a short \
             report for one path and uncoupled windows only",
        ),
        Parameter::ours(
            "multipath sharing: work",
            format!("both one way, as much as goes through in {SECONDS} s; windows of 1 MiB"),
        ),
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
    let scenario = scenario(&run.settings)?;
    let built = scenario.build(run.seed);
    let mut simulated = built.map_err(|error| error.to_string())?;
    simulated.world.run_to_completion(simulated.end);
    let measured = measure(&simulated);
    let (main, rival) = (rate(&simulated, "main"), rate(&simulated, "rival"));
    Ok(measured
        .with("rival_mbit_per_s", rival)
        .with("times_tcp", main / rival.max(1e-9)))
}

fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "EX-T4",
            statement: "uncoupled windows take more than one connection's share of a bottleneck \
                        that the paths have in common",
            source: Source::Ours,
            paper: "Dreibholz and others 2010; RFC 6356 §1: without a figure named here",
            rule: "Uncoupled, beside the RFCs' TCP: the association's throughput above TCP's in \
                   the same run beyond doubt (the whole 95 % interval of the ratio above 1.1, \
                   ours).",
            judge: greed,
        },
        Claim {
            id: "EX-T5",
            statement: "coupled windows take no more than one TCP connection there",
            source: Source::Ours,
            paper: "Dreibholz and others 2010, Dreibholz 2012 (resource pooling); RFC 6356 §2, \
                    goal 2: without a figure named here",
            rule: "Each of the three couplings, beside the RFCs' TCP: the mean ratio to TCP's \
                   throughput in the same run at most 1.1 (ours). Reproduced if all hold, partly \
                   if some.",
            judge: fairness,
        },
    ]
}

fn cell<'a>(summary: &'a Summary, sender: &str, tcp: &str) -> Option<&'a Cell> {
    let some = Settings::new().with("sender", sender);
    summary.cell(NAME, EXPERIMENT, &some.with("tcp", tcp))
}

/// The ratios of all senders to the TCP that judges, and of those that were run to the others.
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
    Some(Judgement {
        ruling: Ruling::of(vec![greedy]),
        ours: told(summary)?,
        why: "Two windows halve one at a time, and grow by a packet each in a round trip."
            .to_owned(),
    })
}

fn fairness(summary: &Summary) -> Option<Judgement> {
    let mut parts = Vec::new();
    for sender in [RP1, RP2, LIA] {
        parts.push(cell(summary, sender, JUDGED)?.under("times_tcp", NO_MORE)?);
    }
    Some(Judgement {
        ruling: Ruling::of(parts),
        ours: told(summary)?,
        why: "The sender with one path shows what this SCTP takes beside this TCP in any case."
            .to_owned(),
    })
}

fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    let mut head = ["sender", "Mb/s", "TCP beside it, Mb/s"]
        .map(str::to_owned)
        .to_vec();
    head.extend(TCPS.map(|tcp| format!("times {tcp}")));
    let mut table = Table {
        title: "Two paths with one bottleneck, beside a TCP connection".to_owned(),
        head,
        ..Table::default()
    };
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
