mod rounds;

use std::collections::BTreeSet;
use std::io;
use std::sync::atomic::Ordering;

use crate::ruling;
use crate::{
    Condition, Execution, Extent, Finding, LOOKS, Progress, Record, Ruling, Run, Selected, Store,
    Study, Summary, execute, find,
};

/// Carries out runs, then further runs while claims are undecided; the further runs are added to
/// `selected`. `watch` is called after each run with the number of the current look.
///
/// Returns the reasons why runs failed.
pub fn execute_in_looks(
    runs: &[Run],
    store: &Store,
    execution: Execution<'_>,
    extent: Extent,
    selected: &mut Selected,
    mut watch: impl FnMut(u32, Progress),
) -> io::Result<Vec<String>> {
    let mut failures = execute(runs, store, execution, |now| watch(1, now))?;
    // Scenarios run the seeds that they state.
    if !runs.iter().any(|run| find(&run.study).is_some()) {
        return Ok(failures);
    }
    for look in 1..LOOKS {
        if execution.stop.load(Ordering::Relaxed) {
            break;
        }
        let records = store.records_of(selected)?;
        let further = further_runs(&records, extent, look);
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

/// The runs that might decide undecided claims. Each look doubles the seeds of the cells concerned,
/// up to [`LOOKS`] looks. Live cells, and simulated cells of the same experiment, get further
/// rounds instead, as many as a look has time for; none in the quick extent.
///
/// `look` is the number of looks that produced `records`.
#[must_use]
pub fn further_runs(records: &[Record], extent: Extent, look: u32) -> Vec<Run> {
    if look >= LOOKS {
        return Vec::new();
    }
    let wanting = wanting(records);
    let sampled = wanting.iter().filter_map(|one| Sampled::of(one, records));
    let sampled: Vec<Sampled<'_>> = sampled.filter(|one| one.takes_part(look)).collect();
    let (in_turns, apart): (Vec<&Sampled<'_>>, Vec<&Sampled<'_>>) =
        sampled.iter().partition(|one| {
            let mut beside = sampled.iter().filter(|other| other.is_beside(one));
            beside.any(Sampled::is_live)
        });
    let mut runs: Vec<Run> = Vec::new();
    for one in apart {
        runs.extend(one.doubled_after(one.last.seed));
    }
    runs.extend(rounds::further(&in_turns, rounds::time(extent)));
    runs
}

/// The conditions for which more runs might decide undecided claims.
fn wanting(records: &[Record]) -> Vec<Condition> {
    let summary = Summary::of(records);
    let names: BTreeSet<&str> = records.iter().map(|one| one.run.study.as_str()).collect();
    let studies: Vec<&Study> = names.into_iter().filter_map(find).collect();
    let mut findings: Vec<Finding> = studies
        .iter()
        .flat_map(|study| study.claims())
        .map(|claim| Finding::new(claim, &summary))
        .collect();
    ruling::correct(&mut findings.iter_mut().collect::<Vec<_>>());
    let rulings = findings.iter().flat_map(Finding::rulings);
    crate::evidence::distinct(rulings.flat_map(Ruling::wanting))
}

/// The existing runs of a condition.
#[derive(Clone, Copy, Debug)]
struct Sampled<'a> {
    study: &'static Study,
    /// The run with the highest seed.
    last: &'a Run,
    count: u64,
}

impl<'a> Sampled<'a> {
    fn of(condition: &Condition, records: &'a [Record]) -> Option<Self> {
        let known = records.iter().map(|record| &record.run);
        let known: Vec<&Run> = known.filter(|run| condition.has(run)).collect();
        let last = known.iter().max_by_key(|run| run.seed)?;
        Some(Self {
            study: find(&last.study)?,
            last,
            count: known.len() as u64,
        })
    }

    fn takes_part(&self, look: u32) -> bool {
        look < self.study.looks(self.last)
    }

    fn is_live(&self) -> bool {
        self.study.live_time(self.last).is_some()
    }

    /// Whether both belong to the same experiment.
    fn is_beside(&self, other: &Self) -> bool {
        self.last.study == other.last.study && self.last.experiment == other.last.experiment
    }

    /// The same number of runs again, with the seeds after `last`.
    fn doubled_after(&self, last: u64) -> impl Iterator<Item = Run> {
        (last + 1..=last + self.count).map(|seed| Run {
            seed,
            ..self.last.clone()
        })
    }
}

#[cfg(test)]
mod tests;
