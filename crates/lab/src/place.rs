use std::collections::BTreeMap;

use serde::Deserialize;
use toml::{Table, Value};

use crate::estimate::shown;
use crate::formula::Formula;
use crate::named::Named;
use crate::{Cell, Estimate, Setting, Settings, Summary};

/// Choices of settings: each table stands for all combinations of its values, the first key
/// outermost.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Choices {
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
/// The beginning of a value that stands for all numbers of a setting in the experiment; a condition
/// may follow: `* < 2`, `* > 0`, `* != 6`; a word gets another setting's numbers: `* of streams`.
const ALL: &str = "*";
/// The values that stand for the least and the greatest number of a setting in the experiment.
const EXTREMES: [&str; 2] = ["least", "most"];

/// The settings by which an exhibit or a rule chooses cells, and the words by which it names them.
#[derive(Clone)]
pub(crate) struct Place<'a> {
    study: &'a str,
    experiment: String,
    summary: &'a Summary,
    settings: Settings,
    words: BTreeMap<String, String>,
}

/// The cells at a place by the names of their series; a single one without a name if there are no
/// series.
pub(crate) struct Found<'a> {
    pub(crate) place: Place<'a>,
    cells: Vec<(String, Option<&'a Cell>)>,
}

impl<'a> Place<'a> {
    pub(crate) fn new(study: &'a str, experiment: &str, summary: &'a Summary) -> Self {
        Self {
            study,
            experiment: experiment.to_owned(),
            summary,
            settings: Settings::new(),
            words: BTreeMap::new(),
        }
    }

    /// The places within this one, in the order of the choices.
    pub(crate) fn each(&self, choices: &Choices) -> Vec<Self> {
        let tables = match choices {
            Choices::One(table) => core::slice::from_ref(table),
            Choices::Several(tables) => tables,
        };
        tables.iter().flat_map(|table| self.within(table)).collect()
    }

    /// A place for each combination of the values in a table.
    pub(crate) fn within(&self, table: &Table) -> Vec<Self> {
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
                None if value == Setting::from("") => {
                    place.settings = place.settings.only(|name| name != key);
                }
                None => place.settings = place.settings.with(key, value),
            }
            place
        };
        match value {
            Value::Array(values) => values
                .iter()
                .flat_map(|value| self.with(key, value))
                .collect(),
            Value::Table(some) if key == CELLS => self.of_cells(some),
            Value::String(text) => match self.chosen(key, text) {
                Some(numbers) => numbers.into_iter().map(|at| set(at.into())).collect(),
                None => vec![set(self.setting_of(text))],
            },
            Value::Integer(number) => vec![set((*number as f64).into())],
            Value::Float(number) => vec![set((*number).into())],
            _ => Vec::new(),
        }
    }

    /// The numbers of a setting that a text stands for, if it does.
    fn chosen(&self, key: &str, text: &str) -> Option<Vec<f64>> {
        let mut numbers = self.numbers(key);
        if let Some(condition) = text.strip_prefix(ALL) {
            let mut words = condition.split_whitespace();
            if let (Some(sign), Some(bound)) = (words.next(), words.next()) {
                if sign == "of" {
                    return Some(self.numbers(bound));
                }
                let bound = self.named(bound).parse().unwrap_or(f64::NAN);
                numbers.retain(|number| match sign {
                    "<" => *number < bound,
                    ">" => *number > bound,
                    _ => *number != bound,
                });
            }
            return Some(numbers);
        }
        let ends = [numbers.first(), numbers.last()];
        let place = EXTREMES.iter().position(|one| *one == text)?;
        Some(ends[place].copied().into_iter().collect())
    }

    /// A text with its words as a setting, a number if it has words and is one with them.
    fn setting_of(&self, text: &str) -> Setting {
        let named = self.named(text);
        match named.parse::<f64>() {
            Ok(number) if named != text => number.into(),
            _ => named.as_str().into(),
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

    /// The cells that have the settings.
    pub(crate) fn cells(&self) -> Vec<&'a Cell> {
        self.summary
            .cells(self.study, &self.experiment, &self.settings)
    }

    /// The same place with a word.
    pub(crate) fn with_word(mut self, name: &str, word: String) -> Self {
        self.words.insert(name.to_owned(), word);
        self
    }

    /// The same place in another experiment.
    pub(crate) fn in_experiment(self, of: &str) -> Self {
        let experiment = self.named(of);
        Self { experiment, ..self }
    }

    /// The numbers of a setting in the experiment.
    pub(crate) fn numbers(&self, name: &str) -> Vec<f64> {
        self.summary.numbers(self.study, &self.experiment, name)
    }

    /// The same place with the value of a setting.
    pub(crate) fn at(&self, name: &str, value: f64) -> Self {
        Self {
            settings: self.settings.clone().with(name, value),
            ..self.clone()
        }
    }

    /// The same place with the settings and words of another one.
    pub(crate) fn and(&self, other: &Self) -> Self {
        let mut both = self.clone();
        for (name, value) in &other.settings {
            both.settings = both.settings.with(name, value.clone());
        }
        both.words.extend(other.words.clone());
        both
    }

    /// Whether anything was run with some settings more.
    pub(crate) fn has(&self, some: &Table) -> bool {
        self.within(some)
            .iter()
            .any(|place| !place.cells().is_empty())
    }

    /// The experiment and the words that select its runs, as for `--only`.
    pub(crate) fn runs(&self, words: &[String]) -> Vec<String> {
        let words = words.iter().map(|word| self.named(word));
        let experiment = format!("{} (", self.experiment);
        core::iter::once(experiment).chain(words).collect()
    }

    /// A text in which `<name>` is a word, also within pieces in braces.
    pub(crate) fn worded(&self, text: &str) -> String {
        let words = self.words.iter();
        words.fold(text.to_owned(), |text, (name, word)| {
            text.replace(&format!("<{name}>"), word)
        })
    }

    fn word(&self, name: &str) -> Option<String> {
        let setting = || Some(self.settings.value(name)?.to_string());
        self.words.get(name).cloned().or_else(setting)
    }

    /// A text with the words and settings that it names in braces.
    pub(crate) fn named(&self, text: &str) -> String {
        filled(text, |name| Some(self.word(name).unwrap_or_default())).unwrap_or_default()
    }

    /// The cells of the series at this place.
    pub(crate) fn found(&self, series: &Table) -> Found<'a> {
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
    pub(crate) fn any(&self) -> bool {
        self.cells.iter().any(|(_, cell)| cell.is_some())
    }

    /// The first of the cells that were run.
    pub(crate) fn first(&self) -> Option<&'a Cell> {
        self.cells.iter().find_map(|(_, cell)| *cell)
    }

    /// The estimate of a formula: of a metric, of the ratio of two means as `ratio(one, other)`, of a
    /// gain in per cent as `gain(one, other)`, or of anything else, computed seed by seed.
    pub(crate) fn estimate(&self, formula: &str) -> Option<Estimate> {
        if let Some(both) = formula.strip_prefix("ratio(") {
            let (one, other, metric) = self.both(both)?;
            return one.ratio(other, &metric);
        }
        if let Some(both) = formula.strip_prefix("gain(") {
            let (one, other, metric) = self.both(both)?;
            return one.gain_over(other, &metric);
        }
        let formula = Formula::try_from(formula.to_owned());
        // A test makes all exhibits.
        let formula = formula.unwrap_or_else(|problem| panic!("{problem}"));
        if let Formula::Name(name) = &formula
            && let Some((cell, metric)) = self.cell_of(name)
        {
            return cell.estimate(&metric);
        }
        self.estimate_of(&formula)
    }

    /// The cells of `one.metric, other.metric)`, and the metric.
    fn both(&self, names: &str) -> Option<(&'a Cell, &'a Cell, String)> {
        let (one, other) = names.strip_suffix(')')?.split_once(", ")?;
        let (one, metric) = self.cell_of(one)?;
        Some((one, self.cell_of(other)?.0, metric))
    }

    /// The cell and the metric that a name, or the word with this name, stands for.
    pub(crate) fn cell_of(&self, name: &str) -> Option<(&'a Cell, String)> {
        let named = self.place.words.get(name).map(String::as_str);
        let name = named.unwrap_or(name);
        let mut cells = self.cells.iter();
        cells.find_map(|(series, cell)| {
            let metric = match series.as_str() {
                "" => name,
                series => name.strip_prefix(series)?.strip_prefix('.')?,
            };
            Some(((*cell)?, metric.to_owned()))
        })
    }

    fn setting(&self, name: &str) -> Option<&Setting> {
        let own = self.place.settings.value(name);
        own.or_else(|| self.first()?.settings.value(name))
    }

    /// A text with what it names in braces: words, settings and formulas, the latter as estimates,
    /// as ratios of runs (`{spread(one, other)}`: median, least, most), as means (`{formula:mean}`), exact (`:number`) or with so many decimals (`:.2`);
    /// `missing` stands for values that runs lack; `None` without it.
    pub(crate) fn text(&self, text: &str, missing: Option<&str>) -> Option<String> {
        filled(text, |piece| {
            let missing = || missing.map(str::to_owned);
            self.piece(piece).or_else(missing)
        })
    }

    /// A column's content, which may be a piece without braces.
    pub(crate) fn content(&self, content: &str, missing: Option<&str>) -> Option<String> {
        match content.contains('{') || content.is_empty() {
            true => self.text(content, missing),
            false => self.text(&format!("{{{content}}}"), missing),
        }
    }

    pub(crate) fn piece(&self, piece: &str) -> Option<String> {
        if let Some(both) = piece.strip_prefix("spread(") {
            let (one, other, metric) = self.both(both)?;
            return Some(one.ratios(other, &metric)?.to_string());
        }
        if let Some((series, note)) = piece.split_once(".note ") {
            let mut cells = self.cells.iter();
            let (_, cell) = cells.find(|(name, _)| name == series)?;
            return (*cell)?.note(note).map(str::to_owned);
        }
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
pub(crate) fn filled(text: &str, piece: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut parts = text.split('{');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once('}')?;
        filled += &piece(name)?;
        filled += rest;
    }
    Some(filled)
}

impl Named for Found<'_> {
    fn cells(&self) -> Vec<&Cell> {
        self.cells.iter().filter_map(|(_, cell)| *cell).collect()
    }

    fn metric(&self, name: &str) -> Option<(&Cell, String)> {
        self.cell_of(name)
    }

    fn number(&self, name: &str) -> Option<f64> {
        match self.setting(name)? {
            Setting::Number(number) => Some(*number),
            Setting::Text(_) => None,
        }
    }
}
