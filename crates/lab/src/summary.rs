use core::slice;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::estimate::Moments;
use crate::evidence::Condition;
use crate::{Estimate, Paired, Record, Run, Series, Settings, Spread};

/// The records of one setting: they differ in their seeds only.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The study.
    pub study: String,
    /// The experiment within it.
    pub experiment: String,
    /// Settings that the records share.
    pub settings: Settings,
    /// Each metric.
    values: BTreeMap<Arc<str>, Sample>,
    /// Quantities over time in the run with the lowest seed.
    series: Vec<Series>,
    /// Facts that are no numbers, of the run with the highest seed.
    notes: BTreeMap<String, String>,
    /// The reason why it cannot be measured here.
    skipped: Option<String>,
    /// Whether no chance has a part in it.
    certain: bool,
}

impl Cell {
    /// The runs that it is made of, by what they share.
    #[must_use]
    pub fn condition(&self) -> Condition {
        Condition {
            study: self.study.clone(),
            experiment: self.experiment.clone(),
            settings: self.settings.clone(),
        }
    }

    /// Whether a run is one of those that it is made of.
    fn has(&self, run: &Run) -> bool {
        self.study == run.study
            && self.experiment == run.experiment
            && self.settings == run.settings
    }

    /// Whether no chance has a part in it, so that all seeds give the same.
    #[must_use]
    pub const fn is_certain(&self) -> bool {
        self.certain
    }

    /// The names of the metrics that any of its records has.
    pub fn metrics(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(|metric| &**metric)
    }

    /// The seeds for which there is a value of the metric.
    pub fn seeds(&self, metric: &str) -> impl Iterator<Item = u64> {
        let values = self.by_seed(metric).into_iter();
        values.flat_map(|values| values.keys().copied())
    }

    /// The value of a metric with that seed; where no chance has a part in it, with any.
    #[must_use]
    pub fn value_at(&self, metric: &str, seed: u64) -> Option<f64> {
        let values = self.by_seed(metric)?;
        match self.certain {
            true => values.values().next().copied(),
            false => values.get(&seed).copied(),
        }
    }

    /// The estimate of a metric in words; empty where no record has it.
    #[must_use]
    pub fn shown(&self, metric: &str) -> String {
        let estimate = self.estimate(metric);
        estimate.map_or_else(String::new, |estimate| estimate.to_string())
    }

    /// The estimate of a metric; `None` where no record has it.
    #[must_use]
    pub fn estimate(&self, metric: &str) -> Option<Estimate> {
        match self.values.get(metric)? {
            Sample::BySeed(_) => Estimate::of(&self.values(metric)),
            Sample::Moments(moments) => moments.estimate(),
        }
    }

    /// The mean of a metric.
    #[must_use]
    pub fn mean(&self, metric: &str) -> Option<f64> {
        Some(self.estimate(metric)?.mean)
    }

    /// The values of a metric by seed; `None` where only their moments are known.
    fn by_seed(&self, metric: &str) -> Option<&BTreeMap<u64, f64>> {
        match self.values.get(metric)? {
            Sample::BySeed(values) => Some(values),
            Sample::Moments(_) => None,
        }
    }

    /// The values of a metric, by seed.
    #[must_use]
    pub fn values(&self, metric: &str) -> Vec<f64> {
        let values = self.by_seed(metric);
        values.map_or_else(Vec::new, |values| values.values().copied().collect())
    }

    /// Compares a metric here with another cell's, seed by seed.
    #[must_use]
    pub fn against(&self, other: &Self, metric: &str) -> Option<Paired> {
        let others = other.by_seed(metric)?;
        let pairs: Vec<(f64, f64)> = self
            .by_seed(metric)?
            .iter()
            .filter_map(|(seed, one)| Some((*one, *others.get(seed)?)))
            .collect();
        Paired::of(&pairs)
    }

    /// The ratio of the means of a metric, here to there, with its 95 % interval (Student t, of
    /// the residuals of the ratio estimator, seed by seed).
    #[must_use]
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

    /// The ratios of a metric here to there, seed by seed.
    #[must_use]
    pub fn ratios(&self, other: &Self, metric: &str) -> Option<Spread> {
        let others = other.by_seed(metric)?;
        let pairs = self.by_seed(metric)?.iter();
        let ratios = pairs.filter_map(|(seed, one)| Some(one / others.get(seed)?));
        Spread::of(ratios.filter(|ratio| ratio.is_finite()).collect())
    }

    /// A note.
    #[must_use]
    pub fn note(&self, name: &str) -> Option<&str> {
        self.notes.get(name).map(String::as_str)
    }

    /// The reason why some of its runs could not be measured here.
    #[must_use]
    pub fn skipped(&self) -> Option<&str> {
        self.skipped.as_deref()
    }

    /// The gain of a metric over another cell's, percent, seed by seed.
    #[must_use]
    pub fn gain_over(&self, other: &Self, metric: &str) -> Option<Estimate> {
        let others = other.by_seed(metric)?;
        let gains: Vec<f64> = self
            .by_seed(metric)?
            .iter()
            .filter_map(|(seed, one)| Some(100.0 * (one / others.get(seed)? - 1.0)))
            .collect();
        Estimate::of(&gains)
    }

    /// A quantity over time in the run with the lowest seed.
    #[must_use]
    pub fn series(&self, name: &str) -> Option<&Series> {
        self.series.iter().find(|series| series.name == name)
    }
}

/// The values of a metric.
#[derive(Clone, Debug, PartialEq)]
enum Sample {
    /// Each of them, by seed, to be compared with another cell's.
    BySeed(BTreeMap<u64, f64>),
    /// Their moments alone: a scenario of a user's own has no claims, and perhaps a million runs.
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

/// Cells that grow with each record. Records of one cell come in the order of their seeds.
#[derive(Clone, Debug, Default)]
pub(crate) struct SummaryBuilder {
    /// In the order in which their first records came.
    cells: Vec<Cell>,
    /// The places of the cells, by study, experiment and settings.
    places: BTreeMap<(String, String, String), usize>,
    /// The names of the metrics, which all cells share.
    names: BTreeSet<Arc<str>>,
    /// The place of the last record's cell, where the next one's is most often.
    last: usize,
}

impl SummaryBuilder {
    /// Adds a record whose values are compared with other cells' one by one.
    pub(crate) fn add(&mut self, record: &Record) {
        self.add_to(record, || Sample::BySeed(BTreeMap::new()));
    }

    /// Adds a record of which the moments are enough.
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
            // Both are in the order of the names.
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

    /// The place of a record's cell, which is made if it is not there.
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

    /// The cells, by study, experiment and settings.
    pub(crate) fn finish(self) -> Summary {
        let mut cells: Vec<Option<Cell>> = self.cells.into_iter().map(Some).collect();
        let places = self.places.into_values();
        Summary {
            cells: places.filter_map(|place| cells[place].take()).collect(),
        }
    }
}

/// The name of a metric, of which there is one for all cells.
fn shared(names: &mut BTreeSet<Arc<str>>, metric: &str) -> Arc<str> {
    if let Some(name) = names.get(metric) {
        return Arc::clone(name);
    }
    let name: Arc<str> = metric.into();
    names.insert(Arc::clone(&name));
    name
}

/// The records, put together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    cells: Vec<Cell>,
}

impl Summary {
    /// Puts records together that differ in their seeds only. The order of the records does not
    /// matter.
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

    /// The cell of an experiment with those settings, exactly one; `None` if there is none, or
    /// more than one.
    #[must_use]
    pub fn cell(&self, study: &str, experiment: &str, some: &Settings) -> Option<&Cell> {
        match self.cells(study, experiment, some)[..] {
            [cell] => Some(cell),
            _ => None,
        }
    }

    /// The cells of an experiment in which those settings hold.
    #[must_use]
    pub fn cells(&self, study: &str, experiment: &str, some: &Settings) -> Vec<&Cell> {
        let holds = |cell: &&Cell| {
            cell.study == study && cell.experiment == experiment && cell.settings.include(some)
        };
        self.cells.iter().filter(holds).collect()
    }

    /// The reason why some runs of an experiment could not be made here.
    #[must_use]
    pub fn skipped(&self, study: &str, experiment: &str) -> Option<&str> {
        let cells = self.cells(study, experiment, &Settings::new());
        cells.into_iter().find_map(Cell::skipped)
    }

    /// The different values of a quantity in an experiment, ascending.
    #[must_use]
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
