//! `sheave lab`: the published studies, run again.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, IsTerminal};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use clap::{Args, Subcommand};
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use serde_json::json;
use sheave_lab::live::Parent;
use sheave_lab::{
    Effort, Execution, Extent, Machine, Manifest, Progress, Record, Report, Run, Shard, Store,
    Study, execute, find, studies,
};

use crate::failure::{Exit, Failure, While};
use crate::interrupt::Interrupts;
use crate::screen::{Output, Screen};

/// Runs what the papers claim.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  sheave lab list                              the studies and what they claim
  sheave lab run                               all of them, in minutes
  sheave lab run --full                        all of them, with all sweeps
  sheave lab run establishment --out results   one study
  sheave lab run --shard 1/4 --out results     a quarter of the runs
  sheave lab report results                    the report of what is there

Finished runs are kept and not repeated, unless the code has changed. The report is \
`report.html`, beside it stand `report.md`, the data of each study as CSV and Parquet, and \
`manifest.json`.

Exit codes: 0 all runs are there; 1 some failed; 130 Ctrl-C, with what was finished kept.")]
pub struct LabArgs {
    /// What to do
    #[command(subcommand)]
    command: LabCommand,
}

#[derive(Subcommand, Clone, Debug)]
enum LabCommand {
    /// List the studies and their claims
    List,
    /// Run studies and write the report
    Run(RunArgs),
    /// Write the report of what was run
    Report {
        /// The folder of results
        #[arg(default_value = "lab-results")]
        folder: PathBuf,
    },
    /// Take part in a live run; the laboratory starts it itself
    #[command(hide = true)]
    Part {
        /// The study
        study: String,
        /// What to do, as JSON
        part: String,
    },
}

/// What is run.
#[derive(Args, Clone, Debug)]
struct RunArgs {
    /// The studies; all if none is named
    studies: Vec<String>,

    /// Coarse sweeps and 3 seeds: minutes (the default)
    #[arg(long, conflicts_with = "full")]
    quick: bool,

    /// All sweeps and 10 seeds
    #[arg(long)]
    full: bool,

    /// Seeds of each setting
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    seeds: Option<u32>,

    /// Runs at the same time; as many as there are processors if not given
    #[arg(long, value_name = "N")]
    jobs: Option<NonZero<usize>>,

    /// Only this part of the runs, such as 2/4
    #[arg(long, value_name = "I/N", default_value = "1/1", value_parser = parse_shard)]
    shard: Shard,

    /// The folder of results
    #[arg(long, value_name = "DIR", default_value = "lab-results")]
    out: PathBuf,
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
        LabCommand::Report { folder } => {
            if !folder.join("runs").is_dir() {
                let what = format!("{} holds no results", folder.display());
                let fix = "Run some first: sheave lab run --out DIR";
                return Err(Failure::new(what).fix(fix));
            }
            let store = Store::open(folder).while_doing("cannot open the results")?;
            let records = store.records().while_doing("cannot read the results")?;
            write_report(&store, &records, &command(None), &screen)?;
            Ok(Exit::Success)
        }
        LabCommand::Part { study, part } => take_part(study, part),
    }
}

/// The child's side of a live run: all that it says is JSON, and its errors are the parent's.
fn take_part(study: &str, part: &str) -> Result<Exit, Failure> {
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
    let runs = plan(args)?;
    let store =
        Store::open(&args.out).while_doing(format_args!("cannot make {}", args.out.display()))?;
    let stop = Arc::new(AtomicBool::new(false));
    let sign = Arc::clone(&stop);
    interrupts.on_interrupt(move || sign.store(true, Ordering::Relaxed));
    let execution = Execution {
        jobs: args.jobs.unwrap_or_else(processors),
        shard: args.shard,
        stop: &stop,
    };
    let bar = bar(screen, runs.len());
    let (records, failures) = execute(&runs, &store, execution, |progress| show(&bar, progress));
    bar.finish_and_clear();
    for failure in &failures {
        screen.trouble("failure", json!({ "error": failure }), failure);
    }
    show_skipped(&records, screen);
    write_report(&store, &records, &command(Some(args)), screen)?;
    if let Some(exit) = interrupts.exit() {
        return Ok(exit);
    }
    match failures.len() {
        0 => Ok(Exit::Success),
        failed => Err(Failure::new(format!("{failed} runs failed"))),
    }
}

/// What could not be measured on this machine, each reason once.
fn show_skipped(records: &[Record], screen: &Screen) {
    let mut reasons: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for record in records {
        if let Some(reason) = &record.measured.skipped {
            *reasons.entry((&record.run.study, reason)).or_default() += 1;
        }
    }
    for ((study, reason), runs) in reasons {
        let fields = json!({ "study": study, "reason": reason, "runs": runs });
        screen.event("skipped", fields, || {
            format!("{study}: {runs} runs not testable here: {reason}")
        });
    }
}

fn plan(args: &RunArgs) -> Result<Vec<Run>, Failure> {
    let effort = Effort {
        extent: if args.full {
            Extent::Full
        } else {
            Extent::Quick
        },
        seeds: args.seeds,
    };
    let wanted: Result<Vec<&dyn Study>, Failure> = args
        .studies
        .iter()
        .map(|name| {
            let unknown = || Failure::usage(format_args!("there is no study {name}"));
            find(name).ok_or_else(|| unknown().fix("`sheave lab list` names them"))
        })
        .collect();
    let wanted = wanted?;
    let wanted = if wanted.is_empty() {
        studies()
    } else {
        &wanted
    };
    Ok(wanted.iter().flat_map(|study| study.plan(effort)).collect())
}

/// Writes all that is made of records, and says what became of the claims.
fn write_report(
    store: &Store,
    records: &[Record],
    command: &str,
    screen: &Screen,
) -> Result<(), Failure> {
    let manifest = Manifest::new(records, Machine::this(), command);
    let folder = store.folder();
    let cannot = || format!("cannot write to {}", folder.display());
    store
        .write_tables(records, &manifest)
        .while_doing(cannot())?;
    let report = Report::render(records, manifest);
    let page = folder.join("report.html");
    fs::write(&page, report.html()).while_doing(cannot())?;
    fs::write(folder.join("report.md"), report.markdown()).while_doing(cannot())?;
    for finding in report.findings() {
        let judgement = finding.judgement.as_ref();
        let ours = judgement.map(|judgement| judgement.ours.as_str());
        let fields = json!({
            "id": finding.claim.id,
            "verdict": judgement.map(|judgement| judgement.verdict),
            "paper": finding.claim.paper,
            "ours": ours,
        });
        screen.event("claim", fields, || {
            let (id, verdict) = (finding.claim.id, finding.verdict());
            format!("{id:<6} {verdict:<18} {}", ours.unwrap_or_default())
        });
    }
    say_where(&page, records.len(), screen);
    Ok(())
}

fn say_where(page: &Path, runs: usize, screen: &Screen) {
    let fields = json!({ "report": page, "runs": runs });
    screen.event("report", fields, || {
        format!("{runs} runs; the report is {}", page.display())
    });
}

/// The command that makes the same again.
fn command(args: Option<&RunArgs>) -> String {
    let Some(args) = args else {
        return "sheave lab run".to_owned();
    };
    let mut words = vec!["sheave lab run".to_owned()];
    words.extend(args.studies.iter().cloned());
    if args.full {
        words.push("--full".to_owned());
    }
    words.extend(args.seeds.map(|seeds| format!("--seeds {seeds}")));
    words.join(" ")
}

fn bar(screen: &Screen, runs: usize) -> ProgressBar {
    if screen.output() == Output::Json || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} runs {msg}");
    ProgressBar::new(runs as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn show(bar: &ProgressBar, progress: Progress) {
    bar.set_length(progress.total as u64);
    bar.set_position((progress.done + progress.failed) as u64);
    let left = progress.left.unwrap_or(Duration::ZERO);
    if progress.left.is_some() {
        bar.set_message(format!("{} left", HumanDuration(left)));
    }
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
