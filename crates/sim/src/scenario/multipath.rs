use sheave_engine::{
    BufferSplitting, ConcurrentTransfer, Coupling, Multipath, Options, PathScheduler,
    RetransmissionPath,
};

use super::section::Section;
use super::{Problem, ScenarioError};

/// Whether the flow uses several paths at a time, and how: keys that say how need the one that says
/// so.
pub(super) fn read(section: &mut Section<'_>, options: &mut Options) -> Result<(), ScenarioError> {
    let words = [
        ("off", Multipath::Off),
        (
            "concurrent",
            Multipath::Concurrent(ConcurrentTransfer::default()),
        ),
    ];
    if let Some(multipath) = section.word("multipath", &words)? {
        options.multipath = multipath;
    }
    let (transfer, how) = transfer(section, options.multipath.transfer().unwrap_or_default())?;
    match (options.multipath, how) {
        (Multipath::Off, Some(key)) => {
            let problem = Problem::Conflict("needs multipath = \"concurrent\"".to_owned());
            Err(ScenarioError::new(&section.at(key), problem))
        }
        (Multipath::Off, None) => Ok(()),
        (Multipath::Concurrent(_), _) => {
            options.multipath = Multipath::Concurrent(transfer);
            Ok(())
        }
    }
}

/// How data is shared out, and the last key that says so.
fn transfer(
    section: &mut Section<'_>,
    mut transfer: ConcurrentTransfer,
) -> Result<(ConcurrentTransfer, Option<&'static str>), ScenarioError> {
    let mut how = None;
    let words = [
        ("lowest-rtt", PathScheduler::LowestRtt),
        ("largest-window", PathScheduler::LargestWindow),
        ("round-robin", PathScheduler::RoundRobin),
    ];
    if let Some(scheduler) = section.word("path_scheduler", &words)? {
        transfer.scheduler = scheduler;
        how = Some("path_scheduler");
    }
    let words = [
        ("largest-window", RetransmissionPath::LargestWindow),
        ("largest-threshold", RetransmissionPath::LargestThreshold),
        ("same", RetransmissionPath::Same),
    ];
    if let Some(retransmissions) = section.word("retransmission_path", &words)? {
        transfer.retransmissions = retransmissions;
        how = Some("retransmission_path");
    }
    let words = [
        ("off", BufferSplitting::Off),
        ("even", BufferSplitting::Even),
    ];
    if let Some(splitting) = section.word("buffer_splitting", &words)? {
        transfer.splitting = splitting;
        how = Some("buffer_splitting");
    }
    let words = [
        ("uncoupled", Coupling::Uncoupled),
        ("pooled-thresholds", Coupling::PooledThresholds),
        ("pooled-rates", Coupling::PooledRates),
        ("linked-increases", Coupling::LinkedIncreases),
    ];
    if let Some(coupling) = section.word("coupling", &words)? {
        transfer.coupling = coupling;
        how = Some("coupling");
    }
    Ok((transfer, how))
}
