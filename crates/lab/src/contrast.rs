//! The numbers that a paper and a study share, as a picture has them.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::{Cell, Estimate, Setting, Settings, Summary, Unit};

/// A ratio that a claim is about: as the paper has it, and ours.
#[derive(Clone, Debug, PartialEq)]
pub struct Contrast {
    /// The claim.
    pub claim: String,
    /// The quantity, as one thing over another.
    pub quantity: String,
    /// The place in a sweep; empty where there is none.
    pub at: String,
    /// The ratio in the paper.
    pub paper: Printed,
    /// The place in the paper.
    pub source: String,
    /// Our ratio; `None` where it was not measured.
    pub ours: Option<Estimate>,
}

/// A ratio as a paper gives it.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Printed {
    /// A number.
    Value(f64),
    /// Two numbers, the first over the second.
    Of([f64; 2]),
    /// More than that.
    Above(f64),
    /// Less than that.
    Below(f64),
    /// About that, as two curves that lie on each other.
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

/// A contrast as a sheet lists it, and the cells that it is of.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Spec {
    pub(crate) claim: String,
    quantity: String,
    source: String,
    paper: Printed,
    pub(crate) experiment: String,
    metric: String,
    /// The metric of the other cell; the same if not given.
    other_metric: Option<String>,
    /// Settings of the cell above the line.
    #[serde(default)]
    pub(crate) one: Settings,
    /// Settings of the cell below it.
    #[serde(default)]
    pub(crate) other: Settings,
    /// Settings that both share, one contrast for each of the values; none means all values.
    #[serde(default)]
    each: BTreeMap<String, Vec<f64>>,
    /// The same of settings that the cell below the line does not have.
    #[serde(default)]
    over: BTreeMap<String, Vec<f64>>,
}

impl Spec {
    /// The contrasts at each place where there are runs; where there are none, what the paper has
    /// alone.
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

    /// The place of a cell in what is swept.
    fn places<'a>(&'a self, settings: &'a Settings) -> impl Iterator<Item = (&'a str, f64)> {
        let names = self.each.keys().chain(self.over.keys());
        names.map(|name| (name.as_str(), settings.number(name)))
    }

    /// Whether a cell is at one of the places.
    fn takes(&self, settings: &Settings) -> bool {
        self.each.iter().chain(&self.over).all(|(name, values)| {
            let is_number = matches!(settings.value(name), Some(Setting::Number(_)));
            is_number && (values.is_empty() || values.contains(&settings.number(name)))
        })
    }

    /// The ratio of two cells, if it is one.
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

/// A setting and its value, with the unit that its name says.
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
