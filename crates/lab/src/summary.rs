use std::collections::BTreeMap;

use crate::{Estimate, Paired, Record, Series, Settings, Spread};

/// All records of one setting: they differ in their seeds only.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The study.
    pub study: String,
    /// The experiment within it.
    pub experiment: String,
    /// What the records have in common.
    pub settings: Settings,
    /// Values of each metric, by seed.
    values: BTreeMap<String, BTreeMap<u64, f64>>,
    /// What changed over time in the run with the lowest seed.
    series: Vec<Series>,
    /// What is no number, of the run with the highest seed.
    notes: BTreeMap<String, String>,
    /// Why it cannot be measured here.
    skipped: Option<String>,
}

impl Cell {
    /// The estimate of a metric; `None` where no record has it.
    #[must_use]
    pub fn estimate(&self, metric: &str) -> Option<Estimate> {
        Estimate::of(&self.values(metric))
    }

    /// The mean of a metric.
    #[must_use]
    pub fn mean(&self, metric: &str) -> Option<f64> {
        Some(self.estimate(metric)?.mean)
    }

    /// The values of a metric, by seed.
    #[must_use]
    pub fn values(&self, metric: &str) -> Vec<f64> {
        let values = self.values.get(metric);
        values.map_or_else(Vec::new, |values| values.values().copied().collect())
    }

    /// How a metric here differs from there, seed by seed.
    #[must_use]
    pub fn against(&self, other: &Self, metric: &str) -> Option<Paired> {
        let others = other.values.get(metric)?;
        let pairs: Vec<(f64, f64)> = self
            .values
            .get(metric)?
            .iter()
            .filter_map(|(seed, one)| Some((*one, *others.get(seed)?)))
            .collect();
        Paired::of(&pairs)
    }

    /// The ratios of a metric here to there, seed by seed.
    #[must_use]
    pub fn ratios(&self, other: &Self, metric: &str) -> Option<Spread> {
        let others = other.values.get(metric)?;
        let pairs = self.values.get(metric)?.iter();
        let ratios = pairs.filter_map(|(seed, one)| Some(one / others.get(seed)?));
        Spread::of(ratios.filter(|ratio| ratio.is_finite()).collect())
    }

    /// A note.
    #[must_use]
    pub fn note(&self, name: &str) -> Option<&str> {
        self.notes.get(name).map(String::as_str)
    }

    /// Why some of its runs could not be measured here.
    #[must_use]
    pub fn skipped(&self) -> Option<&str> {
        self.skipped.as_deref()
    }

    /// How much more of a metric there is here than there, percent, seed by seed.
    #[must_use]
    pub fn gain_over(&self, other: &Self, metric: &str) -> Option<Estimate> {
        let others = other.values.get(metric)?;
        let gains: Vec<f64> = self
            .values
            .get(metric)?
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
        let mut cells: BTreeMap<(String, String, String), Cell> = BTreeMap::new();
        for Record { run, measured } in sorted {
            let names = (
                run.study.clone(),
                run.experiment.clone(),
                run.settings.to_string(),
            );
            let cell = cells.entry(names).or_insert_with(|| Cell {
                study: run.study.clone(),
                experiment: run.experiment.clone(),
                settings: run.settings.clone(),
                values: BTreeMap::new(),
                series: measured.series.clone(),
                notes: BTreeMap::new(),
                skipped: None,
            });
            cell.notes.extend(measured.notes.clone());
            cell.skipped = measured.skipped.clone().or(cell.skipped.take());
            for (metric, value) in &measured.metrics {
                let values = cell.values.entry(metric.clone()).or_default();
                values.insert(run.seed, *value);
            }
        }
        Self {
            cells: cells.into_values().collect(),
        }
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

    /// All cells of an experiment in which those settings hold.
    #[must_use]
    pub fn cells(&self, study: &str, experiment: &str, some: &Settings) -> Vec<&Cell> {
        let holds = |cell: &&Cell| {
            cell.study == study && cell.experiment == experiment && cell.settings.include(some)
        };
        self.cells.iter().filter(holds).collect()
    }

    /// Why some runs of an experiment could not be made here.
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

#[cfg(test)]
mod tests;
