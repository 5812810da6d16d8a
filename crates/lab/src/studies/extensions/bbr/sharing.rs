//! Two flows with one bottleneck.

use core::time::Duration;

use sheave_sim::scenario::Scenario;
use sheave_sim::{Bitrate, LinkSpec, tcp};

use super::{BBR, CHUNK, CONTROLS, CUBIC, PACKET, options, watch};
use crate::studies::extensions::NAME;
use crate::studies::extensions::part::Part;
use crate::studies::{network, rivals};
use crate::{
    Cell, Claim, Effort, Evidence, Exhibit, Judgement, Measured, Parameter, Ruling, Run, Settings,
    Source, Summary, Table,
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

const EXPERIMENT: &str = "bbr-sharing";

/// The other flow.
const RIVALS: [&str; 4] = [ITSELF, CUBIC_TCP, rivals::THEN, rivals::RFC];
const ITSELF: &str = "itself";
/// The TCP that judges: of the three the only one with CUBIC, of which the claims speak.
const CUBIC_TCP: &str = rivals::TODAY;

/// Bandwidth-delay products in the queue.
const QUEUES: [f64; 3] = [0.5, 1.0, 4.0];
/// A bandwidth-delay product, packets.
const PRODUCT: f64 = 66.7;
/// Duration of a run, beginning of the second flow, and beginning of the measurement, seconds.
const SECONDS: u64 = 45;
const LATER: u64 = 3;
const FROM: u64 = 15;
/// The ratio to the other's throughput.
const RATIO: &str = "times_rival";
/// Ratio to the other's share that still counts as no more. Ours.
const NO_MORE: f64 = 1.1;
/// Jain's index from which on shares count as fair. Ours.
const FAIR: f64 = 0.9;
/// Share of an even half that counts as no starvation. Ours.
const STARVED: f64 = 0.5;

fn parameters() -> Vec<Parameter> {
    vec![
        Parameter::ours(
            "BBR sharing: network",
            "A and B, C and D, 1 Gb/s each to its router; between the routers 20 Mb/s, 20 ms each \
             way; drop-tail queues of 0.5, 1 and 4 bandwidth-delay products of 67 packets",
        ),
        Parameter::ours(
            "BBR sharing: rivals",
            format!(
                "another association like the first, or a TCP connection; it begins {LATER} s \
                 later. Linux's TCP of today judges, with CUBIC and SACK; those with NewReno, the \
                 RFCs' letter and Linux of 2006, stand beside it, in a short report where the \
                 queue holds one product"
            ),
        ),
        Parameter::ours(
            "BBR sharing: work",
            format!("both one way, as much as goes through, measured from {FROM} s to {SECONDS} s"),
        ),
    ]
}

fn plan(effort: Effort) -> Vec<Settings> {
    let mut all = Vec::new();
    for rival in RIVALS {
        for control in CONTROLS {
            for queue in QUEUES {
                // How the others share with themselves is asked in short queues only.
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
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a small number"
    )]
    let queue = (settings.number("queue") * PRODUCT).round() as usize;
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
    let scenario = scenario(&run.settings)?;
    let built = scenario.build(run.seed);
    let mut simulated = built.map_err(|error| error.to_string())?;
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

fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "EX-B7",
            statement: "flows with BBR share a link in an approximately fair manner",
            source: Source::Ours,
            paper: "draft-ietf-ccwg-bbr-06 §3.3: without a figure",
            rule: "Two of them, at each length of the queue: Jain's index at least 0.9 (ours). \
                   Reproduced if at all, partly if at some.",
            judge: itself,
        },
        Claim {
            id: "EX-B8",
            statement: "beside it CUBIC reaches a bandwidth at least as high as BBR's",
            source: Source::Ours,
            paper: "draft-ietf-ccwg-bbr-06 §5.3.3.8.2: an aim",
            rule: "At each length of the queue: the mean ratio to TCP CUBIC's throughput in the \
                   same run at most 1.1 (ours). Reproduced if at all, partly if at some.",
            judge: |summary| beside_tcp(summary, |cell| cell.under(RATIO, NO_MORE)),
        },
        Claim {
            id: "EX-B9",
            statement: "nor does CUBIC starve it",
            source: Source::Ours,
            paper: "ours: what a user would expect",
            rule: "At each length of the queue: the mean ratio to TCP CUBIC's throughput in the \
                   same run at least 0.5 (ours). Reproduced if at all, partly if at some.",
            judge: |summary| beside_tcp(summary, |cell| cell.over(RATIO, STARVED)),
        },
    ]
}

fn cell<'a>(summary: &'a Summary, rival: &str, control: &str, queue: f64) -> Option<&'a Cell> {
    let some = Settings::new().with("rival", rival);
    let some = some.with("control", control).with("queue", queue);
    summary.cell(NAME, EXPERIMENT, &some)
}

fn judged(parts: Vec<Evidence>, ours: &[String], why: &str) -> Judgement {
    Judgement {
        ruling: Ruling::of(parts),
        ours: ours.join("; "),
        why: why.to_owned(),
    }
}

fn itself(summary: &Summary) -> Option<Judgement> {
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    for queue in QUEUES {
        let cell = cell(summary, ITSELF, BBR, queue)?;
        parts.push(cell.over("jain", FAIR)?);
        ours.push(format!("{queue} products: {}", cell.estimate("jain")?));
    }
    let why = "The second begins while the first has all of the link.";
    Some(judged(parts, &ours, why))
}

fn beside_tcp(summary: &Summary, holds: fn(&Cell) -> Option<Evidence>) -> Option<Judgement> {
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    for queue in QUEUES {
        let bbr = cell(summary, CUBIC_TCP, BBR, queue)?;
        let cubic = cell(summary, CUBIC_TCP, CUBIC, queue)?.estimate(RATIO)?;
        parts.push(holds(bbr)?);
        let ratio = bbr.estimate(RATIO)?;
        let others = [rivals::THEN, rivals::RFC].into_iter().filter_map(|tcp| {
            let ratio = cell(summary, tcp, BBR, queue)?.estimate(RATIO)?;
            Some(format!("; beside {tcp} {ratio}"))
        });
        ours.push(format!(
            "{queue} products: {ratio} times TCP (SCTP with CUBIC: {cubic}{})",
            others.collect::<String>()
        ));
    }
    let why = "SCTP with CUBIC shows what this SCTP takes beside this TCP in any case.";
    Some(judged(parts, &ours, why))
}

fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    let head = [
        "rival",
        "congestion control",
        "queue (products)",
        "Mb/s",
        "rival, Mb/s",
        "Jain's index",
        "queueing (s)",
    ];
    let mut table = Table::new("Two flows with one bottleneck of 20 Mb/s", &head);
    for rival in RIVALS {
        for control in CONTROLS {
            for queue in QUEUES {
                let Some(cell) = cell(summary, rival, control, queue) else {
                    continue;
                };
                let of = |metric| {
                    let estimate = cell.estimate(metric);
                    estimate.map_or_else(String::new, |estimate| estimate.to_string())
                };
                table.push([
                    rival.to_owned(),
                    control.to_owned(),
                    queue.to_string(),
                    of("mbit_per_s"),
                    of("rival_mbit_per_s"),
                    of("jain"),
                    of("queueing_s"),
                ]);
            }
        }
    }
    vec![Exhibit::Table(table)]
}
