//! Two radio links that corrupt packets, with and without chunk checksums.

use core::time::Duration;

use sheave_engine::{BufferSplitting, ChunkChecksum, Coupling, Multipath, Options};
use sheave_sim::scenario::Scenario;
use sheave_sim::{Corruption, Errors, Flips, LinkSpec, Placement, Probability};

use super::{CHUNK, concurrent, link, measure, options};
use crate::of_cells::{self, Column};
use crate::studies::extensions::NAME;
use crate::studies::extensions::part::Part;
use crate::studies::network;
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

const EXPERIMENT: &str = "multipath-radios";

/// The sending modes of the association.
const SENDERS: [&str; 4] = [PLAIN, CHECKED, BOTH, BOTH_CHECKED];
const PLAIN: &str = "one path";
const CHECKED: &str = "one path, chunk checksum";
const BOTH: &str = "cmt";
const BOTH_CHECKED: &str = "cmt, chunk checksum";

/// Duration of a run, seconds.
const SECONDS: u64 = 20;
/// Smallest gain of two radios over one that counts as good use. Our choice.
const WELL_USED: f64 = 1.5;

fn quantities() -> Vec<Quantity> {
    vec![("radios_s", SECONDS.to_string())]
}

fn plan(_: Effort) -> Vec<Settings> {
    let mut plan = Vec::new();
    for percent in [1_u32, 5] {
        plan.extend(SENDERS.map(|sender| {
            Settings::new()
                .with("damage_percent", percent)
                .with("sender", sender)
        }));
    }
    plan
}

fn scenario(settings: &Settings) -> Result<Scenario, String> {
    let both = concurrent(BufferSplitting::Even, Coupling::Uncoupled);
    let (multipath, chunk_checksum) = match settings.text("sender") {
        PLAIN => (Multipath::Off, ChunkChecksum::Off),
        CHECKED => (Multipath::Off, ChunkChecksum::On),
        BOTH => (both, ChunkChecksum::Off),
        BOTH_CHECKED => (both, ChunkChecksum::On),
        other => return Err(format!("there is no sender {other}")),
    };
    let options = Options {
        chunk_checksum,
        receive_buffer: 4 << 20,
        ..options(multipath)
    };
    let clean = link(11, 21, 50);
    let share = settings.number("damage_percent") / 100.0;
    let noisy = LinkSpec {
        corruption: Corruption::Packets {
            errors: Errors::Uniform(Probability::new(share)),
            flips: Flips {
                least: 1,
                most: 1,
                placement: Placement::Scattered,
            },
        },
        ..clean.clone()
    };
    let mut scenario = network::scenario(EXPERIMENT, Duration::from_secs(SECONDS));
    scenario.links = ["one", "two"]
        .map(|name| network::links(name, ["A", "B"], noisy.clone(), clean.clone()))
        .to_vec();
    scenario.flows = vec![network::sctp(options, network::bulk(CHUNK, 1, None))];
    Ok(scenario)
}

fn execute(run: &Run) -> Result<Measured, String> {
    let simulated = network::run(&scenario(&run.settings)?, run.seed)?;
    Ok(measure(&simulated))
}

fn rules() -> Vec<Rule> {
    vec![Rule::new("EX-T6", worth), Rule::new("EX-T7", aggregate)]
}

fn cell<'a>(summary: &'a Summary, percent: f64, sender: &str) -> Option<&'a Cell> {
    let some = Settings::new()
        .with("damage_percent", percent)
        .with("sender", sender);
    summary.cell(NAME, EXPERIMENT, &some)
}

fn damages(summary: &Summary) -> Vec<f64> {
    summary.numbers(NAME, EXPERIMENT, "damage_percent")
}

fn told(summary: &Summary, percent: f64) -> Option<String> {
    let rates = SENDERS.map(|sender| {
        let mean = cell(summary, percent, sender)?.estimate("mbit_per_s")?;
        Some(format!("{sender} {mean}"))
    });
    let rates: Option<Vec<String>> = rates.into_iter().collect();
    Some(format!("{percent} %: {} Mb/s", rates?.join(", ")))
}

fn worth(summary: &Summary) -> Option<Judgement> {
    let why = "Without it each damaged packet halves the window of its path.";
    Judgement::of_each(damages(summary), why, |percent| {
        let checked = cell(summary, percent, BOTH_CHECKED)?;
        let plain = cell(summary, percent, BOTH)?;
        let above = checked.is_above(plain, "mbit_per_s")?;
        Some((vec![above], told(summary, percent)?))
    })
}

fn aggregate(summary: &Summary) -> Option<Judgement> {
    let why = "What was damaged on one path goes by the other, as far as its window allows.";
    Judgement::of_each(damages(summary), why, |percent| {
        let both = cell(summary, percent, BOTH_CHECKED)?;
        let one = cell(summary, percent, CHECKED)?;
        let used = both.exceeds(one, "mbit_per_s", WELL_USED)?;
        Some((vec![used], told(summary, percent)?))
    })
}

fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    use Column::{Estimate, Mean, Setting};
    let columns = [
        ("damaged (%)", Setting("damage_percent")),
        ("sender", Setting("sender")),
        ("Mb/s", Estimate("mbit_per_s")),
        ("fast retransmissions", Mean("fast_retransmissions")),
        ("timeouts", Mean("timeouts")),
    ];
    let title = "Two damaging radios, one or both at a time";
    let table = of_cells::table(title, &columns, PART.cells(summary));
    vec![Exhibit::Table(table)]
}
