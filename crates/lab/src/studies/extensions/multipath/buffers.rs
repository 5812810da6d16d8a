//! Two unequal paths, with receive buffers of several sizes.

use core::time::Duration;

use sheave_engine::{BufferSplitting, Coupling, Multipath, Options};
use sheave_sim::scenario::Scenario;
use sheave_sim::tcp;

use super::{CHUNK, concurrent, link, measure, options, rate};
use crate::of_cells::{self, Column};
use crate::studies::extensions::NAME;
use crate::studies::extensions::part::Part;
use crate::studies::{network, rivals};
use crate::{Cell, Effort, Exhibit, Judgement, Measured, Quantity, Rule, Run, Settings, Summary};

pub(in crate::studies::extensions) const PART: Part = Part {
    experiment: EXPERIMENT,
    quantities,
    plan,
    scenario,
    execute,
    rules,
    exhibits,
};

const EXPERIMENT: &str = "multipath-buffers";

/// The compared transports; a TCP means two connections.
const TRANSPORTS: [&str; 6] = [ONE, SPLIT, WHOLE, JUDGED, rivals::THEN, rivals::TODAY];
const ONE: &str = "sctp, better path";
const SPLIT: &str = "cmt, buffers split";
const WHOLE: &str = "cmt, buffers shared";
/// The TCP used for judging: like the association, it has NewReno and the RFC's parameters.
const JUDGED: &str = rivals::RFC;

/// Rates (Mbit/s) and one-way delays (ms) of the two paths.
const FAST: (u64, u64) = (10, 10);
const SLOW: (u64, u64) = (2, 100);
/// Duration of a run, seconds.
const SECONDS: u64 = 20;
/// Smallest share of two TCP connections' goodput that counts as all of it. Our choice.
const NEARLY_ALL: f64 = 0.9;

fn quantities() -> Vec<Quantity> {
    let path = |(mbit, ms): (u64, u64)| format!("{mbit} Mb/s, {ms} ms");
    vec![
        ("fast_path", path(FAST)),
        ("slow_path", path(SLOW)),
        ("buffers_s", SECONDS.to_string()),
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
    let buffer = settings.whole::<usize>("buffer_kib") * 1024;
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
    let simulated = network::run(&scenario(&run.settings)?, run.seed)?;
    let measured = measure(&simulated);
    let both = rate(&simulated, "main") + rate(&simulated, "second");
    Ok(measured.with("mbit_per_s", both))
}

fn rules() -> Vec<Rule> {
    vec![
        Rule::new("EX-T1", aggregate),
        Rule::new("EX-T2", blocking),
        Rule::new("EX-T3", splitting),
    ]
}

fn cell<'a>(summary: &'a Summary, kib: f64, transport: &str) -> Option<&'a Cell> {
    let some = Settings::new()
        .with("buffer_kib", kib)
        .with("transport", transport);
    summary.cell(NAME, EXPERIMENT, &some)
}

fn sizes(summary: &Summary) -> Vec<f64> {
    summary.numbers(NAME, EXPERIMENT, "buffer_kib")
}

/// The throughputs of all transports for one buffer size, in words.
fn told(summary: &Summary, kib: f64) -> Option<String> {
    let rates = TRANSPORTS.map(|transport| {
        let mean = cell(summary, kib, transport)?.estimate("mbit_per_s")?;
        Some(format!("{transport} {mean}"))
    });
    let rates: Option<Vec<String>> = rates.into_iter().collect();
    Some(format!("{kib} KiB: {} Mb/s", rates?.join(", ")))
}

fn aggregate(summary: &Summary) -> Option<Judgement> {
    let largest = *sizes(summary).last()?;
    let one = cell(summary, largest, ONE)?;
    let tcp = cell(summary, largest, JUDGED)?;
    let mut parts = Vec::new();
    for transport in [SPLIT, WHOLE] {
        let both = cell(summary, largest, transport)?;
        parts.push(both.exceeds(tcp, "mbit_per_s", NEARLY_ALL)?);
        parts.push(both.is_above(one, "mbit_per_s")?);
    }
    Some(Judgement::new(
        parts,
        told(summary, largest)?,
        "A path's losses and acknowledgements move its own window alone.",
    ))
}

fn blocking(summary: &Summary) -> Option<Judgement> {
    let smallest = *sizes(summary).first()?;
    let whole = cell(summary, smallest, WHOLE)?;
    let one = cell(summary, smallest, ONE)?;
    Some(Judgement::new(
        vec![whole.is_below(one, "mbit_per_s")?],
        told(summary, smallest)?,
        "What the quick path has delivered fills the buffer until the slow one has sent what \
              goes before it.",
    ))
}

fn splitting(summary: &Summary) -> Option<Judgement> {
    let sizes = sizes(summary);
    let (_, smaller) = sizes.split_last()?;
    let why = "An even share bounds what the slow path holds up, but takes from the quick one what \
               it could use: which weighs more depends on the buffer.";
    Judgement::of_each(smaller, why, |kib| {
        let split = cell(summary, *kib, SPLIT)?;
        let whole = cell(summary, *kib, WHOLE)?;
        let above = split.is_above(whole, "mbit_per_s")?;
        Some((vec![above], told(summary, *kib)?))
    })
}

fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    use Column::{Estimate, Mean, Setting};
    let columns = [
        ("receive buffer (KiB)", Setting("buffer_kib")),
        ("transport", Setting("transport")),
        ("Mb/s", Estimate("mbit_per_s")),
        ("share of the other path", Mean("other_paths_share")),
        ("fast retransmissions", Mean("fast_retransmissions")),
        ("timeouts", Mean("timeouts")),
    ];
    let title = "Two unequal paths at a time, by receive buffer";
    let table = of_cells::table(title, &columns, PART.cells(summary));
    vec![Exhibit::Table(table)]
}
