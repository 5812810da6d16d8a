//! Live runs: the same protocols between real processes, over this kernel's TCP and over Sheave,
//! through the emulator.

mod association;
mod ftp;
mod http;
mod part;
mod receipts;

use core::time::Duration;
use std::net::SocketAddr;

use serde_json::Value;
use sheave_sim::scenario::Scenario;

pub(super) use self::part::take_part;
use self::part::{Part, Protocol};
use super::{FTP, HTTP, NAME, PIPELINED, SCTP, claims, links, rivals};
use crate::live::{FAR, Namespaces, cross, on_time_throughout};
use crate::studies::network;
use crate::{Effort, Extent, Measured, Run, Settings};

/// Experiment: the live transfers.
pub(super) const LIVE: &str = "live-files";
/// The TCP of the live runs.
pub(super) const KERNEL: &str = "tcp of this kernel";

/// Initial number of rounds.
const ROUNDS: usize = 5;
/// Numbers of files, and their sizes in bytes.
const FILES: [(u32, f64); 2] = [(100, claims::SMALL), (1, claims::LARGE)];
const LOSSES: [f64; 3] = [0.0, 1.0, 5.0];
const ROUND_TRIP_MS: f64 = 10.0;
/// Time limit for a process to start.
const SOON: Duration = Duration::from_secs(20);
/// Time limit for a transfer.
const LONGEST: Duration = Duration::from_secs(300);

pub(super) fn is_live(run: &Run) -> bool {
    run.experiment == LIVE
}

/// The approximate duration of a run.
pub(super) fn time(_: &Run) -> Duration {
    Duration::from_secs(5)
}

/// The live runs, in turns since the seeds are the outermost loop.
pub(super) fn plan(effort: Effort) -> Vec<Run> {
    if effort.extent == Extent::Quick {
        return Vec::new();
    }
    let rounds = effort.rounds().take(ROUNDS);
    let runs = rounds.flat_map(|seed| {
        settings()
            .into_iter()
            .map(move |settings| Run::new(NAME, LIVE, settings, seed))
    });
    runs.collect()
}

fn settings() -> Vec<Settings> {
    let mut all = Vec::new();
    for (count, bytes) in FILES {
        for loss in LOSSES {
            let some = Settings::new()
                .with("files", count)
                .with("bytes", bytes)
                .with("rtt_ms", ROUND_TRIP_MS)
                .with("loss_percent", loss);
            for protocol in [FTP, HTTP, PIPELINED, SCTP, rivals::SCTP_TODAY] {
                let settings = some.clone().with("protocol", protocol);
                match protocol {
                    // A single file cannot be pipelined.
                    PIPELINED if count == 1 => {}
                    SCTP | rivals::SCTP_TODAY => all.push(settings),
                    _ => all.push(settings.with("tcp", KERNEL)),
                }
            }
        }
    }
    all
}

/// Carries out a run.
pub(super) fn execute(run: &Run) -> Result<Measured, String> {
    on_time_throughout(|| fetch(run))
}

fn fetch(run: &Run) -> Result<Measured, String> {
    let scenario = Scenario {
        links: links(&run.settings),
        ..network::scenario(LIVE, LONGEST)
    };
    let protocol = Protocol::of(run.settings.text("protocol"))?;
    let part = |to| Part {
        protocol,
        files: super::files(&run.settings).into(),
        to,
    };
    let work = |spaces: &Namespaces| {
        let [near, far] = spaces.names();
        let mut server = Namespaces::part(far, NAME, &part(None).to_json())?;
        let to = SocketAddr::new(FAR.into(), server.hear_port(SOON)?);
        let mut client = Namespaces::part(near, NAME, &part(Some(to)).to_json())?;
        // The times come from the end that receives the files.
        match protocol {
            Protocol::Ftp | Protocol::Http | Protocol::Pipelined => client.hear(LONGEST),
            Protocol::Sheave | Protocol::SheaveToday => server.hear(LONGEST),
        }
    };
    cross(&scenario, run.seed, work, |heard, _| measured(&heard))
}

/// Reads the measurements in a part's report.
fn measured(heard: &Value) -> Result<Measured, String> {
    let mut measured = Measured::new();
    for metric in ["delivered", "connections", "first_s", "all_s", "mean_s"] {
        let number = heard[metric].as_f64();
        let number = number.ok_or_else(|| format!("the part does not say {metric}: {heard}"))?;
        measured = measured.with(metric, number);
    }
    Ok(measured)
}
