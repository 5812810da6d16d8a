//! Runs on threads of their own, while Python waits without its lock and hears signals.

use std::io;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use sheave_lab::{
    Execution, Extent, Run, Selected, Shard, Store, UserScenario, execute, execute_in_looks,
};

use crate::progress::Progress;

/// Interval at which signals such as Ctrl-C are looked for.
const INTERVAL: Duration = Duration::from_millis(50);
/// Time that runs under way get to end after Ctrl-C; those of scenarios end at once.
const GRACE: Duration = Duration::from_secs(2);

/// The runs to carry out.
pub(crate) struct Order {
    pub(crate) runs: Vec<Run>,
    pub(crate) scenarios: Vec<UserScenario>,
    pub(crate) store: Store,
    pub(crate) jobs: Option<NonZero<usize>>,
    pub(crate) shard: Shard,
    pub(crate) looks: Looks,
}

/// The choice whether more is run than what was ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Looks {
    /// The seeds that were ordered.
    One,
    /// Further seeds where claims are undecided.
    AsNeeded(Extent),
}

impl Looks {
    /// The extent's name where more may be run, for other processes.
    pub(crate) const fn name(self) -> Option<&'static str> {
        match self {
            Self::One => None,
            Self::AsNeeded(Extent::Quick) => Some("quick"),
            Self::AsNeeded(Extent::Full) => Some("full"),
        }
    }

    /// The choice of that name.
    pub(crate) fn named(name: Option<&str>) -> Self {
        match name {
            None => Self::One,
            Some("full") => Self::AsNeeded(Extent::Full),
            Some(_) => Self::AsNeeded(Extent::Quick),
        }
    }
}

/// The runs that were wanted, those of further looks included, and why some failed.
pub(crate) type Outcome = io::Result<(Selected, Vec<String>)>;

/// The way to tell of progress, with the look that it belongs to.
pub(crate) type Watch<'a> = &'a mut dyn FnMut(u32, sheave_lab::Progress);

impl Order {
    fn carry_out(&self, stop: &AtomicBool, watch: Watch<'_>) -> Outcome {
        let execution = Execution {
            jobs: self.jobs.unwrap_or_else(processors),
            shard: self.shard,
            scenarios: &self.scenarios,
            stop,
        };
        let (runs, store) = (&self.runs, &self.store);
        let mut selected = Selected::runs(runs);
        let failures = match self.looks {
            Looks::One => execute(runs, store, execution, |now| watch(1, now)),
            Looks::AsNeeded(extent) => {
                execute_in_looks(runs, store, execution, extent, &mut selected, watch)
            }
        };
        Ok((selected, failures?))
    }
}

/// Carries out an order; `progress` is called with a [`Progress`] from time to time.
///
/// # Errors
/// What `progress` or the handler of a signal raises: then the runs have stopped, and those that
/// were finished are kept.
pub(crate) fn carry_out(
    py: Python<'_>,
    order: Order,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Outcome> {
    wait_for(py, progress, move |stop, watch| {
        order.carry_out(stop, watch)
    })
}

enum News<T> {
    Progress(u32, sheave_lab::Progress),
    Over(T),
}

/// Does work on a thread of its own, and waits for it without Python's lock.
///
/// # Errors
/// As [`carry_out`].
pub(crate) fn wait_for<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&AtomicBool, Watch<'_>) -> T + Send + 'static,
) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, mut news) = mpsc::channel();
    let told = Arc::clone(&stop);
    thread::spawn(move || {
        // Nobody listens any more where Python was interrupted.
        let outcome = work(&told, &mut |look, progress| {
            let _ = sender.send(News::Progress(look, progress));
        });
        let _ = sender.send(News::Over(outcome));
    });
    loop {
        let (latest, outcome);
        (latest, outcome, news) = py.detach(move || {
            let (latest, outcome) = next(&news);
            (latest, outcome, news)
        });
        let told = match latest {
            Some(now) => tell(progress, now),
            None => Ok(()),
        };
        if let Err(raised) = told.and_then(|()| py.check_signals()) {
            stop.store(true, Ordering::Relaxed);
            py.detach(move || await_end(&news));
            return Err(raised);
        }
        match outcome {
            Ok(outcome) => return Ok(outcome),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("a run panicked"));
            }
        }
    }
}

/// The latest progress within the interval, since Python need not hear of each run; and the
/// outcome, if it is there.
fn next<T>(news: &Receiver<News<T>>) -> (Option<Progress>, Result<T, RecvTimeoutError>) {
    let mut latest = None;
    let deadline = Instant::now() + INTERVAL;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match news.recv_timeout(left) {
            Ok(News::Progress(look, now)) => latest = Some(Progress::new(look, now)),
            Ok(News::Over(outcome)) => return (latest, Ok(outcome)),
            Err(silence) => return (latest, Err(silence)),
        }
    }
}

fn tell(progress: Option<&Bound<'_, PyAny>>, now: Progress) -> PyResult<()> {
    match progress {
        Some(progress) => progress.call1((now,)).map(drop),
        None => Ok(()),
    }
}

fn await_end<T>(news: &Receiver<News<T>>) {
    let deadline = Instant::now() + GRACE;
    while let Some(left) = deadline.checked_duration_since(Instant::now()) {
        if !matches!(news.recv_timeout(left), Ok(News::Progress(..))) {
            return;
        }
    }
}

pub(crate) fn processors() -> NonZero<usize> {
    thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)
}
