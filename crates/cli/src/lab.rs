//! `sheave lab`: the published studies, run again.

mod progress;
mod results_writer;
mod selection;

use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use clap::{Args, Subcommand};
use serde_json::json;
use sheave_lab::live::Parent;
use sheave_lab::{
    Agreement, Execution, LOOKS, Machine, Manifest, Record, Report, Run, Shard, Store,
    UserScenario, Wanted, capture_first_runs, capture_run, execute, find, further_runs, studies,
};

use crate::failure::{Exit, Failure, While};
use crate::interrupt::Interrupts;
use crate::screen::{Output, Screen};
use progress::Display;
use results_writer::{ResultsWriter, WriteOnce};
use selection::Selection;

/// Runs that are captured at most in one go: a second at 1 Gbit/s is more than 100 MB.
const CAPTURED_MAX: usize = 50;

/// Runs what the papers claim.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  sheave lab list                              the studies and what they claim
  sheave lab run                               all of them, in minutes
  sheave lab run --full                        all of them, with all sweeps
  sheave lab run establishment --out results   one study
  sheave lab run --seeds-after 1000 --out b    the same with other seeds; then:
  sheave lab compare lab-results b             which verdicts differ
  sheave lab run --shard 1/4 --out quarter1    a quarter of the runs; later, all of them:
  sheave lab report quarter1 quarter2 quarter3 quarter4
  sheave lab run scenarios/radio.toml          a scenario of your own
  sheave lab run streams --only 'loss_percent = 5' --seeds 1 --capture --qlog

Finished runs are kept and not repeated, unless the code has changed. The report is \
`report.html`, with a page for each study in `report`; beside it stand `report.md`, the data of \
each study as CSV and Parquet, and `manifest.json`; `captures` holds the packets of each study's first run, for Wireshark.

A scenario is a TOML file that says which hosts and links there are, who sends what, and which \
values are to be swept; see scenarios/radio.toml, scenarios/two-paths.toml,
scenarios/dark-path.toml and scenarios/shared-buffer.toml.

Exit codes: 0 all runs are there; 1 some failed; 2 there is no such study, or a scenario is wrong; \
130 Ctrl-C, with the report of what was finished.")]
pub struct LabArgs {
    /// Subcommand to run
    #[command(subcommand)]
    command: LabCommand,
}

#[derive(Subcommand, Clone, Debug)]
enum LabCommand {
    /// List the studies and their claims
    List,
    /// Run studies or scenarios and write the report
    Run(RunArgs),
    /// Show which verdicts of two results differ, such as of runs with different seeds
    Compare {
        /// The folder of one result
        one: PathBuf,
        /// The folder of the other
        other: PathBuf,
    },
    /// Write the report of what was run
    Report {
        /// Folders of results; the report of all of them is written to the first
        #[arg(default_value = "lab-results")]
        folders: Vec<PathBuf>,
    },
    /// Take part in a live run; the laboratory starts it itself
    #[command(hide = true)]
    Part {
        /// The study
        study: String,
        /// The run, as JSON
        part: String,
    },
}

/// The selected runs.
#[derive(Args, Clone, Debug)]
struct RunArgs {
    /// Studies, and files with scenarios (.toml); all studies if nothing is named
    #[arg(value_name = "STUDY|FILE")]
    what: Vec<String>,

    /// Coarse sweeps, 6 seeds and more where claims are undecided: minutes (the default)
    #[arg(long, conflicts_with = "full")]
    quick: bool,

    /// All sweeps, 10 seeds and more where claims are undecided
    #[arg(long)]
    full: bool,

    /// Seeds of each setting, no more and no fewer
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    seeds: Option<u32>,

    /// Begin after that seed, for another sample; time series are drawn of seed 1 alone
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=1_000_000_000))]
    seeds_after: u64,

    /// Only the runs that say these words, such as 'delay_ms = 25'; the report names each run
    #[arg(long, value_name = "WORDS")]
    only: Vec<String>,

    /// Runs at the same time; as many as there are processors if not given
    #[arg(long, value_name = "N")]
    jobs: Option<NonZero<usize>>,

    /// Only this part of the runs, such as 2/4
    #[arg(long, value_name = "I/N", default_value = "1/1", value_parser = parse_shard)]
    shard: Shard,

    /// Capture every packet that arrives over each link (pcapng), of at most 50 runs
    #[arg(long)]
    capture: bool,

    /// Log what each end of each association does (qlog), of at most 50 runs
    #[arg(long)]
    qlog: bool,

    /// The folder of results
    #[arg(long, value_name = "DIR", default_value = "lab-results")]
    out: PathBuf,
}

impl RunArgs {
    fn wanted(&self) -> Option<Wanted> {
        match (self.capture, self.qlog) {
            (false, false) => None,
            (true, false) => Some(Wanted::Packets),
            (false, true) => Some(Wanted::Logs),
            (true, true) => Some(Wanted::PacketsAndLogs),
        }
    }
}

/// Runs the command.
///
/// # Errors
/// There is no such study, something cannot be written, or runs failed.
pub fn run(args: &LabArgs, output: Output, interrupts: &Interrupts) -> Result<Exit, Failure> {
    let screen = Screen::new(output);
    match &args.command {
        LabCommand::List => {
            list(&screen);
            Ok(Exit::Success)
        }
        LabCommand::Run(args) => run_studies(args, &screen, interrupts),
        LabCommand::Compare { one, other } => {
            compare([one, other], &screen)?;
            Ok(Exit::Success)
        }
        LabCommand::Report { folders } => {
            report(folders, &screen)?;
            Ok(Exit::Success)
        }
        LabCommand::Part { study, part } => run_child(study, part),
    }
}

/// The child's side of a live run: all that it says is JSON, and its errors are the parent's.
fn run_child(study: &str, part: &str) -> Result<Exit, Failure> {
    let unknown = || Failure::usage(format_args!("there is no study {study}"));
    let study = find(study).ok_or_else(unknown)?;
    let part = serde_json::from_str(part).while_doing("cannot read the part")?;
    let parent = Parent::of_this();
    if let Err(error) = study.take_part(&part, &parent) {
        // A parent that is gone needs to hear nothing.
        let _ = parent.tell(&json!({ "error": error }));
        return Ok(Exit::Failure);
    }
    Ok(Exit::Success)
}

fn list(screen: &Screen) {
    for study in studies() {
        let claims = study.claims();
        let ids: Vec<&str> = claims.iter().map(|claim| claim.id).collect();
        let fields = json!({ "study": study.name(), "title": study.title(), "claims": ids });
        screen.event("study", fields, || {
            format!(
                "{:<14} {} ({})",
                study.name(),
                study.title(),
                ids.join(", ")
            )
        });
    }
}

fn run_studies(args: &RunArgs, screen: &Screen, interrupts: &Interrupts) -> Result<Exit, Failure> {
    let Selection { runs, scenarios } = Selection::of(args)?;
    let wanted = args.wanted();
    if wanted.is_some() && runs.len() > CAPTURED_MAX {
        let what = format!("that would capture {} runs", runs.len());
        let fix = "Choose some by --only WORDS and --seeds N: at most 50";
        return Err(Failure::usage(what).fix(fix));
    }
    let out = args.out.display();
    let store = Store::open(&args.out).while_doing(format_args!("cannot make {out}"))?;
    for scenario in &scenarios {
        let kept = store.keep_scenario(scenario);
        kept.while_doing(format_args!("cannot write to {out}"))?;
    }
    let results = ResultsWriter {
        store,
        scenarios,
        command: command(args),
        effort: effort(args),
        screen: screen.clone(),
    };
    let stop = Arc::new(AtomicBool::new(false));
    let writer = WriteOnce::default();
    writer.write_on_interrupt(interrupts, &stop, (&results, &runs));
    let execution = Execution {
        jobs: args.jobs.unwrap_or_else(processors),
        shard: args.shard,
        scenarios: &results.scenarios,
        stop: &stop,
    };
    let (records, mut failures) = sample(args, &runs, (&results.store, execution), screen);
    if interrupts.exit().is_none() {
        failures.extend(capture(&runs, &results, wanted, &stop).err());
    }
    for failure in &failures {
        screen.trouble("failure", json!({ "error": failure }), failure);
    }
    writer.claim();
    results.write(&records)?;
    if let Some(exit) = interrupts.exit() {
        return Ok(exit);
    }
    match failures.len() {
        0 => Ok(Exit::Success),
        1 => Err(Failure::new("a run failed")),
        failed => Err(Failure::new(format!("{failed} runs failed"))),
    }
}

/// Carries out the runs, and further ones where claims are undecided: not where the number of seeds
/// is given or only some runs are wanted, nor where others have a part of them.
fn sample(
    args: &RunArgs,
    runs: &[Run],
    (store, execution): (&Store, Execution<'_>),
    screen: &Screen,
) -> (Vec<Record>, Vec<String>) {
    let carry_out = |runs: &[Run], look| {
        let mut display = Display::new(screen, look);
        let outcome = execute(runs, store, execution, |progress| display.show(progress));
        display.clear();
        outcome
    };
    let (mut records, mut failures) = carry_out(runs, 1);
    if args.seeds.is_some() || !args.only.is_empty() || args.shard != Shard::WHOLE {
        return (records, failures);
    }
    for look in 1..LOOKS {
        let further = further_runs(&records, look);
        if further.is_empty() || execution.stop.load(Ordering::Relaxed) {
            break;
        }
        let (more, failed) = carry_out(&further, look + 1);
        records.extend(more);
        failures.extend(failed);
    }
    (records, failures)
}

/// Captures the first run of each study, and what else is wanted.
fn capture(
    runs: &[Run],
    results: &ResultsWriter,
    wanted: Option<Wanted>,
    stop: &AtomicBool,
) -> Result<(), String> {
    let folder = results.store.folder();
    capture_first_runs(runs, &results.scenarios, folder)?;
    let Some(wanted) = wanted else { return Ok(()) };
    for run in runs {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        if let Some(place) = capture_run(run, &results.scenarios, wanted, folder)? {
            let place = folder.join(place);
            let fields = json!({ "captured": run.to_string(), "folder": place });
            results.screen.event("capture", fields, || {
                format!("captured {}", place.display())
            });
        }
    }
    Ok(())
}

/// Says which verdicts of two results differ.
fn compare(folders: [&PathBuf; 2], screen: &Screen) -> Result<(), Failure> {
    let mut reports = Vec::new();
    for folder in folders {
        let store = results_in(folder)?;
        let records = store.records().while_doing("cannot read the results")?;
        if records.is_empty() {
            let what = format!("{} holds no results of this code", folder.display());
            return Err(Failure::new(what).fix("Run them again: sheave lab run --out DIR"));
        }
        let manifest = Manifest::new(&records, Machine::this(), "");
        reports.push(Report::render(&records, &[], manifest));
    }
    let [one, other] = &reports[..] else {
        return Ok(());
    };
    let agreement = Agreement::of(one.findings(), other.findings());
    for (id, one, other) in &agreement.differing {
        let fields = json!({ "id": id, "one": one, "other": other });
        screen.event("differs", fields, || format!("{id:<10} {one} / {other}"));
    }
    let fields = json!({
        "decided": agreement.decided,
        "decided_by_one": agreement.decided_by_one,
        "agreement": agreement.share(),
    });
    screen.event("agreement", fields, || agreement.to_string());
    Ok(())
}

/// The store in a folder that has one.
fn results_in(folder: &Path) -> Result<Store, Failure> {
    if !folder.join("runs").is_dir() {
        let what = format!("{} holds no results", folder.display());
        let fix = "Run some first: sheave lab run --out DIR";
        return Err(Failure::new(what).fix(fix));
    }
    Store::open(folder).while_doing("cannot open the results")
}

fn report(folders: &[PathBuf], screen: &Screen) -> Result<(), Failure> {
    let mut records: Vec<Record> = Vec::new();
    let mut scenarios: Vec<UserScenario> = Vec::new();
    let mut manifests = Vec::new();
    for folder in folders {
        let store = results_in(folder)?;
        let (own, wrong) = store.scenarios().while_doing("cannot read the scenarios")?;
        for error in wrong {
            screen.warn(&error.to_string());
        }
        let is_known = |name: &str| scenarios.iter().any(|known| known.name() == name);
        let fresh: Vec<_> = own
            .into_iter()
            .filter(|one| !is_known(one.name()))
            .collect();
        scenarios.extend(fresh);
        let more = store.records().while_doing("cannot read the results")?;
        records.extend(more);
        manifests.extend(store.manifest());
    }
    // Of a scenario that was changed since, old runs are left.
    records.retain(|Record { run, .. }| {
        find(&run.study).is_some() || scenarios.iter().any(|one| one.scenario(run).is_some())
    });
    let mut seen = BTreeSet::new();
    records.retain(|record| seen.insert(record.run.to_string()));
    scenarios.retain(|one| records.iter().any(|record| record.run.study == one.name()));
    let Some(first) = folders.first() else {
        return Ok(());
    };
    let manifest = manifests.into_iter().next();
    let (command, effort) = manifest.map_or_else(
        || ("sheave lab run".to_owned(), String::new()),
        |manifest| (manifest.command, manifest.effort),
    );
    let results = ResultsWriter {
        store: Store::open(first).while_doing("cannot open the results")?,
        scenarios,
        command,
        effort,
        screen: screen.clone(),
    };
    results.write(&records)
}

/// The command that makes the same again.
fn command(args: &RunArgs) -> String {
    let mut words = vec!["sheave lab run".to_owned()];
    words.extend(args.what.iter().cloned());
    words.extend(Some(effort(args)).filter(|words| !words.is_empty()));
    words.extend(args.only.iter().map(|only| format!("--only '{only}'")));
    words.join(" ")
}

/// The chosen extent, as words of the command line.
fn effort(args: &RunArgs) -> String {
    let mut words = Vec::new();
    if args.full {
        words.push("--full".to_owned());
    }
    words.extend(args.seeds.map(|seeds| format!("--seeds {seeds}")));
    let after = Some(args.seeds_after).filter(|after| *after > 0);
    words.extend(after.map(|after| format!("--seeds-after {after}")));
    words.join(" ")
}

fn processors() -> NonZero<usize> {
    thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)
}

fn parse_shard(text: &str) -> Result<Shard, String> {
    let shard = text.split_once('/').and_then(|(part, of)| {
        let (part, of) = (part.parse().ok()?, of.parse().ok()?);
        Some(Shard { part, of })
    });
    shard
        .filter(|shard| 1 <= shard.part && shard.part <= shard.of)
        .ok_or_else(|| "such as 2/4: the second of four parts".to_owned())
}

#[cfg(test)]
mod tests;
