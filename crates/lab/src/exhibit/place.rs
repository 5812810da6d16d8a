use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use toml::{Table, Value};

use crate::estimate::shown;
use crate::formula::Formula;
use crate::{Cell, Estimate, Setting, Settings, Summary};

/// Choices of settings: each table stands for all combinations of its values, the first key
/// outermost.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Choices {
    One(Table),
    Several(Vec<Table>),
}

impl Default for Choices {
    fn default() -> Self {
        Self::One(Table::new())
    }
}

/// The key of a choice that names the experiment.
const EXPERIMENT: &str = "of";
/// The key of a choice of all cells that have some settings, which are left out.
const CELLS: &str = "cells";
/// The value that stands for all numbers of a setting in the experiment.
const ALL: &str = "*";

/// The settings by which an exhibit chooses cells, and the words by which it names them.
#[derive(Clone)]
pub(super) struct Place<'a> {
    study: &'a str,
    experiment: String,
    summary: &'a Summary,
    settings: Settings,
    words: BTreeMap<String, String>,
}

/// The cells at a place by the names of their series; a single one without a name if there are no
/// series.
pub(super) struct Found<'a> {
    pub(super) place: Place<'a>,
    cells: Vec<(String, Option<&'a Cell>)>,
}

impl<'a> Place<'a> {
    pub(super) fn new(study: &'a str, experiment: &str, summary: &'a Summary) -> Self {
        Self {
            study,
            experiment: experiment.to_owned(),
            summary,
            settings: Settings::new(),
            words: BTreeMap::new(),
        }
    }

    /// The places within this one, in the order of the choices.
    pub(super) fn each(&self, choices: &Choices) -> Vec<Self> {
        let tables = match choices {
            Choices::One(table) => core::slice::from_ref(table),
            Choices::Several(tables) => tables,
        };
        tables.iter().flat_map(|table| self.within(table)).collect()
    }

    /// A place for each combination of the values in a table.
    fn within(&self, table: &Table) -> Vec<Self> {
        table
            .iter()
            .fold(vec![self.clone()], |places, (key, value)| {
                let places = places.iter();
                places.flat_map(|place| place.with(key, value)).collect()
            })
    }

    /// A place for each value of a key.
    fn with(&self, key: &str, value: &Value) -> Vec<Self> {
        let set = |value: Setting| {
            let mut place = self.clone();
            match key.strip_prefix('$') {
                Some(word) => drop(place.words.insert(word.to_owned(), value.to_string())),
                None if key == EXPERIMENT => place.experiment = value.to_string(),
                None => place.settings = place.settings.with(key, value),
            }
            place
        };
        let numbers = |key| self.summary.numbers(self.study, &self.experiment, key);
        match value {
            Value::Array(values) => values
                .iter()
                .flat_map(|value| self.with(key, value))
                .collect(),
            Value::String(all) if all == ALL => {
                numbers(key).into_iter().map(|at| set(at.into())).collect()
            }
            Value::Table(some) if key == CELLS => self.of_cells(some),
            Value::String(text) => vec![set(self.named(text).as_str().into())],
            Value::Integer(number) => vec![set((*number as f64).into())],
            Value::Float(number) => vec![set((*number).into())],
            _ => Vec::new(),
        }
    }

    /// A place for each cell that has `some` settings.
    fn of_cells(&self, some: &Table) -> Vec<Self> {
        let wanted = self.within(some).into_iter();
        let cells = wanted.flat_map(|place| place.cells());
        let places = cells.map(|cell| Self {
            settings: cell.settings.only(|name| !some.contains_key(name)),
            ..self.clone()
        });
        places.collect()
    }

    fn cells(&self) -> Vec<&'a Cell> {
        self.summary
            .cells(self.study, &self.experiment, &self.settings)
    }

    /// The numbers of a setting in the experiment.
    pub(super) fn numbers(&self, name: &str) -> Vec<f64> {
        self.summary.numbers(self.study, &self.experiment, name)
    }

    /// The same place with the value of a setting.
    pub(super) fn at(&self, name: &str, value: f64) -> Self {
        Self {
            settings: self.settings.clone().with(name, value),
            ..self.clone()
        }
    }

    /// The same place with the settings and words of another one.
    pub(super) fn and(&self, other: &Self) -> Self {
        let mut both = self.clone();
        for (name, value) in &other.settings {
            both.settings = both.settings.with(name, value.clone());
        }
        both.words.extend(other.words.clone());
        both
    }

    /// Whether anything was run with some settings more.
    pub(super) fn has(&self, some: &Table) -> bool {
        self.within(some)
            .iter()
            .any(|place| !place.cells().is_empty())
    }

    /// The experiment and the words that select its runs, as for `--only`.
    pub(super) fn runs(&self, words: &[String]) -> Vec<String> {
        let words = words.iter().map(|word| self.named(word));
        let experiment = format!("{} (", self.experiment);
        core::iter::once(experiment).chain(words).collect()
    }

    fn word(&self, name: &str) -> Option<String> {
        let setting = || Some(self.settings.value(name)?.to_string());
        self.words.get(name).cloned().or_else(setting)
    }

    /// A text with the words and settings that it names in braces.
    pub(super) fn named(&self, text: &str) -> String {
        filled(text, |name| Some(self.word(name).unwrap_or_default())).unwrap_or_default()
    }

    /// The cells of the series at this place.
    pub(super) fn found(&self, series: &Table) -> Found<'a> {
        let named = series.iter().map(|(name, value)| {
            let of = value.as_table().map(|some| self.within(some));
            let places = of.unwrap_or_default();
            (name.clone(), places.first().and_then(Self::cell))
        });
        let mut cells: Vec<_> = named.collect();
        if cells.is_empty() {
            cells.push((String::new(), self.cell()));
        }
        Found {
            place: self.clone(),
            cells,
        }
    }

    /// The only cell that has the settings.
    fn cell(&self) -> Option<&'a Cell> {
        match self.cells()[..] {
            [cell] => Some(cell),
            _ => None,
        }
    }
}

impl<'a> Found<'a> {
    /// Whether any of the cells was run.
    pub(super) fn any(&self) -> bool {
        self.cells.iter().any(|(_, cell)| cell.is_some())
    }

    /// The first of the cells that were run.
    pub(super) fn first(&self) -> Option<&'a Cell> {
        self.cells.iter().find_map(|(_, cell)| *cell)
    }

    /// The cell and the metric that a name stands for.
    fn metric<'n>(&'n self, name: &'n str) -> Option<(&'a Cell, &'n str)> {
        let named = self.place.words.get(name).map(String::as_str);
        let name = named.unwrap_or(name);
        let mut cells = self.cells.iter();
        cells.find_map(|(series, cell)| {
            let metric = match series.as_str() {
                "" => name,
                series => name.strip_prefix(series)?.strip_prefix('.')?,
            };
            Some(((*cell)?, metric))
        })
    }

    /// The estimate of a formula: of a metric, of the ratio of two means as `ratio(one, other)`, or
    /// of anything else, computed seed by seed.
    pub(super) fn estimate(&self, formula: &str) -> Option<Estimate> {
        let ratio = formula.strip_prefix("ratio(");
        if let Some(both) = ratio.and_then(|both| both.strip_suffix(')')) {
            let (one, other) = both.split_once(", ")?;
            let (one, metric) = self.metric(one)?;
            return one.ratio(self.metric(other)?.0, metric);
        }
        let formula = Formula::try_from(formula.to_owned());
        // A test makes all exhibits.
        let formula = formula.unwrap_or_else(|problem| panic!("{problem}"));
        if let Formula::Name(name) = &formula {
            let (cell, metric) = self.metric(name)?;
            return cell.estimate(metric);
        }
        let names = formula.names().into_iter();
        let metrics = names.filter_map(|name| self.metric(name));
        let mut seeds: BTreeSet<u64> = metrics
            .flat_map(|(cell, metric)| cell.seeds(metric))
            .collect();
        if formula
            .names()
            .iter()
            .all(|name| self.setting(name).is_some())
        {
            seeds = BTreeSet::from([0]);
        }
        let value = |name: &str, seed| match self.setting(name) {
            Some(Setting::Number(number)) => Some(*number),
            _ => {
                let (cell, metric) = self.metric(name)?;
                cell.value_at(metric, seed)
            }
        };
        let values = seeds
            .into_iter()
            .filter_map(|seed| formula.value(&|name| value(name, seed)));
        Estimate::of(&values.collect::<Vec<f64>>())
    }

    fn setting(&self, name: &str) -> Option<&Setting> {
        let own = self.place.settings.value(name);
        own.or_else(|| self.first()?.settings.value(name))
    }

    /// A text with what it names in braces: words, settings and formulas, the latter as estimates,
    /// as means (`{formula:mean}`), exact (`:number`) or with so many decimals (`:.2`);
    /// `missing` stands for values that runs lack; `None` without it.
    pub(super) fn text(&self, text: &str, missing: Option<&str>) -> Option<String> {
        filled(text, |piece| {
            let missing = || missing.map(str::to_owned);
            self.piece(piece).or_else(missing)
        })
    }

    /// A column's content, which may be a piece without braces.
    pub(super) fn content(&self, content: &str, missing: Option<&str>) -> Option<String> {
        match content.contains('{') || content.is_empty() {
            true => self.text(content, missing),
            false => self.text(&format!("{{{content}}}"), missing),
        }
    }

    fn piece(&self, piece: &str) -> Option<String> {
        let Some((formula, form)) = piece.rsplit_once(':') else {
            let setting = || Some(self.setting(piece)?.to_string());
            let estimate = || Some(self.estimate(piece)?.to_string());
            let word = self.place.words.get(piece).cloned();
            return word.or_else(setting).or_else(estimate);
        };
        let estimate = self.estimate(formula)?;
        Some(match (form, form.strip_prefix('.').map(str::parse)) {
            ("mean", _) => shown(estimate.mean),
            ("number", _) => estimate.mean.to_string(),
            (_, Some(Ok(decimals))) => format!("{:.decimals$}", estimate.mean),
            _ => estimate.to_string(),
        })
    }
}

/// Replaces each piece in braces.
fn filled(text: &str, piece: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut parts = text.split('{');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once('}')?;
        filled += &piece(name)?;
        filled += rest;
    }
    Some(filled)
}
