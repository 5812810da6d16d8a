//! Packet captures for Wireshark, association logs, and time series of runs.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use sheave_sim::scenario::{self, Scenario};
use sheave_sim::{Outcome, Tap, Time, VantagePoint, write_event_log};

use crate::execution::guarded;
use crate::experiment::series_of;
use crate::{Columns, Run, UserScenario, find};

/// Most packets captured of a first run.
const PACKETS: u64 = 20_000;
/// Captured time from the start of a first run.
const BEGINNING: Duration = Duration::from_secs(10);
/// Interval at which the number of captured packets is checked.
const STEP: Duration = Duration::from_millis(10);

/// A kind of file to write about a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A pcapng file per link with the packets that arrive over it.
    Packets,
    /// A qlog file per end of each association.
    Logs,
    /// The run's time series, as Parquet.
    Series,
}

/// Path of a study's first-run capture, relative to the folder of results.
pub(crate) fn first_run_file(study: &str) -> String {
    format!("captures/{study}.pcapng")
}

/// The scenario of a run; `None` if the run is live or its study is unknown.
fn scenario_of(run: &Run, scenarios: &[UserScenario]) -> Result<Option<Scenario>, String> {
    if let Some(study) = find(&run.study) {
        return study.scenario(run);
    }
    let scenario = scenarios.iter().find_map(|one| one.scenario(run));
    Ok(scenario.cloned())
}

/// Captures the packets that hosts send in the first 10 s of each study's first simulated run, at
/// most 20,000. If a policy panics, the capture ends there.
///
/// # Errors
/// The runs that failed or files that could not be written, with reasons.
pub fn capture_first_runs(
    runs: &[Run],
    scenarios: &[UserScenario],
    folder: &Path,
) -> Result<(), String> {
    let mut seen: Vec<&str> = Vec::new();
    for run in runs {
        if seen.contains(&run.study.as_str()) {
            continue;
        }
        let Some(scenario) = scenario_of(run, scenarios)? else {
            continue;
        };
        seen.push(&run.study);
        let file = folder.join(first_run_file(&run.study));
        // A panic is ignored here; the run itself reports it.
        let captured = guarded(|| Ok(capture_beginning(&scenario, run.seed, &file)));
        captured
            .unwrap_or(Ok(()))
            .map_err(|reason| format!("{run}: cannot capture it: {reason}"))?;
    }
    Ok(())
}

fn capture_beginning(scenario: &Scenario, seed: u64, file: &Path) -> Result<(), Box<dyn Error>> {
    let mut run = scenario.build(seed)?;
    run.world.capture_hosts(PACKETS, create(file)?);
    let end = run.end.min(Time::ZERO + BEGINNING);
    while run.world.now() < end && !run.world.capture_is_full() {
        let until = end.min(run.world.now() + STEP);
        if run.world.run_to_completion(until) != Outcome::TimeUp {
            break;
        }
        run.world.run_until(until);
    }
    Ok(run.world.finish_captures()?)
}

/// Repeats a run and writes the wanted files into a folder under `captures`. Returns the folder's
/// name; `None` if the run is live.
///
/// # Errors
/// The reason why the run failed or a file could not be written.
pub fn capture_run(
    run: &Run,
    scenarios: &[UserScenario],
    wanted: &[Wanted],
    folder: &Path,
) -> Result<Option<String>, String> {
    let Some(scenario) = scenario_of(run, scenarios)? else {
        return Ok(None);
    };
    let name = format!("captures/{}", slug(&run.to_string()));
    let place = folder.join(&name);
    guarded(|| capture(run, &scenario, wanted, &place).map_err(|error| error.to_string()))
        .map_err(|reason| format!("{run}: cannot capture it: {reason}"))?;
    Ok(Some(name))
}

fn capture(
    run: &Run,
    scenario: &Scenario,
    wanted: &[Wanted],
    folder: &Path,
) -> Result<(), Box<dyn Error>> {
    if wanted.contains(&Wanted::Packets) || wanted.contains(&Wanted::Logs) {
        write_packets_and_logs(run.seed, scenario, wanted, folder)?;
    }
    if wanted.contains(&Wanted::Series) {
        write_series(run, scenario, folder)?;
    }
    Ok(())
}

/// Writes packets, logs, or both, from a single repetition of the run.
fn write_packets_and_logs(
    seed: u64,
    scenario: &Scenario,
    wanted: &[Wanted],
    folder: &Path,
) -> Result<(), Box<dyn Error>> {
    let has_logs = wanted.contains(&Wanted::Logs);
    let mut run = if has_logs {
        scenario.build_logged(seed)?
    } else {
        scenario.build(seed)?
    };
    if wanted.contains(&Wanted::Packets) {
        let links = run.world.links();
        let links: Vec<_> = links.map(|(id, label)| (id, label.to_owned())).collect();
        for (link, label) in links {
            let file = folder.join(format!("{}.pcapng", slug(&label)));
            run.world.capture(link, Tap::Arrival, create(&file)?);
        }
    }
    run.world.run_to_completion(run.end);
    run.world.finish_captures()?;
    if has_logs {
        write_logs(&run, scenario, folder)?;
    }
    Ok(())
}

/// Writes a qlog of each end of each association.
fn write_logs(
    run: &scenario::Run,
    scenario: &Scenario,
    folder: &Path,
) -> Result<(), Box<dyn Error>> {
    for flow in &scenario.flows {
        let ends = [
            (VantagePoint::Client, "client"),
            (VantagePoint::Server, "server"),
        ];
        for (end, word) in ends {
            let Some(sctp) = run.sctp(&flow.name, end) else {
                continue;
            };
            let file = folder.join(format!("{}-{word}.sqlog", slug(&flow.name)));
            let title = format!("{}, {}", scenario.name, flow.name);
            write_event_log(&mut create(&file)?, &title, end, sctp)?;
        }
    }
    Ok(())
}

/// Writes the time series, one row per point.
fn write_series(run: &Run, scenario: &Scenario, folder: &Path) -> Result<(), Box<dyn Error>> {
    let series = series_of(scenario, run.seed, &AtomicBool::new(false));
    let columns = Columns::of_series(&[(run, &series?.unwrap_or_default())]);
    fs::create_dir_all(folder)?;
    Ok(columns.write_parquet(&folder.join("series.parquet"))?)
}

fn create(file: &Path) -> io::Result<Box<BufWriter<File>>> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    Ok(Box::new(BufWriter::new(File::create(file)?)))
}

/// Converts a text to a file name.
fn slug(text: &str) -> String {
    let mut out = String::new();
    for char in text.chars().take(200) {
        if char.is_ascii_alphanumeric() || "=._".contains(char) {
            out.push(char);
        } else if !out.ends_with(['-', '=']) && !out.is_empty() {
            out.push('-');
        }
    }
    out.replace("-=", "=").trim_matches(['-', '.']).to_owned()
}

#[cfg(test)]
mod tests;
