use std::any::Any;
use std::num::NonZero;
use std::panic::{self, AssertUnwindSafe};
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::forecast::Forecast;
use crate::store::Kept;
use crate::{Machine, Measured, Record, Run, Store, UserScenario, find};

/// A part of the runs, for one machine of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Number of the part, from 1 on.
    pub part: usize,
    /// Number of parts.
    pub of: usize,
}

impl Shard {
    /// A single part that holds every run.
    pub const WHOLE: Self = Self { part: 1, of: 1 };

    /// Whether the run at that place of the plan is in this part.
    #[must_use]
    pub const fn has(self, place: usize) -> bool {
        place % self.of == self.part - 1
    }
}

impl FromStr for Shard {
    type Err = &'static str;

    /// Reads a part such as `2/4`, the second of four.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let shard = text.split_once('/').and_then(|(part, of)| {
            let (part, of) = (part.parse().ok()?, of.parse().ok()?);
            Some(Self { part, of })
        });
        shard
            .filter(|shard| 1 <= shard.part && shard.part <= shard.of)
            .ok_or("such as 2/4: the second of four parts")
    }
}

/// The set-up of an execution of runs.
#[derive(Clone, Copy, Debug)]
pub struct Execution<'a> {
    /// Runs at the same time.
    pub jobs: NonZero<usize>,
    /// The part of the runs to carry out.
    pub shard: Shard,
    /// Scenarios of the runs that belong to no study.
    pub scenarios: &'a [UserScenario],
    /// Once this is set no further run is begun, and runs of scenarios end early, without a record.
    pub stop: &'a AtomicBool,
}

/// The progress of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Runs that are there, those of earlier times included.
    pub done: usize,
    /// Runs whose records existed already.
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

/// Carries out runs, as many at a time as there are jobs and in mixed order, then the live ones one
/// at a time in the order of the plan, and keeps each as soon as it is finished. Runs that the store
/// has are not repeated. `watch` hears of each.
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
    let mut forecast = Forecast::new(execution.jobs);
    for (_, run) in &wanted {
        forecast.expect(run, live_time(run));
    }
    let (live, mut simulated): (Vec<_>, Vec<_>) =
        wanted.into_iter().partition(|(_, run)| is_live(run));
    mix(&mut simulated);
    let one = NonZero::<usize>::MIN;
    for (wanted, jobs) in [(simulated, execution.jobs), (live, one)] {
        let work = Work {
            wanted,
            jobs,
            store,
            execution,
        };
        work.carry_out(
            |Finished {
                 place,
                 outcome,
                 took,
             }| {
                forecast.take(&runs[place], live_time(&runs[place]), took);
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
                progress.left = forecast.left();
                watch(progress);
            },
        );
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

/// A run that is over.
struct Finished {
    /// Its place in the plan.
    place: usize,
    outcome: Result<Record, String>,
    took: Duration,
}

impl Work<'_> {
    fn carry_out(&self, mut take: impl FnMut(Finished)) {
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
                        let began = Instant::now();
                        let outcome = match carry_out(run, self.store, &self.execution) {
                            Ok(Some(record)) => Ok(record),
                            Ok(None) => return,
                            Err(failure) => Err(failure),
                        };
                        // The receiver outlives the workers.
                        let _ = sender.send(Finished {
                            place: *place,
                            outcome,
                            took: began.elapsed(),
                        });
                    }
                });
            }
            drop(sender);
            for finished in receiver {
                take(finished);
            }
        });
    }
}

type Placed<T> = Vec<(usize, T)>;

/// Separates runs whose records exist from those that are missing.
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
    live_time(run).is_some()
}

fn live_time(run: &Run) -> Option<Duration> {
    find(&run.study)?.live_time(run)
}

/// Mixes the runs, always in the same way: the first of them tell of all kinds how long they take.
fn mix(runs: &mut Placed<&Run>) {
    runs.sort_by_cached_key(|(_, run)| run.key("").to_string());
}

/// Carries out a run and keeps its record; `None` if it was stopped.
fn carry_out(
    run: &Run,
    store: &Store,
    execution: &Execution<'_>,
) -> Result<Option<Record>, String> {
    let measured = measure(run, execution).map_err(|reason| format!("{run}: {reason}"))?;
    let Some(mut measured) = measured else {
        return Ok(None);
    };
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
    Ok(Some(record))
}

fn measure(run: &Run, execution: &Execution<'_>) -> Result<Option<Measured>, String> {
    if let Some(study) = find(&run.study) {
        return study.execute(run).map(Some);
    }
    let mut scenarios = execution.scenarios.iter();
    let scenario = scenarios.find(|one| one.name() == run.study);
    let scenario = scenario.ok_or("there is no such study")?;
    // A policy of the user's own may panic, which ends its run and no other.
    let run = || scenario.execute_until(run, execution.stop);
    panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| Err(said(&*panic)))
}

/// The message of a panic.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("it panicked").to_owned()
}

#[cfg(test)]
mod tests;
