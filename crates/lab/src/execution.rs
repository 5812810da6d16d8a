use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::store::Kept;
use crate::{Machine, Measured, Record, Run, Store, UserScenario, find};

/// A part of the runs, for one machine of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 1 on.
    pub part: usize,
    /// How many parts there are.
    pub of: usize,
}

impl Shard {
    /// All of it.
    pub const WHOLE: Self = Self { part: 1, of: 1 };

    /// Whether the run at that place of the plan is in this part.
    #[must_use]
    pub const fn has(self, place: usize) -> bool {
        place % self.of == self.part - 1
    }
}

/// How runs are carried out.
#[derive(Clone, Copy, Debug)]
pub struct Execution<'a> {
    /// Runs at the same time.
    pub jobs: NonZero<usize>,
    /// Which of the runs.
    pub shard: Shard,
    /// What runs belong to that are of no study.
    pub scenarios: &'a [UserScenario],
    /// Once this is set no further run is begun.
    pub stop: &'a AtomicBool,
}

/// How far the runs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Runs that are there, those of earlier times included.
    pub done: usize,
    /// Of these, from earlier times.
    pub reused: usize,
    /// Runs that failed.
    pub failed: usize,
    /// Runs that are wanted.
    pub total: usize,
    /// Until all are done, as it looks; `None` before the first.
    pub left: Option<Duration>,
}

/// The note that says what a live run was measured on.
pub(crate) const MACHINE: &str = "machine";

/// Carries out runs, as many at a time as there are jobs, then the live ones one at a time, and
/// keeps each as soon as it is finished. Runs that the store has are not repeated. `watch` hears of
/// each.
///
/// Gives the records in the order of the runs, and why runs failed. Where the stop sign was set,
/// some are missing.
pub fn execute(
    runs: &[Run],
    store: &Store,
    execution: Execution<'_>,
    mut watch: impl FnMut(Progress),
) -> (Vec<Record>, Vec<String>) {
    let (mut records, wanted, mut failures) = sort_out(runs, store, execution.shard);
    let mut progress = Progress {
        done: records.len(),
        reused: records.len(),
        failed: 0,
        total: records.len() + wanted.len(),
        left: None,
    };
    watch(progress);
    let began = Instant::now();
    let (live, simulated): (Vec<_>, Vec<_>) = wanted.into_iter().partition(|(_, run)| is_live(run));
    let one = NonZero::<usize>::MIN;
    for (wanted, jobs) in [(simulated, execution.jobs), (live, one)] {
        let work = Work {
            wanted,
            jobs,
            store,
            execution,
        };
        work.carry_out(|place, outcome| {
            match outcome {
                Ok(record) => {
                    progress.done += 1;
                    records.push((place, record));
                }
                Err(failure) => {
                    progress.failed += 1;
                    failures.push(failure);
                }
            }
            let over = progress.done - progress.reused + progress.failed;
            let open = progress.total - progress.done - progress.failed;
            progress.left = Some(began.elapsed().mul_f64(open as f64 / over as f64));
            watch(progress);
        });
    }
    records.sort_by_key(|(place, _)| *place);
    let records = records.into_iter().map(|(_, record)| record).collect();
    (records, failures)
}

/// Runs that are carried out in the same way.
struct Work<'a> {
    wanted: Placed<&'a Run>,
    jobs: NonZero<usize>,
    store: &'a Store,
    execution: Execution<'a>,
}

impl Work<'_> {
    fn carry_out(&self, mut take: impl FnMut(usize, Result<Record, String>)) {
        let next = AtomicUsize::new(0);
        let (sender, receiver) = mpsc::channel();
        thread::scope(|scope| {
            for _ in 0..self.jobs.get().min(self.wanted.len()) {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn(move || {
                    while let Some((place, run)) =
                        self.wanted.get(next.fetch_add(1, Ordering::Relaxed))
                    {
                        if self.execution.stop.load(Ordering::Relaxed) {
                            return;
                        }
                        let outcome = carry_out(run, self.store, self.execution.scenarios);
                        // The receiver outlives the workers.
                        let _ = sender.send((*place, outcome));
                    }
                });
            }
            drop(sender);
            for (place, outcome) in receiver {
                take(place, outcome);
            }
        });
    }
}

type Placed<T> = Vec<(usize, T)>;

/// What is there already, and what is not.
fn sort_out<'a>(
    runs: &'a [Run],
    store: &Store,
    shard: Shard,
) -> (Placed<Record>, Placed<&'a Run>, Vec<String>) {
    let (mut records, mut wanted) = (Vec::new(), Vec::new());
    let ours = runs.iter().enumerate().filter(|(at, _)| shard.has(*at));
    for (place, run) in ours {
        match store.find(run) {
            Kept::Yes(record) => records.push((place, *record)),
            Kept::No => wanted.push((place, run)),
        }
    }
    (records, wanted, Vec::new())
}

fn is_live(run: &Run) -> bool {
    find(&run.study).is_some_and(|study| study.is_live(run))
}

fn carry_out(run: &Run, store: &Store, scenarios: &[UserScenario]) -> Result<Record, String> {
    let mut measured = measure(run, scenarios).map_err(|reason| format!("{run}: {reason}"))?;
    if is_live(run) {
        measured = measured.with_note(MACHINE, Machine::this().to_string());
    }
    let record = Record {
        run: run.clone(),
        measured,
    };
    store
        .keep(&record)
        .map_err(|error| format!("{run}: cannot keep the record: {error}"))?;
    Ok(record)
}

fn measure(run: &Run, scenarios: &[UserScenario]) -> Result<Measured, String> {
    if let Some(study) = find(&run.study) {
        return study.execute(run);
    }
    let scenario = scenarios.iter().find(|one| one.name() == run.study);
    scenario.ok_or("there is no such study")?.execute(run)
}

#[cfg(test)]
mod tests;
