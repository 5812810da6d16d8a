use std::collections::HashMap;
use std::num::NonZero;
use std::time::Duration;

use crate::Run;

/// Share of the work that must be finished before a forecast: by then, slow runs have been seen.
const TELLING: f64 = 0.005;
/// Runs that must also be finished before a forecast, if the plan is large enough.
const TELLING_RUNS: usize = 20;

/// Forecasts the time until all runs are finished.
///
/// The costs of runs differ by a factor of many thousands, and cheap runs finish first, so neither
/// their number nor their mean is a good predictor. An open run is expected to take as long as
/// finished runs that differ only in the seed. Without any, the estimate is the run's predicted
/// work, at the time per unit measured in the same experiment.
#[derive(Debug)]
pub(crate) struct Forecast {
    /// The kind of each simulated run, as an index.
    kinds_of_runs: Vec<usize>,
    kinds: Vec<Kind>,
    experiments: Vec<Experiment>,
    /// Predicted work of all simulated runs, and of the finished ones.
    work: f64,
    work_done: f64,
    /// Number of finished simulated runs.
    over: usize,
    /// Estimated seconds for open runs of kinds that have been measured.
    measured: f64,
    /// Number of parallel simulated runs.
    jobs: NonZero<usize>,
    /// Expected time of the open live runs.
    live: Duration,
}

/// Runs that differ only in their seeds.
#[derive(Debug)]
struct Kind {
    experiment: usize,
    /// Predicted work per run.
    work: f64,
    open: usize,
    took: Mean,
}

/// Runs with about the same time per unit of predicted work.
#[derive(Debug, Default)]
struct Experiment {
    unit: WorkUnit,
    /// Predicted work of open runs of kinds without a finished run.
    unmeasured: f64,
    /// Predicted work of the finished runs, and the time that they took.
    work_done: f64,
    took: Duration,
}

/// The unit of predicted work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum WorkUnit {
    /// A packet; the time per packet is similar in all experiments.
    #[default]
    Packet,
    /// A run, if its number of packets is unknown.
    Run,
}

impl Forecast {
    /// Creates a forecast for simulated runs, `jobs` at a time, and for live runs of total length
    /// `live`. `predict` returns the expected packets of a run, if known.
    pub(crate) fn new(
        simulated: &[&Run],
        live: Duration,
        jobs: NonZero<usize>,
        mut predict: impl FnMut(&Run) -> Option<f64>,
    ) -> Self {
        let mut forecast = Self {
            kinds_of_runs: Vec::with_capacity(simulated.len()),
            kinds: Vec::new(),
            experiments: Vec::new(),
            work: 0.0,
            work_done: 0.0,
            over: 0,
            measured: 0.0,
            jobs,
            live,
        };
        let (mut kinds, mut experiments) = (HashMap::new(), HashMap::new());
        let mut last: Option<(&Run, usize)> = None;
        for run in simulated {
            // Neighbouring runs are usually of the same kind.
            let alike = last.filter(|(other, _)| is_alike(run, other));
            let kind = alike.map_or_else(
                || {
                    let named = (&*run.study, &*run.experiment, run.settings.to_string());
                    *kinds.entry(named).or_insert_with(|| {
                        let packets = predict(run);
                        let named = (&*run.study, &*run.experiment, packets.is_some());
                        let experiment = *experiments
                            .entry(named)
                            .or_insert_with(|| forecast.add_experiment(packets));
                        forecast.add_kind(experiment, packets.unwrap_or(1.0))
                    })
                },
                |(_, kind)| kind,
            );
            forecast.expect(kind);
            last = Some((run, kind));
        }
        forecast
    }

    fn add_experiment(&mut self, packets: Option<f64>) -> usize {
        self.experiments.push(Experiment {
            unit: packets.map_or(WorkUnit::Run, |_| WorkUnit::Packet),
            ..Experiment::default()
        });
        self.experiments.len() - 1
    }

    fn add_kind(&mut self, experiment: usize, work: f64) -> usize {
        self.kinds.push(Kind {
            experiment,
            work,
            open: 0,
            took: Mean::default(),
        });
        self.kinds.len() - 1
    }

    fn expect(&mut self, kind: usize) {
        self.kinds_of_runs.push(kind);
        let kind = &mut self.kinds[kind];
        kind.open += 1;
        self.work += kind.work;
        self.experiments[kind.experiment].unmeasured += kind.work;
    }

    /// Records that the simulated run at `place` has finished.
    pub(crate) fn take(&mut self, place: usize, took: Duration) {
        let kind = &mut self.kinds[self.kinds_of_runs[place]];
        let experiment = &mut self.experiments[kind.experiment];
        if kind.took.count == 0 {
            experiment.unmeasured -= kind.work * kind.open as f64;
        } else {
            self.measured -= kind.seconds();
        }
        kind.open = kind.open.saturating_sub(1);
        kind.took.add(took);
        self.measured += kind.seconds();
        experiment.work_done += kind.work;
        experiment.took += took;
        self.work_done += kind.work;
        self.over += 1;
    }

    /// Records that a live run has finished, given its expected duration.
    pub(crate) fn take_live(&mut self, expected: Duration) {
        self.live = self.live.saturating_sub(expected);
    }

    /// The remaining time; `None` while data is insufficient.
    pub(crate) fn left(&self) -> Option<Duration> {
        let mut seconds = self.measured.max(0.0);
        // If every kind has been measured, no minimum applies.
        let is_open = |experiment: &&Experiment| experiment.unmeasured > self.work * 1e-9;
        let mut open = self.experiments.iter().filter(is_open).peekable();
        if open.peek().is_some() && !self.is_telling() {
            return None;
        }
        for experiment in open {
            seconds += experiment.unmeasured * self.seconds_of_a_unit(experiment)?;
        }
        let simulated = Duration::from_secs_f64(seconds / self.jobs.get() as f64);
        Some(simulated + self.live)
    }

    /// Whether enough runs have finished for a forecast.
    fn is_telling(&self) -> bool {
        let runs = TELLING_RUNS.min(self.kinds_of_runs.len() / TELLING_RUNS);
        self.over >= runs.max(1) && self.work_done >= TELLING * self.work
    }

    /// Seconds per unit of predicted work, from the experiment's own finished runs, or else from
    /// those of comparable experiments.
    fn seconds_of_a_unit(&self, experiment: &Experiment) -> Option<f64> {
        if experiment.work_done > 0.0 {
            return Some(experiment.took.as_secs_f64() / experiment.work_done);
        }
        let others = self.experiments.iter();
        let took = |some: &Experiment| some.took.as_secs_f64();
        let (work, took) = match experiment.unit {
            WorkUnit::Run => (self.over as f64, others.map(took).sum()),
            WorkUnit::Packet => others
                .filter(|other| other.unit == WorkUnit::Packet)
                .fold((0.0, 0.0), |(work, sum), other| {
                    (work + other.work_done, sum + took(other))
                }),
        };
        (work > 0.0).then(|| took / work)
    }
}

impl Kind {
    /// Estimated seconds for the open runs of this kind.
    fn seconds(&self) -> f64 {
        self.took.seconds() * self.open as f64
    }
}

/// Whether two runs differ only in their seeds.
fn is_alike(one: &Run, other: &Run) -> bool {
    one.settings.order(&other.settings).is_eq()
        && one.experiment == other.experiment
        && one.study == other.study
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
