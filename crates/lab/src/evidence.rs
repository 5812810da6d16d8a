use crate::estimate::{Estimate, student_tail};
use crate::{Cell, ERROR};

/// Fewest seeds for a test. Our choice: with fewer, Student's t has almost no power.
pub const SEEDS_MIN: usize = 5;

/// Largest relative difference at which two means count as equal. Our choice.
pub const TIE: f64 = 0.01;

/// A group of runs that differ only in their seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The study.
    pub study: String,
    /// The experiment within it.
    pub experiment: String,
    /// The settings that the runs share.
    pub settings: crate::Settings,
}

impl Condition {
    /// Whether a run belongs to this group.
    pub fn has(&self, run: &crate::Run) -> bool {
        self.study == run.study
            && self.experiment == run.experiment
            && self.settings == run.settings
    }
}

/// Evidence about a part of a claim: the error of stating that it holds, and of stating that it
/// fails.
///
/// An error is the p-value of a one-sided test: the probability of a sample at least this extreme
/// if the statement were false.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// Error of stating that the part holds.
    pub holds: f64,
    /// Error of stating that the part fails.
    pub fails: f64,
    /// The runs for which more seeds would strengthen the evidence.
    pub from: Vec<Condition>,
}

impl Evidence {
    /// Evidence for a deterministic fact.
    #[must_use]
    pub const fn fact(holds: bool) -> Self {
        let (holds, fails) = if holds { (0.0, 1.0) } else { (1.0, 0.0) };
        Self {
            holds,
            fails,
            from: Vec::new(),
        }
    }

    /// Tests whether the mean of `values`, one per seed, is above 0 (Student's t).
    ///
    /// Fewer values than [`SEEDS_MIN`] decide nothing. If all `n` values are equal, Student's t is
    /// undefined, and the error is the sign test's, 2<sup>-n</sup>: the probability that `n` runs
    /// all miss an event that occurs in every second run.
    #[must_use]
    pub fn is_positive(values: &[f64]) -> Self {
        Self::tested(values, Chance::Some)
    }

    fn tested(values: &[f64], chance: Chance) -> Self {
        let open = Self {
            holds: 1.0,
            fails: 1.0,
            from: Vec::new(),
        };
        let Some(estimate) = Estimate::of(values) else {
            return open;
        };
        if chance == Chance::None {
            return Self::fact(estimate.mean > 0.0);
        }
        if estimate.n < SEEDS_MIN {
            return open;
        }
        if estimate.deviation == 0.0 {
            let mut evidence = Self::fact(estimate.mean > 0.0);
            let least = error_of_agreement(estimate.n);
            evidence.holds = evidence.holds.max(least);
            evidence.fails = evidence.fails.max(least);
            return evidence;
        }
        let t = estimate.mean / (estimate.deviation / (estimate.n as f64).sqrt());
        Self {
            holds: student_tail(t, estimate.n - 1),
            fails: student_tail(-t, estimate.n - 1),
            from: Vec::new(),
        }
    }

    /// Tests whether a contrast of cells' metrics, computed per seed, is above 0 on average; `None`
    /// if no seed occurs in all cells.
    pub fn contrast<const N: usize>(
        cells: [(&Cell, &str); N],
        contrast: impl Fn([f64; N]) -> f64,
    ) -> Option<Self> {
        Self::of_seeds(&cells, |seed| {
            let mut values = [0.0; N];
            for (value, (cell, metric)) in values.iter_mut().zip(&cells) {
                *value = cell.value_at(metric, seed)?;
            }
            Some(contrast(values))
        })
    }

    /// Tests whether the values that cells' metrics have `at` each seed are above 0 on average;
    /// `None` if there are none.
    pub(crate) fn of_seeds(
        cells: &[(&Cell, &str)],
        at: impl Fn(u64) -> Option<f64>,
    ) -> Option<Self> {
        let random = cells.iter().any(|(cell, _)| !cell.is_certain());
        let seeds = cells.iter().flat_map(|(cell, metric)| cell.seeds(metric));
        let seeds: std::collections::BTreeSet<u64> = seeds.collect();
        let values: Vec<f64> = seeds.into_iter().filter_map(at).collect();
        if values.is_empty() {
            return None;
        }
        let chance = if random { Chance::Some } else { Chance::None };
        let mut evidence = Self::tested(&values, chance);
        if random {
            let sampled = cells.iter().filter(|(cell, _)| !cell.is_certain());
            evidence.from = distinct(sampled.map(|(cell, _)| cell.condition()));
        }
        Some(evidence)
    }

    /// Evidence about a rule that each run of these cells must obey; `holds` says whether all of
    /// `seeds` do. A single run refutes the rule; the error of stating that it holds is the sign
    /// test's, against a rule that every second run breaks.
    pub(crate) fn in_every_run(cells: &[&Cell], seeds: usize, holds: bool) -> Self {
        let mut evidence = Self::fact(holds);
        if holds && cells.iter().any(|cell| !cell.is_certain()) {
            evidence.holds = error_of_agreement(seeds);
        }
        evidence.from = distinct(cells.iter().map(|cell| cell.condition()));
        evidence
    }

    /// The number of parts that hold, each judged separately, in words.
    #[must_use]
    pub fn counted(parts: &[Self]) -> String {
        let holding = parts.iter().filter(|part| part.holds <= ERROR).count();
        let failing = parts.iter().filter(|part| part.fails <= ERROR).count();
        let count = parts.len();
        let open = match count - holding - failing {
            0 => String::new(),
            open => format!(", {open} are open"),
        };
        format!("Of {count} parts {holding} hold and {failing} do not (95 % each){open}.")
    }

    /// Combines parts to evidence that all of them hold.
    #[must_use]
    pub fn all(parts: Vec<Self>) -> Self {
        let count = parts.len() as f64;
        let of = |error: fn(&Self) -> f64| parts.iter().map(error).collect::<Vec<f64>>();
        let holds = of(|part| part.holds).into_iter().fold(0.0, f64::max);
        // One failing part suffices, so the errors of all parts examined add up.
        let fails = of(|part| part.fails).into_iter().fold(1.0, f64::min);
        Self {
            holds,
            fails: (fails * count).min(1.0),
            from: distinct(parts.into_iter().flat_map(|part| part.from)),
        }
    }

    /// Combines parts to evidence that any `count` of them hold (partial conjunction, Benjamini and
    /// Heller 2008).
    #[must_use]
    pub fn at_least(count: usize, parts: Vec<Self>) -> Self {
        let others = (parts.len() + 1).saturating_sub(count);
        // If fewer than `count` parts held, `others` parts would fail, at least one of them among
        // the `count` with the smallest errors.
        let nth = |error: fn(&Self) -> f64, place: usize| {
            let mut errors: Vec<f64> = parts.iter().map(error).collect();
            errors.sort_by(f64::total_cmp);
            let last = place.checked_sub(1).and_then(|at| errors.get(at));
            last.copied()
        };
        let holds = match (count, nth(|part| part.holds, count)) {
            (0, _) => 0.0,
            (_, Some(error)) => (error * others as f64).min(1.0),
            (_, None) => 1.0,
        };
        let fails = match (others, nth(|part| part.fails, others)) {
            (0, _) => 0.0,
            (_, Some(error)) => (error * count as f64).min(1.0),
            (_, None) => 1.0,
        };
        Self {
            holds,
            fails,
            from: distinct(parts.into_iter().flat_map(|part| part.from)),
        }
    }

    /// Combines parts to evidence that at least one holds.
    #[must_use]
    pub fn any(parts: Vec<Self>) -> Self {
        !Self::all(parts.into_iter().map(|part| !part).collect())
    }
}

/// The sign test's error for `runs` agreeing runs: 2<sup>-runs</sup>, or 1 if there are fewer than
/// [`SEEDS_MIN`].
fn error_of_agreement(runs: usize) -> f64 {
    if runs < SEEDS_MIN {
        return 1.0;
    }
    0.5_f64.powi(runs.try_into().unwrap_or(i32::MAX))
}

/// Whether values are subject to chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chance {
    None,
    Some,
}

impl core::ops::Not for Evidence {
    type Output = Self;

    fn not(self) -> Self {
        Self {
            holds: self.fails,
            fails: self.holds,
            from: self.from,
        }
    }
}

/// Tests that compare cells, seed by seed.
impl Cell {
    /// Evidence about a rule that each run must obey; `holds` says whether all existing runs do.
    pub fn every(&self, metric: &str, holds: bool) -> Evidence {
        Evidence::in_every_run(&[self], self.seeds(metric).count(), holds)
    }

    /// Tests whether the mean of a metric is above `bound`.
    pub fn over(&self, metric: &str, bound: f64) -> Option<Evidence> {
        Evidence::contrast([(self, metric)], |[value]| value - bound)
    }

    /// Tests whether the mean of a metric is below `bound`.
    pub fn under(&self, metric: &str, bound: f64) -> Option<Evidence> {
        Evidence::contrast([(self, metric)], |[value]| bound - value)
    }

    /// Tests whether the mean of a metric is between two bounds.
    pub fn within(&self, metric: &str, (low, high): (f64, f64)) -> Option<Evidence> {
        let both = vec![self.over(metric, low)?, self.under(metric, high)?];
        Some(Evidence::all(both))
    }

    /// Tests whether the mean of a metric is more than `factor` times another cell's.
    pub fn exceeds(&self, other: &Self, metric: &str, factor: f64) -> Option<Evidence> {
        let cells = [(self, metric), (other, metric)];
        Evidence::contrast(cells, |[one, other]| one - factor * other)
    }

    /// Tests whether the mean of a metric is less than `factor` times another cell's.
    pub fn falls_short(&self, other: &Self, metric: &str, factor: f64) -> Option<Evidence> {
        let cells = [(self, metric), (other, metric)];
        Evidence::contrast(cells, |[one, other]| factor * other - one)
    }

    /// Tests whether the mean of a metric is above another cell's by more than `TIE`.
    pub fn is_above(&self, other: &Self, metric: &str) -> Option<Evidence> {
        self.exceeds(other, metric, 1.0 + TIE)
    }

    /// Tests whether the mean of a metric is below another cell's by more than `TIE`.
    pub fn is_below(&self, other: &Self, metric: &str) -> Option<Evidence> {
        self.falls_short(other, metric, 1.0 - TIE)
    }

    /// Tests whether the mean of a metric differs from another cell's by at most `share` of the
    /// latter.
    pub fn is_near(&self, other: &Self, metric: &str, share: f64) -> Option<Evidence> {
        let low = self.exceeds(other, metric, 1.0 - share)?;
        let high = self.falls_short(other, metric, 1.0 + share)?;
        Some(Evidence::all(vec![low, high]))
    }
}

/// The conditions without duplicates.
pub(crate) fn distinct(all: impl Iterator<Item = Condition>) -> Vec<Condition> {
    let mut distinct: Vec<Condition> = Vec::new();
    for one in all {
        if !distinct.contains(&one) {
            distinct.push(one);
        }
    }
    distinct
}

#[cfg(test)]
mod tests;
