//! Further rounds of live runs, in which the sides of a comparison take turns.

use std::time::Duration;

use super::Sampled;
use crate::{Extent, Run, find};

/// Time that the further rounds of a look may take. Ours: the quick extent is to be over in minutes.
pub(super) const fn time(extent: Extent) -> Duration {
    match extent {
        Extent::Quick => Duration::ZERO,
        Extent::Full => Duration::from_secs(15 * 60),
    }
}

/// The same number of rounds again of each, round by round. What is compared is compared within a round, so
/// that all of an experiment go on after the last round that any of them has had.
pub(super) fn further(sampled: &[&Sampled<'_>], most: Duration) -> Vec<Run> {
    let mut rounds: Vec<(u64, Run)> = Vec::new();
    for one in sampled {
        let beside = sampled.iter().filter(|other| other.is_beside(one));
        let last = beside.map(|other| other.last.seed).max();
        let last = last.unwrap_or(one.last.seed);
        rounds.extend(one.doubled_after(last).map(|run| (run.seed - last, run)));
    }
    // A stable sort: within a round the order is that of the conditions.
    rounds.sort_by_key(|(round, _)| *round);
    within_time(rounds, most)
}

/// The runs of the first rounds that there is time for, whole ones.
fn within_time(mut rounds: Vec<(u64, Run)>, most: Duration) -> Vec<Run> {
    let mut time = Duration::ZERO;
    let too_late = rounds.iter().find_map(|(round, run)| {
        time += find(&run.study)?.live_time(run)?;
        (time > most).then_some(*round)
    });
    if let Some(end) = too_late {
        rounds.retain(|(round, _)| *round < end);
    }
    rounds.into_iter().map(|(_, run)| run).collect()
}

#[cfg(test)]
mod tests;
