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
use self::part::{Equal, Part, Protocol};
use super::{NAME, SCENE, scene};
use crate::live::{FAR, Namespaces, cross, on_time_throughout};
use crate::{Measured, Run};

/// Experiment: the live transfers.
pub(super) const LIVE: &str = "live-files";

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

/// Carries out a run.
pub(super) fn execute(run: &Run) -> Result<Measured, String> {
    on_time_throughout(|| fetch(run))
}

fn fetch(run: &Run) -> Result<Measured, String> {
    let scenario = Scenario {
        name: LIVE.to_owned(),
        duration: LONGEST,
        flows: Vec::new(),
        ..scene::scenario(SCENE, run)?
    };
    let protocol = Protocol::of(run.settings.text("protocol"))?;
    let part = |to| Part {
        protocol,
        files: Equal {
            count: run.settings.whole("files"),
            len: run.settings.whole("bytes"),
        },
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
