use std::collections::BTreeSet;
use std::io;
use std::sync::atomic::Ordering;

use crate::ruling;
use crate::{
    Condition, Execution, Finding, LOOKS, Progress, Record, Ruling, Run, Selected, Store, Study,
    Summary, execute, find,
};

/// Carries out runs, and further ones where claims are undecided, which are added to `selected`.
/// `watch` hears of each, with the look that it belongs to.
///
/// Gives the reasons why runs failed.
///
/// # Errors
/// When the store cannot be read or written.
pub fn execute_in_looks(
    runs: &[Run],
    store: &Store,
    execution: Execution<'_>,
    selected: &mut Selected,
    mut watch: impl FnMut(u32, Progress),
) -> io::Result<Vec<String>> {
    let mut failures = execute(runs, store, execution, |now| watch(1, now))?;
    // Scenarios have no claims.
    if !runs.iter().any(|run| find(&run.study).is_some()) {
        return Ok(failures);
    }
    for look in 1..LOOKS {
        if execution.stop.load(Ordering::Relaxed) {
            break;
        }
        let records = store.records_of(selected)?;
        let further = further_runs(&records, look);
        if further.is_empty() {
            break;
        }
        selected.add(&further);
        failures.extend(execute(&further, store, execution, |now| {
            watch(look + 1, now);
        })?);
    }
    Ok(failures)
}

/// The runs that might decide what the records leave undecided: each look doubles the seeds of the
/// cells behind it, up to the last of [`LOOKS`].
///
/// The records are those of the looks before it, `look` of them. Live runs are left as they are:
/// they have rounds, not seeds.
#[must_use]
pub fn further_runs(records: &[Record], look: u32) -> Vec<Run> {
    if look >= LOOKS {
        return Vec::new();
    }
    let summary = Summary::of(records);
    let names: BTreeSet<&str> = records.iter().map(|one| one.run.study.as_str()).collect();
    let studies: Vec<&dyn Study> = names.into_iter().filter_map(find).collect();
    let mut findings: Vec<Finding> = studies
        .iter()
        .flat_map(|study| study.claims())
        .map(|claim| Finding::new(claim, &summary))
        .collect();
    ruling::correct(&mut findings.iter_mut().collect::<Vec<_>>());
    let rulings = findings.iter().flat_map(Finding::rulings);
    let wanting = rulings.flat_map(Ruling::wanting);
    let mut runs: Vec<Run> = Vec::new();
    for condition in crate::evidence::distinct(wanting) {
        runs.extend(doubled(records, &condition, look));
    }
    runs
}

/// As many seeds again of the runs of that condition, after those that there are.
fn doubled(records: &[Record], condition: &Condition, look: u32) -> Vec<Run> {
    let is_one = |record: &&Record| condition.has(&record.run);
    let known: Vec<&Run> = records.iter().filter(is_one).map(|one| &one.run).collect();
    let Some(last) = known.iter().max_by_key(|run| run.seed) else {
        return Vec::new();
    };
    let takes_part =
        |study: &dyn Study| study.live_time(last).is_none() && look < study.looks(last);
    if !find(&last.study).is_some_and(takes_part) {
        return Vec::new();
    }
    let seeds = last.seed + 1..=last.seed + known.len() as u64;
    let run = |seed| Run {
        seed,
        ..(*last).clone()
    };
    seeds.map(run).collect()
}

#[cfg(test)]
mod tests;
