//! Further rounds of live runs, in which the sides of a comparison take turns.

use std::time::Duration;

use super::Sampled;
use crate::{Extent, Run, find};

/// Time limit for a look's further rounds. Our choice, to finish the quick extent within minutes.
pub(super) const fn time(extent: Extent) -> Duration {
    match extent {
        Extent::Quick => Duration::ZERO,
        Extent::Full => Duration::from_secs(15 * 60),
    }
}

/// Repeats each condition for as many rounds again, round by round. Comparisons are made within a
/// round, so all conditions of an experiment continue after the last round of any of them.
pub(super) fn further(sampled: &[&Sampled<'_>], most: Duration) -> Vec<Run> {
    let mut rounds: Vec<(u64, Run)> = Vec::new();
    for one in sampled {
        let beside = sampled.iter().filter(|other| other.is_beside(one));
        let last = beside.map(|other| other.last.seed).max();
        let last = last.unwrap_or(one.last.seed);
        rounds.extend(one.doubled_after(last).map(|run| (run.seed - last, run)));
    }
    // The sort is stable: within a round, the order of the conditions remains.
    rounds.sort_by_key(|(round, _)| *round);
    within_time(rounds, most)
}

/// The runs of as many complete rounds as fit into `most`.
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
