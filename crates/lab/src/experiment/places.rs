use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

use super::chooser::Chooser;
use super::{Case, Experiment, Name, Swept, Wrong, hint};
use crate::formula::Formula;
use crate::named::Named;
use crate::{Cell, Setting, Settings, Summary};

/// The parts of an experiment that statements refer to.
pub(super) struct Known<'a> {
    cases: &'a [Case],
    pub(super) swept: &'a [Swept],
    /// Metrics that the experiment defines, and the first words of all others.
    metrics: BTreeSet<&'a str>,
}

/// The places of a sweep at which its series are compared: a place for each combination of the keys
/// that no series sets.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// The names of the series; empty if each case is a place of its own.
    series: Vec<String>,
    pub(super) all: Vec<Place>,
}

/// A place of a sweep.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The swept keys of the place that vary, in words.
    pub(super) words: String,
    /// The settings of the place.
    pub(super) settings: Settings,
    /// The numbers among them, by key and by column.
    numbers: BTreeMap<String, f64>,
    /// The settings of each series.
    cases: Vec<Settings>,
}

/// A place with the cells of its series.
pub(super) struct Found<'a> {
    pub(super) place: &'a Place,
    pub(super) cells: Vec<&'a Cell>,
    series: &'a [String],
}

/// The cells of an experiment, by their settings.
pub(super) struct Cells<'a>(BTreeMap<String, &'a Cell>);

impl Experiment {
    pub(super) fn places(&self) -> Known<'_> {
        let mut metrics = BTreeSet::from(["link", "simulated_s"]);
        for case in &self.cases {
            metrics.extend(case.measures.names());
            metrics.extend(case.scenario.flows.iter().map(|flow| flow.name.as_str()));
        }
        Known {
            cases: &self.cases,
            swept: &self.swept,
            metrics,
        }
    }
}

impl Places {
    /// The places where `within` holds, for series with these settings; `at` is the position of the
    /// statement, for errors.
    pub(super) fn read(
        at: &str,
        series: &Table,
        within: &Table,
        known: &Known<'_>,
    ) -> Result<Self, Wrong> {
        let within = Chooser::read(&format!("{at}.at"), within, known.swept)?;
        let choosers = series.iter().map(|(name, value)| {
            let at = format!("{at}.series.{name}");
            let chosen = match value {
                Value::Table(chosen) => Chooser::read(&at, chosen, known.swept)?,
                _ => {
                    return Err(Wrong::new(
                        &at,
                        "must be a table such as { transport = \"tcp\" }",
                    ));
                }
            };
            Ok((at, chosen))
        });
        let choosers: Vec<(String, Chooser)> = choosers.collect::<Result<_, _>>()?;
        let mut groups: Vec<(Settings, Vec<&Settings>)> = Vec::new();
        let mut known_groups: BTreeMap<String, usize> = BTreeMap::new();
        let set: BTreeSet<&str> = choosers
            .iter()
            .flat_map(|(_, some)| some.columns())
            .collect();
        for case in known.cases {
            let rest = known.rest(&case.settings, &set);
            let group = *known_groups.entry(rest.to_string()).or_insert_with(|| {
                groups.push((rest, Vec::new()));
                groups.len() - 1
            });
            groups[group].1.push(&case.settings);
        }
        let mut all = Vec::new();
        for (rest, cases) in groups {
            let first = |case: &&&Settings| {
                let first = choosers.first();
                within.has(case) && first.is_none_or(|(_, first)| first.has(case))
            };
            if !cases.iter().any(|case| first(&case)) {
                continue;
            }
            let cases = match choosers.is_empty() {
                true => vec![cases[0].clone()],
                false => of_series(&choosers, &rest, &cases)?,
            };
            all.push(known.place(rest, cases));
        }
        match all.is_empty() {
            true => Err(Wrong::new(at, "no case of the sweep is meant")),
            false => Ok(Self {
                series: series.keys().cloned().collect(),
                all,
            }),
        }
    }

    /// Checks the names in a formula; `at` is its position, for errors.
    pub(super) fn check(
        &self,
        at: &str,
        formula: &Formula,
        known: &Known<'_>,
    ) -> Result<(), Wrong> {
        let problem = formula.names().into_iter().find_map(|name| {
            let mut places = self.all.iter();
            if places.all(|place| place.has(name)) {
                return None;
            }
            let metric = match (name.split_once('.'), self.series.is_empty()) {
                (_, true) => name,
                (Some((series, metric)), _) if self.series.iter().any(|one| one == series) => {
                    metric
                }
                _ => {
                    let known = self.series.join(", ");
                    return Some(format!(
                        "`{name}` begins with none of the series ({known}), and is no swept number"
                    ));
                }
            };
            let first = metric.split('.').next().unwrap_or(metric);
            if known.metrics.contains(metric) || known.metrics.contains(first) {
                return None;
            }
            let hint = hint(first, known.metrics.iter().copied());
            Some(format!("there is no flow or metric `{first}`{hint}"))
        });
        problem.map_or(Ok(()), |problem| Err(Wrong::new(at, &problem)))
    }

    /// The places that were run, with the cells of all series; `None` if some are missing.
    pub(super) fn found<'a>(&'a self, cells: &Cells<'a>) -> Option<Vec<Found<'a>>> {
        let places = self.all.iter();
        let partly = |place: &&Place| place.cases.iter().any(|case| cells.of(case).is_some());
        places
            .filter(partly)
            .map(|place| self.at(place, cells))
            .collect()
    }

    /// The places where all series were run.
    pub(super) fn run<'a>(&'a self, cells: &Cells<'a>) -> impl Iterator<Item = Found<'a>> {
        let places = self.all.iter();
        places.filter_map(|place| self.at(place, cells))
    }

    fn at<'a>(&'a self, place: &'a Place, cells: &Cells<'a>) -> Option<Found<'a>> {
        let found = place.cases.iter().map(|settings| cells.of(settings));
        Some(Found {
            place,
            cells: found.collect::<Option<_>>()?,
            series: &self.series,
        })
    }
}

/// The case of each series in a group of cases that only series tell apart.
fn of_series(
    choosers: &[(String, Chooser)],
    rest: &Settings,
    cases: &[&Settings],
) -> Result<Vec<Settings>, Wrong> {
    let chosen = choosers.iter().map(|(at, chooser)| {
        let mut chosen = cases.iter().filter(|case| chooser.has(case));
        match (chosen.next(), chosen.next()) {
            (Some(case), None) => Ok((*case).clone()),
            (None, _) => Err(Wrong::new(at, &format!("there is no such case at: {rest}"))),
            (Some(one), Some(other)) => {
                let problem = format!("is several cases, such as ({one}) and ({other})");
                Err(Wrong::new(at, &problem))
            }
        }
    });
    chosen.collect()
}

impl Known<'_> {
    /// The column of a swept key.
    pub(super) fn column(&self, key: &str) -> Option<&str> {
        let swept = self.swept.iter().find(|swept| swept.is_called(key))?;
        Some(&swept.column)
    }

    /// The swept settings that are not in `set`.
    fn rest(&self, settings: &Settings, set: &BTreeSet<&str>) -> Settings {
        let is_swept = |column: &str| self.swept.iter().any(|swept| swept.column == column);
        settings.only(|column| is_swept(column) && !set.contains(column))
    }

    fn place(&self, settings: Settings, cases: Vec<Settings>) -> Place {
        let mut numbers = BTreeMap::new();
        let (mut words, own) = (Vec::new(), self.swept.iter());
        for swept in own.filter(|swept| settings.value(&swept.column).is_some()) {
            if let Some(Setting::Number(number)) = settings.value(&swept.column) {
                numbers.extend([&swept.key, &swept.column].map(|name| (name.clone(), *number)));
            }
            if swept.varies() {
                words.push(swept.words(&settings));
            }
        }
        Place {
            words: words.join(", "),
            settings,
            numbers,
            cases,
        }
    }
}

impl Place {
    /// Whether that is one of its numbers.
    pub(super) fn has(&self, name: &str) -> bool {
        self.numbers.contains_key(name)
    }
}

impl Found<'_> {
    /// The metrics in formulas, each once.
    pub(super) fn metrics<'f>(
        &self,
        formulas: impl Iterator<Item = &'f Formula>,
    ) -> Vec<(&'f str, &Cell, String)> {
        let mut metrics: Vec<(&str, &Cell, String)> = Vec::new();
        for name in formulas.flat_map(Formula::names) {
            let is_new = metrics.iter().all(|(known, ..)| *known != name);
            if let Some((cell, metric)) = self.metric(name).filter(|_| is_new) {
                metrics.push((name, cell, metric));
            }
        }
        metrics
    }
}

impl Named for Found<'_> {
    fn cells(&self) -> Vec<&Cell> {
        self.cells.clone()
    }

    fn metric(&self, name: &str) -> Option<(&Cell, String)> {
        if self.place.has(name) {
            return None;
        }
        if self.series.is_empty() {
            return Some((self.cells[0], name.to_owned()));
        }
        let (series, metric) = name.split_once('.')?;
        let series = self.series.iter().position(|one| one == series)?;
        Some((self.cells[series], metric.to_owned()))
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.place.numbers.get(name).copied()
    }
}

impl<'a> Cells<'a> {
    pub(super) fn of_experiment(name: &Name, summary: &'a Summary) -> Self {
        let cells = summary.cells(&name.study, &name.experiment, &Settings::new());
        let cells = cells.into_iter();
        Self(
            cells
                .map(|cell| (cell.settings.to_string(), cell))
                .collect(),
        )
    }

    fn of(&self, settings: &Settings) -> Option<&'a Cell> {
        self.0.get(&settings.to_string()).copied()
    }

    /// The names of the metrics of all cells.
    pub(super) fn metrics(&self) -> BTreeSet<&'a str> {
        self.0.values().flat_map(|cell| cell.metrics()).collect()
    }
}
