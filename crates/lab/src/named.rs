//! Cells by the names that formulas and tests use for them.

use std::collections::BTreeSet;

use crate::formula::{Comparison, Formula, Relation, Scope, Test};
use crate::{Cell, Estimate, Evidence};

/// A place where cells have names; formulas and tests are computed there, seed by seed.
pub(crate) trait Named {
    /// The place's cells.
    fn cells(&self) -> Vec<&Cell>;

    /// The cell and the metric with this name; `None` if the name is no metric's.
    fn metric(&self, name: &str) -> Option<(&Cell, String)>;

    /// The number with this name; `None` if the name is a metric's.
    fn number(&self, name: &str) -> Option<f64>;

    /// The value of a formula for a seed.
    fn value(&self, formula: &Formula, seed: u64) -> Option<f64> {
        formula.value(&|name| match self.number(name) {
            Some(number) => Some(number),
            None => {
                let (cell, metric) = self.metric(name)?;
                cell.value_at(&metric, seed)
            }
        })
    }

    /// The seeds of its runs.
    fn seeds(&self) -> BTreeSet<u64> {
        self.cells().into_iter().flat_map(runs_of).collect()
    }

    /// The estimate of a formula.
    fn estimate_of(&self, formula: &Formula) -> Option<Estimate> {
        let mut names = formula.names().into_iter();
        let seeds = match names.all(|name| self.number(name).is_some()) {
            true => BTreeSet::from([0]),
            false => self.seeds(),
        };
        let values = seeds
            .into_iter()
            .filter_map(|seed| self.value(formula, seed));
        Estimate::of(&values.collect::<Vec<f64>>())
    }

    /// The evidence for a test; `None` if no run has all of its metrics.
    fn evidence(&self, test: &Test) -> Option<Evidence> {
        match test.scope {
            Scope::EveryRun => {
                let (runs, holds) = (self.seeds().len(), self.holds(test));
                Some(Evidence::in_every_run(&self.cells(), runs, holds))
            }
            Scope::Means => {
                let parts = test.comparisons.iter().map(|one| self.of_means(one));
                let mut parts = parts.collect::<Option<Vec<Evidence>>>()?;
                match parts.len() {
                    1 => parts.pop(),
                    _ => Some(Evidence::all(parts)),
                }
            }
        }
    }

    /// Whether a test holds: in every run, or for the means.
    fn meets(&self, test: &Test) -> bool {
        let mean = |name: &str| {
            let (cell, metric) = self.metric(name)?;
            cell.mean(&metric)
        };
        let value =
            |formula: &Formula| formula.value(&|name| self.number(name).or_else(|| mean(name)));
        match test.scope {
            Scope::EveryRun => self.holds(test),
            Scope::Means => test.comparisons.iter().all(|one| {
                let both = value(&one.left).zip(value(&one.right));
                both.is_some_and(|(left, right)| one.holds(left, right))
            }),
        }
    }

    /// Whether each comparison of a test holds in all runs that its cells share: a cell may have
    /// more runs than another.
    fn holds(&self, test: &Test) -> bool {
        test.comparisons.iter().all(|one| {
            let seeds = self
                .compared(one)
                .into_iter()
                .map(|(cell, _)| runs_of(cell));
            let shared = seeds.reduce(|all, more| &all & &more);
            shared.unwrap_or_default().into_iter().all(|seed| {
                let value = |formula| self.value(formula, seed);
                let both = value(&one.left).zip(value(&one.right));
                both.is_some_and(|(left, right)| one.holds(left, right))
            })
        })
    }

    /// The cells and metrics of a comparison, each once.
    fn compared(&self, one: &Comparison) -> Vec<(&Cell, String)> {
        let names = [&one.left, &one.right].into_iter().flat_map(Formula::names);
        let mut cells: Vec<(&Cell, String)> = Vec::new();
        for metric in names.filter_map(|name| self.metric(name)) {
            if !cells.contains(&metric) {
                cells.push(metric);
            }
        }
        cells
    }

    /// The evidence for a comparison of means.
    fn of_means(&self, one: &Comparison) -> Option<Evidence> {
        let cells = self.compared(one);
        let cells: Vec<(&Cell, &str)> = cells
            .iter()
            .map(|(cell, metric)| (*cell, metric.as_str()))
            .collect();
        let (more, less) = match one.relation {
            Relation::AtLeast => (&one.right, &one.left),
            _ => (&one.left, &one.right),
        };
        let evidence = Evidence::of_seeds(&cells, |seed| {
            Some(self.value(more, seed)? - self.value(less, seed)?)
        })?;
        // What is at least as large is not below.
        Some(match one.relation {
            Relation::AtLeast => !evidence,
            _ => evidence,
        })
    }
}

/// The seeds of a cell's runs.
fn runs_of(cell: &Cell) -> BTreeSet<u64> {
    let metrics = cell.metrics();
    metrics.flat_map(|metric| cell.seeds(metric)).collect()
}
