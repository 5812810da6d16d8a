//! Runs between two network namespaces over an emulated network.

use std::fs;

use sheave_emulate::{Emulator, Report, Running};
use sheave_sim::scenario::Scenario;

use super::{Namespaces, UNFIT};
use crate::Measured;

/// Creates two namespaces joined by the scenario's links. `work` starts the processes there, and
/// `measure` evaluates its result with the counters of the links. The run is skipped if this
/// machine does not support it.
pub(crate) fn cross<T>(
    scenario: &Scenario,
    seed: u64,
    work: impl FnOnce(&Namespaces) -> Result<T, String>,
    measure: impl FnOnce(T, &Report) -> Result<Measured, String>,
) -> Result<Measured, String> {
    let network = Scenario {
        flows: Vec::new(),
        ..scenario.clone()
    };
    let mut emulator = Emulator::new(&network, seed).map_err(|error| error.to_string())?;
    let spaces = Namespaces::new();
    let skipped = |error: &str| Ok(Measured::skipped(Namespaces::missing(error)));
    if let Err(error) = emulator.add_tunnel(spaces.names()) {
        return skipped(&error.to_string());
    }
    let running = Running::start(emulator).map_err(|error| error.to_string())?;
    if let Err(error) = spaces.make() {
        return skipped(&error);
    }
    let given = match work(&spaces) {
        Err(error) if error.contains(UNFIT) => return skipped(&error),
        given => given?,
    };
    let report = running.end().map_err(|error| error.to_string())?;
    Ok(with_report(measure(given, &report)?, &report))
}

/// Adds the number of lost packets, and the kernel.
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
