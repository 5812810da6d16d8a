use std::collections::HashMap;
use std::num::NonZero;
use std::time::Duration;

use crate::Run;

/// A forecast of the time until all runs are over, from the time that runs of the same kind took.
///
/// What runs cost differs by a factor of thousands, so that their number alone says little.
#[derive(Debug)]
pub(crate) struct Forecast {
    /// Simulated runs that are open, by kind.
    open: HashMap<Kind, usize>,
    /// Seconds that simulated runs took: by settings, by experiment, and all of them.
    took: HashMap<Kind, Mean>,
    /// Simulated runs at the same time.
    jobs: NonZero<usize>,
    /// The time of the live runs that are open, which they say themselves.
    live: Duration,
}

impl Forecast {
    /// A forecast for that many simulated runs at the same time.
    pub(crate) fn new(jobs: NonZero<usize>) -> Self {
        Self {
            open: HashMap::new(),
            took: HashMap::new(),
            jobs,
            live: Duration::ZERO,
        }
    }

    /// Counts a run as open; a live one with the time that it takes.
    pub(crate) fn expect(&mut self, run: &Run, live: Option<Duration>) {
        match live {
            Some(time) => self.live += time,
            None => *self.open.entry(Kind::same_settings(run)).or_default() += 1,
        }
    }

    /// Counts a run as over. A live one must have been expected with the same time.
    pub(crate) fn take(&mut self, run: &Run, live: Option<Duration>, took: Duration) {
        if let Some(time) = live {
            self.live = self.live.saturating_sub(time);
            return;
        }
        if let Some(open) = self.open.get_mut(&Kind::same_settings(run)) {
            *open = open.saturating_sub(1);
        }
        for kind in Kind::of(run) {
            self.took.entry(kind).or_default().add(took);
        }
    }

    /// The time that is left; `None` while simulated runs are open and none is over.
    pub(crate) fn left(&self) -> Option<Duration> {
        let mut simulated = 0.0;
        for (kind, open) in self.open.iter().filter(|(_, open)| **open > 0) {
            let known = kind.and_wider();
            let mean = known.iter().find_map(|kind| self.took.get(kind))?;
            simulated += mean.seconds() * *open as f64;
        }
        let simulated = Duration::from_secs_f64(simulated / self.jobs.get() as f64);
        Some(simulated + self.live)
    }
}

/// Runs that cost about the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Kind {
    study: String,
    experiment: String,
    settings: String,
}

impl Kind {
    /// The runs that differ from this one in their seeds only.
    fn same_settings(run: &Run) -> Self {
        Self {
            study: run.study.clone(),
            experiment: run.experiment.clone(),
            settings: run.settings.to_string(),
        }
    }

    /// The kinds of a run, the narrowest first.
    fn of(run: &Run) -> [Self; 3] {
        Self::same_settings(run).and_wider()
    }

    /// This kind, its experiment, and all runs.
    fn and_wider(&self) -> [Self; 3] {
        let experiment = Self {
            settings: String::new(),
            ..self.clone()
        };
        let all = Self {
            study: String::new(),
            experiment: String::new(),
            settings: String::new(),
        };
        [self.clone(), experiment, all]
    }
}

/// The mean of durations.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    count: u32,
    sum: Duration,
}

impl Mean {
    fn add(&mut self, one: Duration) {
        self.count += 1;
        self.sum += one;
    }

    fn seconds(self) -> f64 {
        self.sum.as_secs_f64() / f64::from(self.count)
    }
}

#[cfg(test)]
mod tests;
