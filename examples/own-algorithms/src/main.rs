//! A congestion control, a scheduler and a queue of one's own, run by the laboratory beside built-in ones:
//!
//! `cargo run --release -p own-algorithms` writes `own-results/report.html`.

mod fair_queue;
mod gentle;
mod lowest_first;

use std::error::Error;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::thread;

use sheave_lab::{Execution, Report, Results, Selected, Shard, UserScenario, execute};
use sheave_sim::engine::{CongestionSignals, CustomCongestion, CustomPolicies, CustomScheduler};

use sheave_sim::CustomQueue;
use sheave_sim::scenario::CustomAlgorithms;

use fair_queue::FairQueue;
use gentle::Gentle;
use lowest_first::LowestFirst;

const SCENARIO: &str = include_str!("../own.toml");

/// The algorithms, by the names that a scenario has for them.
fn algorithms() -> CustomAlgorithms {
    CustomAlgorithms::from(policies()).with_queue(CustomQueue {
        name: "fair",
        make: |new| Box::new(FairQueue::new(&new)),
    })
}

fn policies() -> CustomPolicies {
    CustomPolicies::default()
        .with_congestion(CustomCongestion {
            name: "gentle",
            signals: CongestionSignals::Acknowledgements,
            make: |path| Box::new(Gentle::new(path)),
        })
        .with_scheduler(CustomScheduler {
            name: "lowest-first",
            make: || Box::<LowestFirst>::default(),
        })
}

/// Runs the scenario and writes tables and reports, as `sheave lab run` does.
fn run(folder: &Path) -> Result<Report, Box<dyn Error>> {
    let scenario = UserScenario::read_with("own", SCENARIO, algorithms())?;
    let runs = scenario.plan(None);
    let command = "cargo run --release -p own-algorithms".to_owned();
    let results = Results::begin(folder, vec![scenario], command)?;
    let execution = Execution {
        jobs: thread::available_parallelism()?,
        shard: Shard::WHOLE,
        scenarios: &results.scenarios,
        stop: &AtomicBool::new(false),
    };
    let failures = execute(&runs, &results.store, execution, |_| {})?;
    match failures.first() {
        Some(failure) => Err(failure.as_str().into()),
        None => Ok(results.write(&Selected::runs(&runs))?.0),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new("own-results");
    print!("{}", run(folder)?.markdown());
    println!("The report is {}", folder.join("report.html").display());
    Ok(())
}

#[cfg(test)]
mod tests;
