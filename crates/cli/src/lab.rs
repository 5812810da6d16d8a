//! `sheave lab`: the published studies, run again.

mod progress;
mod results_writer;
mod selection;

use std::io;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use clap::{Args, Subcommand};
use serde_json::json;
use sheave_lab::{
    Agreement, Execution, Extent, Gathered, Machine, Manifest, Report, Results, Run, Selected,
    Shard, Store, Wanted, capture_first_runs, capture_run, execute, execute_in_looks, live,
    studies,
};
use sheave_sim::scenario::MAX_SEEDS;

use crate::failure::{Exit, Failure, While};
use crate::interrupt::Interrupts;
use crate::screen::{Output, Screen};
use crate::units;
use progress::Display;
use results_writer::{ResultsWriter, WriteOnce};
use selection::Selection;

/// Runs that are captured at most in one go: a second at 1 Gbit/s is more than 100 MB.
const CAPTURED_MAX: usize = 50;

/// Runs what the papers claim.
#[derive(Args, Clone, Debug)]
#[command(after_help = include_str!("../help/lab.txt").trim_end())]
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
        /// Fail unless so many percent of what both decide agree, 0 to 100
        #[arg(long, value_name = "PERCENT", value_parser = units::parse_percent)]
        at_least: Option<f64>,
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
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MAX_SEEDS.into()))]
    seeds: Option<u32>,

    /// Begin after that seed, for another sample; reports draw time series of seed 1 alone
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=1_000_000_000))]
    seeds_after: u64,

    /// Only the runs that say these words, such as 'delay_ms = 25'; the report names each run
    #[arg(long, value_name = "WORDS")]
    only: Vec<String>,

    /// Runs at the same time; as many as there are processors if not given
    #[arg(long, value_name = "N")]
    jobs: Option<NonZero<usize>>,

    /// Only this part of the runs, such as 2/4
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    shard: Shard,

    /// Capture every packet that arrives over each link (pcapng), of at most 50 runs
    #[arg(long)]
    capture: bool,

    /// Log each packet of each end of each association, with its TSNs, and what the end makes of it
    /// (qlog), of at most 50 runs
    #[arg(long)]
    qlog: bool,

    /// Write rate and congestion window over time (Parquet), of at most 50 runs
    #[arg(long)]
    series: bool,

    /// The folder of results
    #[arg(long, value_name = "DIR", default_value = "lab-results")]
    out: PathBuf,
}

impl RunArgs {
    const fn extent(&self) -> Extent {
        if self.full {
            Extent::Full
        } else {
            Extent::Quick
        }
    }

    fn wanted(&self) -> Vec<Wanted> {
        let kinds = [
            (self.capture, Wanted::Packets),
            (self.qlog, Wanted::Logs),
            (self.series, Wanted::Series),
        ];
        let wanted = kinds.into_iter().filter(|(is_wanted, _)| *is_wanted);
        wanted.map(|(_, kind)| kind).collect()
    }
}

/// Runs the command.
/// Errors: there is no such study, something cannot be written, or runs failed.
pub fn run(args: &LabArgs, output: Output, interrupts: &Interrupts) -> Result<Exit, Failure> {
    let screen = Screen::new(output);
    match &args.command {
        LabCommand::List => {
            list(&screen);
            Ok(Exit::Success)
        }
        LabCommand::Run(args) => run_studies(args, &screen, interrupts),
        LabCommand::Compare {
            one,
            other,
            at_least,
        } => {
            let agreement = compare([one, other], &screen)?;
            let wanted = at_least.unwrap_or(0.0);
            Ok(if 100.0 * agreement.share() < wanted {
                Exit::Failure
            } else {
                Exit::Success
            })
        }
        LabCommand::Report { folders } => {
            report(folders, &screen)?;
            Ok(Exit::Success)
        }
        LabCommand::Part { study, part } => match live::take_part(study, part) {
            Ok(()) => Ok(Exit::Success),
            // The parent has heard of it.
            Err(_) => Ok(Exit::Failure),
        },
    }
}

fn list(screen: &Screen) {
    for study in studies() {
        let claims = study.claims();
        let ids: Vec<&str> = claims.iter().map(|claim| claim.id.as_str()).collect();
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
    if !wanted.is_empty() && runs.len() > CAPTURED_MAX {
        let what = format!("that would capture {} runs", runs.len());
        let fix = "Choose some by --only WORDS and --seeds N: at most 50";
        return Err(Failure::usage(what).fix(fix));
    }
    let out = args.out.display();
    let results = Results::begin(&args.out, scenarios, command(args));
    let results = results.while_doing(format_args!("cannot write to {out}"))?;
    let results = ResultsWriter {
        results: Results {
            effort: effort(args),
            ..results
        },
        screen: screen.clone(),
    };
    let stop = Arc::new(AtomicBool::new(false));
    let (writer, runs) = (WriteOnce::default(), Arc::new(runs));
    writer.write_on_interrupt(interrupts, &stop, (&results, &runs));
    let execution = Execution {
        jobs: args.jobs.unwrap_or_else(processors),
        shard: args.shard,
        scenarios: &results.results.scenarios,
        stop: &stop,
    };
    let store = &results.results.store;
    let mut selected = Selected::runs(&runs);
    let failures = sample(args, &runs, (store, execution), &mut selected, screen);
    let mut failures = failures.while_doing(format_args!("cannot keep records in {out}"))?;
    if interrupts.exit().is_none() {
        failures.extend(capture(&runs, &results, &wanted, &stop).err());
    }
    for failure in &failures {
        screen.trouble("failure", json!({ "error": failure }), failure);
    }
    writer.claim();
    interrupts.take_time();
    results.write(&selected)?;
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
    selected: &mut Selected,
    screen: &Screen,
) -> io::Result<Vec<String>> {
    let mut display = Display::new(screen);
    let is_a_part = args.seeds.is_some() || !args.only.is_empty() || args.shard != Shard::WHOLE;
    let failures = if is_a_part {
        execute(runs, store, execution, |progress| display.show(1, progress))
    } else {
        let watch = |look, progress| display.show(look, progress);
        execute_in_looks(runs, store, execution, args.extent(), selected, watch)
    };
    display.clear();
    failures
}

/// Captures the first run of each study, and what else is wanted.
fn capture(
    runs: &[Run],
    results: &ResultsWriter,
    wanted: &[Wanted],
    stop: &AtomicBool,
) -> Result<(), String> {
    let (folder, scenarios) = (results.results.store.folder(), &results.results.scenarios);
    capture_first_runs(runs, scenarios, folder)?;
    if wanted.is_empty() {
        return Ok(());
    }
    for run in runs {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        if let Some(place) = capture_run(run, scenarios, wanted, folder)? {
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
fn compare(folders: [&PathBuf; 2], screen: &Screen) -> Result<Agreement, Failure> {
    let mut reports = Vec::new();
    for folder in folders {
        let store = Store::existing(folder).map_err(|error| unreadable(&error))?;
        let records = store.records().while_doing("cannot read the results")?;
        if records.is_empty() {
            let what = format!("{} holds no results of this code", folder.display());
            return Err(Failure::new(what).fix("Run them again: sheave lab run --out DIR"));
        }
        let manifest = Manifest::new(&records, Machine::this(), "");
        reports.push(Report::render(&records, &[], manifest));
    }
    let [one, other] = &reports[..] else {
        return Ok(Agreement::default());
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
    Ok(agreement)
}

/// The error of a folder without results, or of one that cannot be read.
fn unreadable(error: &io::Error) -> Failure {
    let failure = Failure::new(error);
    match error.kind() {
        io::ErrorKind::NotFound => failure.fix("Run some first: sheave lab run --out DIR"),
        _ => failure,
    }
}

fn report(folders: &[PathBuf], screen: &Screen) -> Result<(), Failure> {
    let gathered = Results::gather(folders).map_err(|error| unreadable(&error))?;
    let Gathered { results, wrong } = gathered;
    for error in wrong {
        screen.warn(&error.to_string());
    }
    let writer = ResultsWriter {
        results,
        screen: screen.clone(),
    };
    writer.write(&Selected::All)
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
