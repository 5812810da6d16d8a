use std::collections::HashMap;
use std::num::NonZero;
use std::time::Duration;

use crate::Run;

/// Share of the work that must be done before anything is said: what takes long has been met by then.
const TELLING: f64 = 0.005;
/// Finished runs that must be there, too, where there are more.
const TELLING_RUNS: usize = 20;

/// A forecast of the time until all runs are over.
///
/// The costs of runs differ by a factor of many thousands, and those that are cheap are over first, so
/// that neither their number nor their mean says much. Runs that differ in their seeds only take as
/// long as those of them that are over did. Others take as long as is predicted, by a measure that
/// the finished runs of their experiment give.
#[derive(Debug)]
pub(crate) struct Forecast {
    /// The kind of each simulated run.
    kinds_of_runs: Vec<usize>,
    kinds: Vec<Kind>,
    experiments: Vec<Experiment>,
    /// Predicted work of all simulated runs, and of those that are over.
    work: f64,
    work_done: f64,
    /// Simulated runs that are over.
    over: usize,
    /// Seconds that the open runs of measured kinds take.
    measured: f64,
    /// Simulated runs at the same time.
    jobs: NonZero<usize>,
    /// The time of the live runs that are open, which they say themselves.
    live: Duration,
}

/// Runs that differ in their seeds only.
#[derive(Debug)]
struct Kind {
    experiment: usize,
    /// Predicted work of each.
    work: f64,
    open: usize,
    took: Mean,
}

/// Runs for which a unit of predicted work takes about as long.
#[derive(Debug, Default)]
struct Experiment {
    unit: WorkUnit,
    /// Predicted work of the open runs of kinds that none is over of.
    unmeasured: f64,
    /// Predicted work of the runs that are over, and what they took.
    work_done: f64,
    took: Duration,
}

/// The unit of predicted work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum WorkUnit {
    /// A packet, which takes about as long in all experiments.
    #[default]
    Packet,
    /// A run, since nothing is known of it.
    Run,
}

impl Forecast {
    /// A forecast of those simulated runs, of which so many are at work at the same time, and of live
    /// ones, which take that long. `predict` tells the packets of a run, where that can be told.
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
            // Most runs lie beside one of their kind.
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

    /// Counts the simulated run at that place as over.
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

    /// Counts a live run as over, which was expected to take that long.
    pub(crate) fn take_live(&mut self, expected: Duration) {
        self.live = self.live.saturating_sub(expected);
    }

    /// The time that is left; `None` while too little is known.
    pub(crate) fn left(&self) -> Option<Duration> {
        let mut seconds = self.measured.max(0.0);
        // Where every kind is measured, nothing has to be learnt.
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

    /// Whether enough is over to tell of the rest.
    fn is_telling(&self) -> bool {
        let runs = TELLING_RUNS.min(self.kinds_of_runs.len() / TELLING_RUNS);
        self.over >= runs.max(1) && self.work_done >= TELLING * self.work
    }

    /// Seconds of a unit of predicted work, from the experiment's own runs if some are over, else from
    /// those of all others.
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
    /// Seconds that its open runs take.
    fn seconds(&self) -> f64 {
        self.took.seconds() * self.open as f64
    }
}

/// Whether two runs differ in their seeds only.
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
