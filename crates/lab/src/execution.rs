use std::any::Any;
use std::io;
use std::num::NonZero;
use std::panic::{self, AssertUnwindSafe};
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::forecast::Forecast;
use crate::store::Entry;
use crate::{Machine, Measured, Record, Run, RunKey, Store, UserScenario, code, find, prediction};

/// A part of the runs, to be carried out on one of several machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Number of the part, counted from 1.
    pub part: usize,
    /// Number of parts.
    pub of: usize,
}

impl Shard {
    /// The only part, with every run.
    pub const WHOLE: Self = Self { part: 1, of: 1 };

    /// Whether the run at `place` in the plan belongs to this part.
    #[must_use]
    pub const fn has(self, place: usize) -> bool {
        place % self.of == self.part - 1
    }
}

impl FromStr for Shard {
    type Err = &'static str;

    /// Parses a part such as `2/4`, the second of four.
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

/// Configuration for executing runs.
#[derive(Clone, Copy, Debug)]
pub struct Execution<'a> {
    /// Number of runs carried out in parallel.
    pub jobs: NonZero<usize>,
    /// The part of the runs to carry out.
    pub shard: Shard,
    /// Scenarios of the runs that belong to no study.
    pub scenarios: &'a [UserScenario],
    /// When set, no further run starts, and runs of scenarios end early, without a record.
    pub stop: &'a AtomicBool,
}

/// The progress of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Number of finished runs, including runs of earlier executions.
    pub done: usize,
    /// Number of runs whose records already existed.
    pub reused: usize,
    /// Number of failed runs.
    pub failed: usize,
    /// Number of runs in the plan.
    pub total: usize,
    /// Estimated time until all runs are finished; `None` until there is enough data.
    pub left: Option<Duration>,
}

/// The note that names the machine of a live run.
pub(crate) const MACHINE: &str = "machine";

/// Carries out the simulated runs in parallel and in mixed order, then the live runs one at a time
/// in plan order. Each record is stored as soon as its run finishes; runs already in the store are
/// skipped. `watch` is called with the progress after each run.
///
/// Returns the reasons why runs failed. After a stop, some records are missing.
pub fn execute(
    runs: &[Run],
    store: &Store,
    execution: Execution<'_>,
    mut watch: impl FnMut(Progress),
) -> io::Result<Vec<String>> {
    let (wanted, total) = sort_out(runs, store, execution.shard)?;
    let reused = total - wanted.len();
    let mut progress = Progress {
        done: reused,
        reused,
        failed: 0,
        total,
        left: None,
    };
    watch(progress);
    let (live, mut simulated): (Vec<_>, Vec<_>) = wanted.into_iter().partition(|run| is_live(run));
    arrange(&mut simulated);
    let mut failures = Vec::new();
    if live.is_empty() && simulated.is_empty() {
        return Ok(failures);
    }
    let times = live.iter().filter_map(|run| live_time(run)).sum();
    let mut forecast = Forecast::new(&simulated, times, execution.jobs, |run| {
        predicted_packets(run, execution.scenarios)
    });
    let mut journal = store.journal()?;
    let mut broken = None;
    let mut forecasted: Option<Instant> = None;
    let one = NonZero::<usize>::MIN;
    for (wanted, jobs) in [(simulated, execution.jobs), (live, one)] {
        let work = Work {
            wanted,
            jobs,
            execution,
        };
        work.carry_out(|finished| {
            let Finished {
                place,
                outcome,
                took,
            } = finished;
            match live_time(work.wanted[place]) {
                Some(expected) => forecast.take_live(expected),
                None => forecast.take(place, took),
            }
            match outcome {
                Ok(entry) => {
                    progress.done += 1;
                    if broken.is_none() {
                        broken = entry.and_then(|entry| journal.keep(entry)).err();
                    }
                }
                Err(failure) => {
                    progress.failed += 1;
                    failures.push(failure);
                }
            }
            if forecasted.is_none_or(|last| last.elapsed() >= FORECAST) {
                progress.left = forecast.left();
                forecasted = Some(Instant::now());
            }
            watch(progress);
            broken.as_ref().map_or(Next::GoOn, |_| Next::Stop)
        });
    }
    match broken {
        Some(error) => Err(error),
        None => journal.finish().map(|()| failures),
    }
}

/// Runs to be carried out the same way, simulated or live.
struct Work<'a> {
    wanted: Vec<&'a Run>,
    jobs: NonZero<usize>,
    execution: Execution<'a>,
}

/// Whether to continue after a finished run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    GoOn,
    Stop,
}

/// Minimum interval between forecasts, which iterate over all kinds of runs.
const FORECAST: Duration = Duration::from_millis(100);

/// Most finished runs waiting to be stored: enough for the time in which a part is written, even on
/// two busy processors.
const WAITING: usize = 8192;

/// A finished run.
struct Finished {
    /// The run's index in its `Work`.
    place: usize,
    /// The store entry, which may have failed to serialize, or the reason why the run failed.
    outcome: Result<io::Result<Entry>, String>,
    took: Duration,
}

impl Work<'_> {
    fn carry_out(&self, mut take: impl FnMut(Finished) -> Next) {
        let next = AtomicUsize::new(0);
        let (sender, receiver) = mpsc::sync_channel(WAITING);
        thread::scope(|scope| {
            for _ in 0..self.jobs.get().min(self.wanted.len()) {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn(move || {
                    loop {
                        let place = next.fetch_add(1, Ordering::Relaxed);
                        let Some(run) = self.wanted.get(place) else {
                            return;
                        };
                        if self.execution.stop.load(Ordering::Relaxed) {
                            return;
                        }
                        let began = Instant::now();
                        let outcome = match carry_out(run, &self.execution) {
                            Ok(Some(record)) => Ok(Entry::of(record)),
                            Ok(None) => return,
                            Err(failure) => Err(failure),
                        };
                        let took = began.elapsed();
                        // The receiver is gone if records cannot be stored.
                        let finished = Finished {
                            place,
                            outcome,
                            took,
                        };
                        if sender.send(finished).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            for finished in receiver {
                if take(finished) == Next::Stop {
                    break;
                }
            }
        });
    }
}

/// The runs of a shard without a record, and the number of all its runs.
fn sort_out<'a>(runs: &'a [Run], store: &Store, shard: Shard) -> io::Result<(Vec<&'a Run>, usize)> {
    let finished = store.finished()?;
    let (mut wanted, mut total) = (Vec::new(), 0);
    for (place, run) in runs.iter().enumerate() {
        if shard.has(place) {
            total += 1;
            if finished.is_empty() || !finished.contains(&run.key(code())) {
                wanted.push(run);
            }
        }
    }
    Ok((wanted, total))
}

fn is_live(run: &Run) -> bool {
    live_time(run).is_some()
}

fn live_time(run: &Run) -> Option<Duration> {
    find(&run.study)?.live_time(run)
}

/// The expected number of packets of a simulated run; `None` if it has no scenario.
fn predicted_packets(run: &Run, scenarios: &[UserScenario]) -> Option<f64> {
    if let Some(study) = find(&run.study) {
        let scenario = study.scenario(run).ok().flatten()?;
        return Some(prediction::packets(&scenario));
    }
    let mut scenarios = scenarios.iter();
    let scenario = scenarios.find_map(|one| one.scenario(run))?;
    Some(prediction::packets(scenario))
}

/// Most runs in mixed order.
const MIXED: usize = 4096;

/// Moves a mixed sample of runs to the front, always the same one, so that the forecast soon knows
/// all kinds of runs. The rest are in store order, so that each part of the store holds
/// neighbouring runs.
fn arrange(runs: &mut Vec<&Run>) {
    let keys = Run::keys(runs, "").into_iter();
    let mut keyed: Vec<(RunKey, &Run)> = keys.zip(runs.drain(..)).collect();
    if keyed.len() > MIXED {
        keyed.select_nth_unstable_by_key(MIXED, |(key, _)| *key);
        keyed[MIXED..].sort_by(|(_, one), (_, other)| one.order(other));
    }
    let mixed = keyed.len().min(MIXED);
    keyed[..mixed].sort_by_key(|(key, _)| *key);
    runs.extend(keyed.into_iter().map(|(_, run)| run));
}

/// Carries out a run; `None` if it was stopped.
fn carry_out(run: &Run, execution: &Execution<'_>) -> Result<Option<Record>, String> {
    let measured = measure(run, execution).map_err(|reason| format!("{run}: {reason}"))?;
    let Some(mut measured) = measured else {
        return Ok(None);
    };
    if is_live(run) {
        measured = measured.with_note(MACHINE, Machine::this().to_string());
    }
    Ok(Some(Record {
        run: run.clone(),
        measured,
    }))
}

fn measure(run: &Run, execution: &Execution<'_>) -> Result<Option<Measured>, String> {
    if let Some(study) = find(&run.study) {
        return study.execute(run).map(Some);
    }
    let mut scenarios = execution.scenarios.iter();
    let scenario = scenarios.find(|one| one.name() == run.study);
    let scenario = scenario.ok_or("there is no such study")?;
    guarded(|| scenario.execute_until(run, execution.stop))
}

/// Carries out a run with user-defined policies; a panic fails this run only.
///
/// # Errors
/// The error of `run`, or the message of a panic.
pub(crate) fn guarded<T>(run: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
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
