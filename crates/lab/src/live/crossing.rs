//! Runs between two network namespaces, over an emulated network.

use std::fs;

use sheave_emulate::{Emulator, Report, Running};
use sheave_sim::scenario::Scenario;

use super::{Namespaces, UNFIT};
use crate::Measured;

/// What became of a run.
pub(crate) enum Crossing<T> {
    /// What it gave, and what became of its packets.
    Crossed(T, Report),
    /// This machine cannot carry it, for this reason.
    Impossible(String),
}

/// Makes two namespaces with the scenario's links between them, and lets `work` start its processes
/// there.
pub(crate) fn cross<T>(
    scenario: &Scenario,
    seed: u64,
    work: impl FnOnce(&Namespaces) -> Result<T, String>,
) -> Result<Crossing<T>, String> {
    let network = Scenario {
        flows: Vec::new(),
        ..scenario.clone()
    };
    let mut emulator = Emulator::new(&network, seed).map_err(|error| error.to_string())?;
    let spaces = Namespaces::new();
    let impossible = |error: &str| Ok(Crossing::Impossible(Namespaces::missing(error)));
    if let Err(error) = emulator.add_tunnel(spaces.names()) {
        return impossible(&error.to_string());
    }
    let running = Running::start(emulator).map_err(|error| error.to_string())?;
    if let Err(error) = spaces.make() {
        return impossible(&error);
    }
    let given = match work(&spaces) {
        Err(error) if error.contains(UNFIT) => return impossible(&error),
        given => given?,
    };
    let report = running.end().map_err(|error| error.to_string())?;
    Ok(Crossing::Crossed(given, report))
}

/// Adds the losses on the way, and the kernel.
pub(crate) fn with_report(measured: Measured, report: &Report) -> Measured {
    let links = report.links.iter();
    let lost: u64 = links.map(|link| link.there.lost() + link.back.lost()).sum();
    let losses = report.losses;
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    measured
        .with("lost_packets", lost as f64)
        .with("emulator_losses", (losses.unsent + losses.refused) as f64)
        .with_note("kernel", kernel.trim())
}
