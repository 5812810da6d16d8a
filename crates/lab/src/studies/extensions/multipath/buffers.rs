//! Two unequal paths, and receive buffers of several sizes.

use core::time::Duration;

use sheave_engine::{BufferSplitting, Coupling, Multipath, Options};
use sheave_sim::scenario::Scenario;
use sheave_sim::tcp;

use super::{CHUNK, concurrent, count, link, measure, options, rate};
use crate::estimate::shown;
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

const EXPERIMENT: &str = "multipath-buffers";

/// The transports that are compared; a TCP stands for two connections.
const TRANSPORTS: [&str; 6] = [ONE, SPLIT, WHOLE, JUDGED, rivals::THEN, rivals::TODAY];
const ONE: &str = "sctp, better path";
const SPLIT: &str = "cmt, buffers split";
const WHOLE: &str = "cmt, buffers shared";
/// The TCP that judges: the association, too, has NewReno and the RFC's parameters.
const JUDGED: &str = rivals::RFC;

/// Rates and delays of the two paths.
const FAST: (u64, u64) = (10, 10);
const SLOW: (u64, u64) = (2, 100);
/// Duration of a run, seconds.
const SECONDS: u64 = 20;
/// Share of two TCP connections' goodput that counts as all of it. Ours.
const NEARLY_ALL: f64 = 0.9;

fn parameters() -> Vec<Parameter> {
    vec![
        Parameter::ours("multipath: identifiers of the claims", "EX-T1 to EX-T7"),
        Parameter::ours(
            "multipath buffers: network",
            format!(
                "two paths of A and B: {} Mb/s, {} ms and {} Mb/s, {} ms; queues of 50 packets",
                FAST.0, FAST.1, SLOW.0, SLOW.1
            ),
        ),
        Parameter::ours(
            "multipath buffers: receive buffer",
            "32 KiB to 1 MiB, TCP's too; send buffer 4 MiB",
        ),
        Parameter::ours(
            "multipath: concurrent transfer",
            "paths by lowest round trip, retransmissions to the largest window, a path out of use \
             from its first timeout on",
        ),
        Parameter::ours(
            "multipath buffers: TCP",
            "two connections, one on each path, between hosts of their own: the RFCs' letter \
             judges, NewReno with SACK as the association has it; Linux of 2006 and of today \
             (CUBIC) stand beside it",
        ),
        Parameter::ours(
            "multipath buffers: work",
            format!("one way, as much as goes through in {SECONDS} s"),
        ),
    ]
}

fn plan(effort: Effort) -> Vec<Settings> {
    let sizes: Vec<u32> = effort.choose(vec![32, 128, 1024], vec![32, 64, 128, 256, 512, 1024]);
    let mut plan = Vec::new();
    for size in sizes {
        plan.extend(TRANSPORTS.map(|transport| {
            Settings::new()
                .with("buffer_kib", size)
                .with("transport", transport)
        }));
    }
    plan
}

fn scenario(settings: &Settings) -> Result<Scenario, String> {
    let buffer = count(settings, "buffer_kib") * 1024;
    let [fast, slow] = [FAST, SLOW].map(|(mbit, millis)| link(mbit, millis, 50));
    let mut scenario = network::scenario(EXPERIMENT, Duration::from_secs(SECONDS));
    let mut pair = |name, ends, spec: &sheave_sim::LinkSpec| {
        let both = network::links(name, ends, spec.clone(), spec.clone());
        scenario.links.push(both);
    };
    let work = network::bulk(CHUNK, 1, None);
    let sctp = |multipath| {
        let options = Options {
            receive_buffer: buffer,
            partial_delivery_point: buffer / 2,
            ..options(multipath)
        };
        network::sctp(options, work.clone())
    };
    let coupling = Coupling::Uncoupled;
    let flows = match settings.text("transport") {
        ONE => vec![sctp(Multipath::Off)],
        SPLIT => vec![sctp(concurrent(BufferSplitting::Even, coupling))],
        WHOLE => vec![sctp(concurrent(BufferSplitting::Off, coupling))],
        name if rivals::ALL.contains(&name) => {
            let options = tcp::Options {
                receive_buffer: buffer,
                ..rivals::options(name)
            };
            let main = network::tcp(options, work);
            let mut second = main.clone();
            second.name = "second".to_owned();
            (second.from, second.to) = ("C".to_owned(), "D".to_owned());
            vec![main, second]
        }
        other => return Err(format!("there is no transport {other}")),
    };
    pair("fast", ["A", "B"], &fast);
    if flows.len() == 1 {
        pair("slow", ["A", "B"], &slow);
    } else {
        pair("slow", ["C", "D"], &slow);
        scenario.hosts.extend(["C", "D"].map(str::to_owned));
    }
    scenario.flows = flows;
    Ok(scenario)
}

fn execute(run: &Run) -> Result<Measured, String> {
    let scenario = scenario(&run.settings)?;
    let built = scenario.build(run.seed);
    let mut simulated = built.map_err(|error| error.to_string())?;
    simulated.world.run_to_completion(simulated.end);
    let measured = measure(&simulated);
    let both = rate(&simulated, "main") + rate(&simulated, "second");
    Ok(measured.with("mbit_per_s", both))
}

fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "EX-T1",
            statement: "with enough receive buffer, concurrent transfer uses the paths as well as \
                        connections of their own would",
            source: Source::Ours,
            paper: "Iyengar, Amer and Stewart 2006: beside an idealised striping application; \
                    without a figure named here",
            rule: "At the largest buffer run, split and shared: throughput at least 90 % (ours) of \
                   two connections of the RFCs' TCP together, and above the better path alone \
                   beyond doubt (95 %, seed by seed). Reproduced if all hold, partly if some.",
            judge: aggregate,
        },
        Claim {
            id: "EX-T2",
            statement: "a small receive buffer is blocked by what waits for the slower path",
            source: Source::Ours,
            paper: "Iyengar, Amer and Stewart 2007; Adhari and others 2011: without a figure named \
                    here",
            rule: "At the smallest buffer run, shared: throughput below the better path alone \
                   beyond doubt (95 %, seed by seed).",
            judge: blocking,
        },
        Claim {
            id: "EX-T3",
            statement: "buffer splitting keeps one path from blocking the other",
            source: Source::Ours,
            paper: "Adhari and others 2011; draft-tuexen-tsvwg-sctp-multipath: without a figure \
                    named here",
            rule: "Split above shared beyond doubt (95 %, seed by seed) at each buffer below the \
                   largest run. Reproduced if at all, partly if at some.",
            judge: splitting,
        },
    ]
}

fn cell<'a>(summary: &'a Summary, kib: f64, transport: &str) -> Option<&'a Cell> {
    let some = Settings::new()
        .with("buffer_kib", kib)
        .with("transport", transport);
    summary.cell(NAME, EXPERIMENT, &some)
}

fn sizes(summary: &Summary) -> Option<Vec<f64>> {
    let sizes = summary.numbers(NAME, EXPERIMENT, "buffer_kib");
    (!sizes.is_empty()).then_some(sizes)
}

/// Throughputs of all transports at one buffer.
fn told(summary: &Summary, kib: f64) -> Option<String> {
    let rates = TRANSPORTS.map(|transport| {
        let mean = cell(summary, kib, transport)?.estimate("mbit_per_s")?;
        Some(format!("{transport} {mean}"))
    });
    let rates: Option<Vec<String>> = rates.into_iter().collect();
    Some(format!("{kib} KiB: {} Mb/s", rates?.join(", ")))
}

fn aggregate(summary: &Summary) -> Option<Judgement> {
    let largest = *sizes(summary)?.last()?;
    let one = cell(summary, largest, ONE)?;
    let tcp = cell(summary, largest, JUDGED)?;
    let mut parts = Vec::new();
    for transport in [SPLIT, WHOLE] {
        let both = cell(summary, largest, transport)?;
        parts.push(both.exceeds(tcp, "mbit_per_s", NEARLY_ALL)?);
        parts.push(both.is_above(one, "mbit_per_s")?);
    }
    Some(Judgement {
        ruling: Ruling::of(parts),
        ours: told(summary, largest)?,
        why: "A path's losses and acknowledgements move its own window alone.".to_owned(),
    })
}

fn blocking(summary: &Summary) -> Option<Judgement> {
    let smallest = *sizes(summary)?.first()?;
    let whole = cell(summary, smallest, WHOLE)?;
    let one = cell(summary, smallest, ONE)?;
    Some(Judgement {
        ruling: Ruling::of(vec![whole.is_below(one, "mbit_per_s")?]),
        ours: told(summary, smallest)?,
        why: "What the quick path has delivered fills the buffer until the slow one has sent what \
              goes before it."
            .to_owned(),
    })
}

fn splitting(summary: &Summary) -> Option<Judgement> {
    let sizes = sizes(summary)?;
    let (_, smaller) = sizes.split_last()?;
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    for kib in smaller {
        let split = cell(summary, *kib, SPLIT)?;
        let whole = cell(summary, *kib, WHOLE)?;
        parts.push(split.is_above(whole, "mbit_per_s")?);
        ours.push(told(summary, *kib)?);
    }
    Some(Judgement {
        ruling: Ruling::of(parts),
        ours: ours.join("; "),
        why: "An even share bounds what the slow path holds up, but takes from the quick one what \
              it could use: which weighs more depends on the buffer."
            .to_owned(),
    })
}

fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    let head = [
        "receive buffer (KiB)",
        "transport",
        "Mb/s",
        "share of the other path",
        "fast retransmissions",
        "timeouts",
    ];
    let mut table = Table::new("Two unequal paths at a time, by receive buffer", &head);
    for kib in summary.numbers(NAME, EXPERIMENT, "buffer_kib") {
        for transport in TRANSPORTS {
            let Some(cell) = cell(summary, kib, transport) else {
                continue;
            };
            let plain = |metric| cell.mean(metric).map_or_else(|| "-".to_owned(), shown);
            let rate = cell.estimate("mbit_per_s");
            table.push([
                kib.to_string(),
                transport.to_owned(),
                rate.map_or_else(|| "-".to_owned(), |rate| rate.to_string()),
                plain("other_paths_share"),
                plain("fast_retransmissions"),
                plain("timeouts"),
            ]);
        }
    }
    vec![Exhibit::Table(table)]
}
