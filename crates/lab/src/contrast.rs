//! Comparison of the numbers printed in a paper with those measured in a study.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::{Cell, Estimate, Setting, Settings, Summary, Unit};

/// A ratio on which a claim rests: the paper's and ours.
#[derive(Clone, Debug, PartialEq)]
pub struct Contrast {
    /// Id of the claim.
    pub claim: String,
    /// The two quantities of the ratio, in words.
    pub quantity: String,
    /// Position in a sweep; empty outside a sweep.
    pub at: String,
    /// The ratio in the paper.
    pub paper: Printed,
    /// Location of the ratio in the paper.
    pub source: String,
    /// Our ratio; `None` if it was not measured.
    pub ours: Option<Estimate>,
}

/// A ratio as printed in a paper.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Printed {
    /// An exact ratio.
    Value(f64),
    /// The ratio of two numbers, the first over the second.
    Of([f64; 2]),
    /// A lower bound.
    Above(f64),
    /// An upper bound.
    Below(f64),
    /// An approximate ratio, read from a figure.
    Near(f64),
}

impl Printed {
    /// The ratio, or the bound.
    #[must_use]
    pub fn value(self) -> f64 {
        match self {
            Self::Of([one, other]) => one / other,
            Self::Value(value) | Self::Above(value) | Self::Below(value) | Self::Near(value) => {
                value
            }
        }
    }
}

/// A contrast as listed in the study's file of paper numbers, with its cells.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Spec {
    pub(crate) claim: String,
    quantity: String,
    source: String,
    paper: Printed,
    pub(crate) experiment: String,
    metric: String,
    /// Metric of the denominator; the same as the numerator's if absent.
    other_metric: Option<String>,
    /// Settings of the numerator's cell.
    #[serde(default)]
    pub(crate) one: Settings,
    /// Settings of the denominator's cell.
    #[serde(default)]
    pub(crate) other: Settings,
    /// Settings shared by both cells, with a contrast for each value; an empty list means all
    /// values.
    #[serde(default)]
    each: BTreeMap<String, Vec<f64>>,
    /// Settings and values like `each`, but of settings that the denominator's cell lacks.
    #[serde(default)]
    over: BTreeMap<String, Vec<f64>>,
}

impl Spec {
    /// The contrasts at each position that was run; if none was run, a single one without our
    /// ratio.
    pub(crate) fn contrasts(&self, study: &str, summary: &Summary) -> Vec<Contrast> {
        let found = self.all(study, summary);
        match found.is_empty() {
            true => vec![self.contrast(String::new(), None)],
            false => found,
        }
    }

    fn all(&self, study: &str, summary: &Summary) -> Vec<Contrast> {
        let mut ones = summary.cells(study, &self.experiment, &self.one);
        ones.retain(|cell| self.takes(&cell.settings));
        let key = |cell: &&Cell| -> Vec<f64> {
            self.places(&cell.settings)
                .map(|(_, value)| value)
                .collect()
        };
        ones.sort_by(|one, other| {
            key(one)
                .partial_cmp(&key(other))
                .unwrap_or(core::cmp::Ordering::Equal)
        });
        let contrasts = ones.into_iter().filter_map(|one| {
            let mut same = self.other.clone();
            for name in self.each.keys() {
                same = same.with(name, one.settings.number(name));
            }
            let other = summary.cell(study, &self.experiment, &same)?;
            let at = self.places(&one.settings);
            let at: Vec<String> = at.map(|(name, value)| place(name, value)).collect();
            let ours = self.ratio(one, other)?;
            Some(self.contrast(at.join(", "), Some(ours)))
        });
        contrasts.collect()
    }

    /// The position of a cell in the sweep.
    fn places<'a>(&'a self, settings: &'a Settings) -> impl Iterator<Item = (&'a str, f64)> {
        let names = self.each.keys().chain(self.over.keys());
        names.map(|name| (name.as_str(), settings.number(name)))
    }

    /// Whether a cell is at a listed position.
    fn takes(&self, settings: &Settings) -> bool {
        self.each.iter().chain(&self.over).all(|(name, values)| {
            let is_number = matches!(settings.value(name), Some(Setting::Number(_)));
            is_number && (values.is_empty() || values.contains(&settings.number(name)))
        })
    }

    /// The ratio of two cells; `None` if it is undefined.
    fn ratio(&self, one: &Cell, other: &Cell) -> Option<Estimate> {
        let ours = match &self.other_metric {
            None => one.ratio(other, &self.metric)?,
            Some(metric) => {
                let (above, below) = (one.estimate(&self.metric)?, other.mean(metric)?);
                Estimate {
                    mean: above.mean / below,
                    deviation: above.deviation / below,
                    half_width: above.half_width / below,
                    n: above.n,
                }
            }
        };
        (ours.mean.is_finite() && ours.mean > 0.0).then_some(ours)
    }

    fn contrast(&self, at: String, ours: Option<Estimate>) -> Contrast {
        Contrast {
            claim: self.claim.clone(),
            quantity: self.quantity.clone(),
            at,
            paper: self.paper,
            source: self.source.clone(),
            ours,
        }
    }
}

/// A setting and its value, with the unit taken from its name.
fn place(name: &str, value: f64) -> String {
    let found = Unit::split(name).filter(|(quantity, _)| !quantity.is_empty());
    match found {
        Some((quantity, unit)) => {
            format!("{} {value} {}", quantity.replace('_', " "), unit.symbol())
        }
        None => format!("{} {value}", name.replace('_', " ")),
    }
}

#[cfg(test)]
mod tests;
