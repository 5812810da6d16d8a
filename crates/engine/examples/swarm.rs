//! Searches random networks and users over the whole feature set for faults of the engine.
//!
//! `swarm --help` tells how.
#![allow(clippy::print_stdout, reason = "a command")]

#[path = "../tests/swarm/harness/mod.rs"]
mod harness;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use harness::{Fault, Found, News, Outcome, Plan, Search, attempt, shrink, traced};

/// Packets that are shown of a single run.
const PACKETS: usize = 1000;

/// The command line.
enum Task {
    Search(Search),
    Explain(Plan),
    Help,
}

const HELP: &str = "\
Searches random networks and users over all features for faults of the engine.

  swarm [SEEDS] [FROM] [--without VERB,VERB]   so many seeds (default: 10000), from FROM on (0)
  swarm --seed N                               one seed: made small if it fails, with its packets
  swarm --plan FILE                            the same of a plan

--without leaves features out. Ends with 1 if anything failed; Ctrl-C ends the search early.";

fn main() -> ExitCode {
    let task = match parse(std::env::args().skip(1)) {
        Ok(task) => task,
        Err(error) => {
            eprintln!("swarm: {error}; see --help");
            return ExitCode::from(2);
        }
    };
    // A panic is counted; its message is in the fault.
    std::panic::set_hook(Box::new(|_| {}));
    match task {
        Task::Help => {
            println!("{HELP}");
            ExitCode::SUCCESS
        }
        Task::Explain(plan) => explain(&plan),
        Task::Search(search) => hunt(&search),
    }
}

fn parse(mut words: impl Iterator<Item = String>) -> Result<Task, String> {
    let mut search = Search {
        first: 0,
        count: 10_000,
        without: Vec::new(),
    };
    let mut numbers = Vec::new();
    let mut seed = None;
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--help" | "-h" => return Ok(Task::Help),
            "--without" => search.without = value()?.split(',').map(str::to_owned).collect(),
            "--seed" => seed = Some(number(&value()?)?),
            "--plan" => {
                let file = value()?;
                let text = std::fs::read_to_string(&file);
                let text = text.map_err(|error| format!("{file}: {error}"))?;
                let plan = Plan::parse(&text).map_err(|bad| format!("{file}: {bad}"))?;
                return Ok(Task::Explain(plan));
            }
            _ => numbers.push(number(&word)?),
        }
    }
    if let Some(seed) = seed {
        return Ok(Task::Explain(search.plan(seed)));
    }
    search.count = numbers.first().copied().unwrap_or(search.count);
    search.first = numbers.get(1).copied().unwrap_or(search.first);
    Ok(Task::Search(search))
}

fn number(word: &str) -> Result<u64, String> {
    word.parse().map_err(|_| format!("{word} is no number"))
}

fn hunt(search: &Search) -> ExitCode {
    let stop = Arc::new(AtomicBool::new(false));
    let _ = signal_hook::flag::register(signal_hook::consts::SIGINT, stop.clone());
    let found = search.run(&stop, |news| match news {
        News::Progress { runs, failures } => {
            eprint!("\r{runs} of {} seeds, {failures} failures ", search.count);
        }
        News::Failure { seed, fault } => eprintln!("\rseed {seed}: {}", head(fault)),
    });
    report(search, &found);
    ExitCode::from(u8::from(!found.failures.is_empty()))
}

/// Makes a plan small if it fails, and shows it with its packets.
fn explain(plan: &Plan) -> ExitCode {
    let (plan, code) = match attempt(plan) {
        Outcome::Passed(_) => (plan.clone(), ExitCode::SUCCESS),
        Outcome::Failed(fault) => (shrink(plan, fault.oracle), ExitCode::FAILURE),
    };
    let (outcome, trace) = traced(&plan);
    let skipped = trace.len().saturating_sub(PACKETS);
    println!("{}\n\n{plan}\n{outcome:?}", trace[skipped..].join("\n"));
    code
}

/// The beginning of a fault's text.
fn head(fault: &Fault) -> String {
    fault.to_string().chars().take(200).collect()
}

fn report(search: &Search, found: &Found) {
    let seconds = found.took.as_secs_f64();
    println!(
        "\n{} seeds from {} in {seconds:.1} s",
        found.runs, search.first
    );
    println!(
        "{} established, {} delivered everything",
        found.established, found.complete
    );
    println!(
        "{} packets, {} messages, {} bytes",
        found.packets, found.messages, found.bytes
    );
    println!("{:.0} s of virtual time", found.virtual_time.as_secs_f64());
    for runs in [1, 10, 100, 1000] {
        let (met, all) = found.coverage.met(runs);
        println!("{met} of {all} pairs of features met in at least {runs} runs");
    }
    println!("{} failures", found.failures.len());
    for (seed, fault) in found.failures.iter().take(100) {
        println!("  seed {seed}: {}", head(fault));
    }
    let mut shown: Vec<&str> = Vec::new();
    for (seed, fault) in &found.failures {
        if !shown.contains(&fault.oracle) {
            shown.push(fault.oracle);
            let smallest = shrink(&search.plan(*seed), fault.oracle);
            println!("\n# seed {seed}: {:?}\n{smallest}", attempt(&smallest));
        }
    }
}
