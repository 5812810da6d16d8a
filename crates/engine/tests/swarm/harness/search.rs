//! Many seeds on all cores.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use core::time::Duration;

use super::coverage::Coverage;
use super::draw::draw;
use super::fault::{Fault, fault};
use super::ledger::Pattern;
use super::plan::Plan;
use super::world::{Figures, World};

/// The outcome of a plan.
#[derive(Debug)]
pub(crate) enum Outcome {
    Passed(Figures),
    Failed(Box<Fault>),
}

std::thread_local! {
    static PATTERN: Pattern = Pattern::new();
}

/// Executes a plan.
pub(crate) fn attempt(plan: &Plan) -> Outcome {
    run(plan, None).0
}

/// Executes a plan and returns the log of sent packets.
pub(crate) fn traced(plan: &Plan) -> (Outcome, Vec<String>) {
    run(plan, Some(Vec::new()))
}

fn run(plan: &Plan, trace: Option<Vec<String>>) -> (Outcome, Vec<String>) {
    PATTERN.with(|pattern| {
        let mut world = World::new(plan, pattern);
        world.trace = trace;
        let caught = catch_unwind(AssertUnwindSafe(|| world.run()));
        let outcome = match caught {
            Ok(Ok(figures)) => Outcome::Passed(figures),
            Ok(Err(fault)) => Outcome::Failed(fault),
            Err(panic) => Outcome::Failed(fault("panic", words(&*panic))),
        };
        (outcome, world.trace.take().unwrap_or_default())
    })
}

fn words(panic: &(dyn core::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
    text.unwrap_or_else(|| "without words".into())
}

/// A search: seeds, and verbs to leave out of their plans.
#[derive(Clone, Debug, Default)]
pub(crate) struct Search {
    pub(crate) first: u64,
    pub(crate) count: u64,
    pub(crate) without: Vec<String>,
}

/// Progress report of a running search.
pub(crate) enum News<'a> {
    /// Sent periodically.
    Progress { runs: u64, failures: u64 },
    /// Sent at once.
    Failure { seed: u64, fault: &'a Fault },
}

/// Results of a search.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) runs: u64,
    pub(crate) established: u64,
    pub(crate) complete: u64,
    pub(crate) packets: u64,
    pub(crate) bytes: u64,
    pub(crate) messages: u64,
    pub(crate) virtual_time: Duration,
    pub(crate) took: Duration,
    pub(crate) failures: Vec<(u64, Box<Fault>)>,
    pub(crate) coverage: Coverage,
}

impl Found {
    fn note(&mut self, seed: u64, plan: &Plan, outcome: Outcome) {
        self.runs += 1;
        match outcome {
            Outcome::Passed(figures) => {
                self.established += u64::from(figures.established);
                self.complete += u64::from(figures.complete);
                self.packets += figures.packets;
                self.bytes += figures.bytes;
                self.messages += figures.messages;
                self.virtual_time += figures.virtual_time;
                self.coverage.note(plan);
            }
            Outcome::Failed(fault) => self.failures.push((seed, fault)),
        }
    }

    fn add(&mut self, other: Self) {
        self.runs += other.runs;
        self.established += other.established;
        self.complete += other.complete;
        self.packets += other.packets;
        self.bytes += other.bytes;
        self.messages += other.messages;
        self.virtual_time += other.virtual_time;
        self.failures.extend(other.failures);
        self.coverage.add(&other.coverage);
    }
}

impl Search {
    pub(crate) fn plan(&self, seed: u64) -> Plan {
        draw(seed).without(&self.without)
    }

    /// Runs all seeds, or until `stop` is set, and reports progress through `tell`.
    pub(crate) fn run(&self, stop: &AtomicBool, tell: impl Fn(News<'_>) + Sync) -> Found {
        let next = AtomicU64::new(0);
        let failed = AtomicU64::new(0);
        let all = Mutex::new(Found::default());
        let began = Instant::now();
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    let mut found = Found::default();
                    while !stop.load(Ordering::Relaxed) {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        if at >= self.count {
                            break;
                        }
                        let seed = self.first + at;
                        let plan = self.plan(seed);
                        let outcome = attempt(&plan);
                        if let Outcome::Failed(fault) = &outcome {
                            failed.fetch_add(1, Ordering::Relaxed);
                            tell(News::Failure { seed, fault });
                        }
                        found.note(seed, &plan, outcome);
                        if at % 1000 == 999 {
                            tell(News::Progress {
                                runs: at + 1,
                                failures: failed.load(Ordering::Relaxed),
                            });
                        }
                    }
                    if let Ok(mut all) = all.lock() {
                        all.add(found);
                    }
                });
            }
        });
        let mut found = all
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        found.failures.sort_by_key(|(seed, _)| *seed);
        found.took = began.elapsed();
        found
    }
}
