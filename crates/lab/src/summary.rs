use core::slice;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::estimate::Moments;
use crate::evidence::Condition;
use crate::{Estimate, Paired, Record, Run, Series, Settings, Spread};

/// The records of one setting, which differ only in their seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The study.
    pub study: String,
    /// The experiment within it.
    pub experiment: String,
    /// Settings that the records share.
    pub settings: Settings,
    /// The values of each metric.
    values: BTreeMap<Arc<str>, Sample>,
    /// Time series of the run with the lowest seed.
    series: Vec<Series>,
    /// Non-numeric facts of the run with the highest seed.
    notes: BTreeMap<String, String>,
    /// The reason why the cell cannot be measured on this machine, if so.
    skipped: Option<String>,
    /// Whether the runs are deterministic.
    certain: bool,
}

impl Cell {
    /// The study, experiment and settings shared by the runs of the cell.
    pub fn condition(&self) -> Condition {
        Condition {
            study: self.study.clone(),
            experiment: self.experiment.clone(),
            settings: self.settings.clone(),
        }
    }

    /// Whether a run belongs to the cell.
    fn has(&self, run: &Run) -> bool {
        self.study == run.study
            && self.experiment == run.experiment
            && self.settings == run.settings
    }

    /// Whether the runs are deterministic, so that all seeds give the same result.
    pub const fn is_certain(&self) -> bool {
        self.certain
    }

    /// The names of all metrics that occur in its records.
    pub fn metrics(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(|metric| &**metric)
    }

    /// The seeds with a value of the metric.
    pub fn seeds(&self, metric: &str) -> impl Iterator<Item = u64> {
        let values = self.by_seed(metric).into_iter();
        values.flat_map(|values| values.keys().copied())
    }

    /// The value of a metric for a seed; for deterministic runs, the value of any seed.
    pub fn value_at(&self, metric: &str, seed: u64) -> Option<f64> {
        let values = self.by_seed(metric)?;
        match self.certain {
            true => values.values().next().copied(),
            false => values.get(&seed).copied(),
        }
    }

    /// The estimate of a metric as text; empty if no record has the metric.
    pub fn shown(&self, metric: &str) -> String {
        let estimate = self.estimate(metric);
        estimate.map_or_else(String::new, |estimate| estimate.to_string())
    }

    /// The estimate of a metric; `None` if no record has the metric.
    pub fn estimate(&self, metric: &str) -> Option<Estimate> {
        match self.values.get(metric)? {
            Sample::BySeed(_) => Estimate::of(&self.values(metric)),
            Sample::Moments(moments) => moments.estimate(),
        }
    }

    /// The mean of a metric.
    pub fn mean(&self, metric: &str) -> Option<f64> {
        Some(self.estimate(metric)?.mean)
    }

    /// The values of a metric by seed; `None` if only mean and variance are stored.
    fn by_seed(&self, metric: &str) -> Option<&BTreeMap<u64, f64>> {
        match self.values.get(metric)? {
            Sample::BySeed(values) => Some(values),
            Sample::Moments(_) => None,
        }
    }

    /// The values of a metric, ordered by seed.
    pub fn values(&self, metric: &str) -> Vec<f64> {
        let values = self.by_seed(metric);
        values.map_or_else(Vec::new, |values| values.values().copied().collect())
    }

    /// Compares a metric with another cell's, seed by seed.
    pub fn against(&self, other: &Self, metric: &str) -> Option<Paired> {
        let others = other.by_seed(metric)?;
        let pairs: Vec<(f64, f64)> = self
            .by_seed(metric)?
            .iter()
            .filter_map(|(seed, one)| Some((*one, *others.get(seed)?)))
            .collect();
        Paired::of(&pairs)
    }

    /// The ratio of a metric's means, this cell's to the other's, with its 95 % interval (Student's
    /// t on the residuals of the ratio estimator, seed by seed).
    pub fn ratio(&self, other: &Self, metric: &str) -> Option<Estimate> {
        let seeds = self.seeds(metric).chain(other.seeds(metric));
        let seeds: BTreeSet<u64> = seeds.collect();
        let pair = |seed: &u64| {
            let pair = (
                self.value_at(metric, *seed)?,
                other.value_at(metric, *seed)?,
            );
            Some(pair)
        };
        let pairs: Vec<(f64, f64)> = seeds.iter().filter_map(pair).collect();
        let ratio = Paired::of(&pairs)?.ratio;
        let below = pairs.iter().map(|(_, other)| other).sum::<f64>() / pairs.len() as f64;
        let apart = pairs
            .iter()
            .map(|(one, other)| (one - ratio * other) / below);
        let apart = Estimate::of(&apart.collect::<Vec<f64>>())?;
        Some(Estimate {
            mean: ratio,
            ..apart
        })
    }

    /// The per-seed ratios of a metric, this cell's to the other's.
    pub fn ratios(&self, other: &Self, metric: &str) -> Option<Spread> {
        let others = other.by_seed(metric)?;
        let pairs = self.by_seed(metric)?.iter();
        let ratios = pairs.filter_map(|(seed, one)| Some(one / others.get(seed)?));
        Spread::of(ratios.filter(|ratio| ratio.is_finite()).collect())
    }

    /// A note.
    pub fn note(&self, name: &str) -> Option<&str> {
        self.notes.get(name).map(String::as_str)
    }

    /// The reason why some runs of the cell could not be measured on this machine, if so.
    pub fn skipped(&self) -> Option<&str> {
        self.skipped.as_deref()
    }

    /// The gain of a metric over another cell's, percent, from per-seed values.
    pub fn gain_over(&self, other: &Self, metric: &str) -> Option<Estimate> {
        let others = other.by_seed(metric)?;
        let gains: Vec<f64> = self
            .by_seed(metric)?
            .iter()
            .filter_map(|(seed, one)| Some(100.0 * (one / others.get(seed)? - 1.0)))
            .collect();
        Estimate::of(&gains)
    }

    /// A time series of the run with the lowest seed.
    pub fn series(&self, name: &str) -> Option<&Series> {
        self.series.iter().find(|series| series.name == name)
    }
}

/// The values of a metric.
#[derive(Clone, Debug, PartialEq)]
enum Sample {
    /// Values by seed, for comparison with other cells.
    BySeed(BTreeMap<u64, f64>),
    /// Mean and variance only: a user's scenario may have a million runs.
    Moments(Moments),
}

impl Sample {
    fn add(&mut self, seed: u64, value: f64) {
        match self {
            Self::BySeed(values) => {
                values.insert(seed, value);
            }
            Self::Moments(moments) => moments.add(value),
        }
    }
}

/// Builds cells record by record. Records of one cell must be ordered by seed.
#[derive(Clone, Debug, Default)]
pub(crate) struct SummaryBuilder {
    /// The cells in the order of their first records.
    cells: Vec<Cell>,
    /// Index of each cell by study, experiment and settings.
    places: BTreeMap<(String, String, String), usize>,
    /// Names of metrics, shared by all cells.
    names: BTreeSet<Arc<str>>,
    /// Index of the last record's cell; usually also the next record's.
    last: usize,
}

impl SummaryBuilder {
    /// Adds a record, keeping each value for comparison with other cells.
    pub(crate) fn add(&mut self, record: &Record) {
        self.add_to(record, || Sample::BySeed(BTreeMap::new()));
    }

    /// Adds a record, keeping mean and variance only.
    pub(crate) fn add_moments(&mut self, record: &Record) {
        self.add_to(record, || Sample::Moments(Moments::default()));
    }

    fn add_to(&mut self, record: &Record, empty: impl Fn() -> Sample) {
        let Record { run, measured } = record;
        let place = self.place(record);
        self.last = place;
        let cell = &mut self.cells[place];
        cell.certain &= measured.is_certain();
        cell.notes.extend(measured.notes.clone());
        cell.skipped = measured.skipped.clone().or(cell.skipped.take());
        let mut new = Vec::new();
        let mut samples = cell.values.iter_mut();
        for (metric, value) in &measured.metrics {
            // Both iterators are ordered by name.
            match samples.by_ref().find(|(name, _)| ***name >= **metric) {
                Some((name, sample)) if **name == **metric => sample.add(run.seed, *value),
                _ => new.push((metric, *value)),
            }
        }
        for (metric, value) in new {
            let name = shared(&mut self.names, metric);
            let sample = cell.values.entry(name).or_insert_with(&empty);
            sample.add(run.seed, value);
        }
    }

    /// The index of a record's cell, which is created if missing.
    fn place(&mut self, Record { run, measured }: &Record) -> usize {
        let last = self.cells.get(self.last);
        if last.is_some_and(|cell| cell.has(run)) {
            return self.last;
        }
        let names = (
            run.study.clone(),
            run.experiment.clone(),
            run.settings.to_string(),
        );
        let cells = &mut self.cells;
        *self.places.entry(names).or_insert_with(|| {
            cells.push(Cell {
                study: run.study.clone(),
                experiment: run.experiment.clone(),
                settings: run.settings.clone(),
                values: BTreeMap::new(),
                series: measured.series.clone(),
                notes: BTreeMap::new(),
                skipped: None,
                certain: true,
            });
            cells.len() - 1
        })
    }

    /// The finished cells, ordered by study, experiment and settings.
    pub(crate) fn finish(self) -> Summary {
        let mut cells: Vec<Option<Cell>> = self.cells.into_iter().map(Some).collect();
        let places = self.places.into_values();
        Summary {
            cells: places.filter_map(|place| cells[place].take()).collect(),
        }
    }
}

/// Returns the shared copy of a metric's name.
fn shared(names: &mut BTreeSet<Arc<str>>, metric: &str) -> Arc<str> {
    if let Some(name) = names.get(metric) {
        return Arc::clone(name);
    }
    let name: Arc<str> = metric.into();
    names.insert(Arc::clone(&name));
    name
}

/// Records grouped into cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    cells: Vec<Cell>,
}

impl Summary {
    /// Groups records that differ only in their seeds, in any order of the records.
    #[must_use]
    pub fn of(records: &[Record]) -> Self {
        let mut sorted: Vec<&Record> = records.iter().collect();
        sorted.sort_by_key(|record| record.run.seed);
        let mut builder = SummaryBuilder::default();
        for record in sorted {
            builder.add(record);
        }
        builder.finish()
    }

    /// Iterates over all cells, by study, experiment and settings.
    pub fn iter(&self) -> slice::Iter<'_, Cell> {
        self.cells.iter()
    }

    /// The only cell of an experiment with those settings; `None` if no cell matches, or more than
    /// one.
    pub fn cell(&self, study: &str, experiment: &str, some: &Settings) -> Option<&Cell> {
        match self.cells(study, experiment, some)[..] {
            [cell] => Some(cell),
            _ => None,
        }
    }

    /// The cells of an experiment that include those settings.
    pub fn cells(&self, study: &str, experiment: &str, some: &Settings) -> Vec<&Cell> {
        let holds = |cell: &&Cell| {
            cell.study == study && cell.experiment == experiment && cell.settings.include(some)
        };
        self.cells.iter().filter(holds).collect()
    }

    /// The reason why some runs of an experiment could not be measured on this machine, if so.
    pub fn skipped(&self, study: &str, experiment: &str) -> Option<&str> {
        let cells = self.cells(study, experiment, &Settings::new());
        cells.into_iter().find_map(Cell::skipped)
    }

    /// The distinct values of a setting in an experiment, ascending.
    pub fn numbers(&self, study: &str, experiment: &str, name: &str) -> Vec<f64> {
        let cells = self.cells(study, experiment, &Settings::new());
        let with = cells
            .iter()
            .filter(|cell| cell.settings.value(name).is_some());
        let mut numbers: Vec<f64> = with.map(|cell| cell.settings.number(name)).collect();
        numbers.sort_by(f64::total_cmp);
        numbers.dedup();
        numbers
    }
}

impl<'a> IntoIterator for &'a Summary {
    type Item = &'a Cell;
    type IntoIter = slice::Iter<'a, Cell>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests;
