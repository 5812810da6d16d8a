//! Experiments described in TOML: a scenario with its sweep, and what is measured, claimed and shown.

mod chooser;
mod claims;
mod exhibits;
mod measure;
mod places;
mod swept;
mod window;

use std::sync::atomic::AtomicBool;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use sheave_engine::nearest_name;
use sheave_sim::scenario::{self, Case as Read, CustomAlgorithms, Scenario, ScenarioError};
use toml::{Table, Value};

use self::chooser::Chooser;
use self::claims::StatedClaim;
use self::exhibits::{StatedChart, StatedTable};
pub(crate) use self::measure::series as series_of;
pub(crate) use self::swept::Swept;
use self::window::Measures;
use crate::settings::CONTENT;
use crate::{
    Claim, Effort, Exhibit, Extent, LOOKS, Measured, Run, Series, Setting, Settings, Summary, keys,
    quic,
};

/// An experiment of a study or of a user.
#[derive(Clone, Debug)]
pub(crate) struct Experiment {
    name: Name,
    cases: Vec<Case>,
    swept: Vec<Swept>,
    /// The cases of the quick extent, if not all.
    quick: Option<Vec<Chooser>>,
    looks: u32,
    claims: Vec<StatedClaim>,
    tables: Vec<StatedTable>,
    charts: Vec<StatedChart>,
}

/// The names in records: study and experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) study: String,
    pub(crate) experiment: String,
}

/// A combination of the sweep's values.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) settings: Settings,
    pub(crate) scenario: Scenario,
    measures: Measures,
}

/// The reason why an experiment cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    /// The full path of the invalid key.
    pub(crate) field: String,
    /// The key and the problem.
    pub(crate) reason: String,
}

/// Whether records tell versions of a case apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Versions<'a> {
    /// Every run is of this program's version.
    One,
    /// By a hash of the case, and for user-defined policies by this text.
    By(&'a str),
}

/// Keys of a whole experiment, beside those of a scenario.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Whole {
    quick: Option<Vec<Table>>,
    without: Vec<Table>,
    looks: Option<u32>,
    claim: Vec<Table>,
    table: Vec<Table>,
    chart: Vec<Table>,
}

const WHOLE: [&str; 6] = ["quick", "without", "looks", "claim", "table", "chart"];
/// Keys of each case.
const OF_CASES: [&str; 2] = ["window", "metric"];

/// Names of user-defined policies in the `Debug` output of a scenario.
const CUSTOM: [&str; 4] = [
    "CustomCongestion(",
    "CustomAcknowledgement(",
    "CustomScheduler(",
    "CustomQueue(",
];

impl Experiment {
    /// Reads an experiment.
    ///
    /// # Errors
    /// The first invalid key.
    pub(crate) fn read(
        name: Name,
        text: &str,
        own: CustomAlgorithms,
        versions: Versions<'_>,
    ) -> Result<Self, Wrong> {
        let mut table: Table = text.parse().map_err(|error: toml::de::Error| Wrong {
            field: String::new(),
            reason: error.to_string(),
        })?;
        let whole = WHOLE.iter().filter_map(|key| table.remove_entry(*key));
        let whole: Whole = part("", whole.collect())?;
        let own = own.with_transports(&quic::TRANSPORTS).with_keys(keys::TLS);
        let read = scenario::read_beside(table, own, &OF_CASES)?;
        let swept = Swept::of(&read);
        let read = read.into_iter().enumerate();
        let cases: Result<Vec<Case>, Wrong> = read
            .map(|(at, case)| Case::new(at, case, &swept, versions))
            .collect();
        let mut experiment = Self {
            name,
            cases: cases?,
            quick: match &whole.quick {
                Some(quick) => Some(chooser::all("quick", quick, &swept)?),
                None => None,
            },
            looks: whole.looks.unwrap_or(LOOKS),
            claims: Vec::new(),
            tables: Vec::new(),
            charts: Vec::new(),
            swept,
        };
        let without = chooser::all("without", &whole.without, &experiment.swept)?;
        let is_out = |case: &Case| without.iter().any(|some| some.has(&case.settings));
        experiment.cases.retain(|case| !is_out(case));
        experiment.read_statements(whole)?;
        Ok(experiment)
    }

    fn read_statements(&mut self, whole: Whole) -> Result<(), Wrong> {
        let known = self.places();
        let claims = whole.claim.into_iter().enumerate();
        let claims = claims.map(|(at, table)| StatedClaim::read(at, table, &known));
        let claims = claims.collect::<Result<_, _>>()?;
        let tables = whole.table.into_iter();
        let tables = tables.map(|table| StatedTable::read(table, &known));
        let tables = tables.collect::<Result<_, _>>()?;
        let charts = whole.chart.into_iter();
        let charts = charts.map(|table| StatedChart::read(table, &known));
        let charts = charts.collect::<Result<_, _>>()?;
        (self.claims, self.tables, self.charts) = (claims, tables, charts);
        Ok(())
    }

    pub(crate) fn name(&self) -> &Name {
        &self.name
    }

    pub(crate) fn cases(&self) -> &[Case] {
        &self.cases
    }

    pub(crate) fn swept(&self) -> &[Swept] {
        &self.swept
    }

    /// Most looks that examine its runs.
    pub(crate) const fn looks(&self) -> u32 {
        self.looks
    }

    /// Whether anything is stated that needs the value of each run.
    pub(crate) fn has_statements(&self) -> bool {
        !self.claims.is_empty() || !self.tables.is_empty() || !self.charts.is_empty()
    }

    /// Whether the quick extent has fewer cases.
    pub(crate) const fn has_quick_extent(&self) -> bool {
        self.quick.is_some()
    }

    pub(crate) fn plan(&self, effort: Effort) -> impl Iterator<Item = Run> {
        let quick = self
            .quick
            .as_ref()
            .filter(|_| effort.extent == Extent::Quick);
        let is_meant = move |case: &&Case| {
            quick.is_none_or(|quick| quick.iter().any(|some| some.has(&case.settings)))
        };
        let cases = self.cases.iter().filter(is_meant);
        cases.flat_map(move |case| {
            let Name { study, experiment } = &self.name;
            effort.runs(study, experiment, case.settings.clone())
        })
    }

    pub(crate) fn case(&self, run: &Run) -> Option<&Case> {
        let mut cases = self.cases.iter();
        cases.find(|case| case.settings == run.settings)
    }

    /// The claims with their rules.
    pub(crate) fn claims(&self) -> Vec<Claim> {
        let claims = self.claims.iter();
        claims.map(|claim| claim.claim(self.name.clone())).collect()
    }

    /// The stated charts and tables.
    pub(crate) fn exhibits(&self, summary: &Summary) -> Vec<Exhibit> {
        let charts = self.charts.iter();
        let mut exhibits: Vec<Exhibit> = charts
            .flat_map(|chart| chart.charts(&self.name, summary))
            .collect();
        let tables = self.tables.iter();
        exhibits.extend(tables.map(|table| table.table(&self.name, summary)));
        exhibits
    }
}

impl Case {
    fn new(at: usize, case: Read, swept: &[Swept], versions: Versions<'_>) -> Result<Self, Wrong> {
        let mut settings = Settings::new();
        if let Versions::By(version) = versions {
            let content = content(&case.scenario, &case.others, version);
            settings = settings.with(CONTENT, content.as_str());
        }
        for swept in swept {
            let value = swept.values.get(at).cloned();
            settings = settings.with(&swept.column, value.unwrap_or(Setting::Number(0.0)));
        }
        Ok(Self {
            settings,
            measures: Measures::read(case.others)?,
            scenario: case.scenario,
        })
    }

    /// Carries out a run; `None` if `stop` is set before the run is over.
    pub(crate) fn execute(&self, seed: u64, stop: &AtomicBool) -> Result<Option<Measured>, String> {
        measure::run(self, seed, stop)
    }

    /// Carries out a run, for its time series.
    pub(crate) fn series(
        &self,
        seed: u64,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<Series>>, String> {
        measure::series(&self.scenario, seed, stop)
    }
}

/// A short hash of a case, independent of its number of seeds.
fn content(scenario: &Scenario, others: &Table, version: &str) -> String {
    let scenario = Scenario {
        seeds: 1,
        ..scenario.clone()
    };
    let mut content = format!("{scenario:?}");
    if CUSTOM.iter().any(|policy| content.contains(policy)) {
        content += version;
    }
    if !others.is_empty() {
        content += &others.to_string();
    }
    let hash = blake3::hash(content.as_bytes());
    hash.to_hex()[..8].to_owned()
}

impl Wrong {
    pub(crate) fn new(field: &str, problem: &str) -> Self {
        Self {
            field: field.to_owned(),
            reason: format!("{field}: {problem}"),
        }
    }
}

impl From<ScenarioError> for Wrong {
    fn from(error: ScenarioError) -> Self {
        Self {
            reason: error.to_string(),
            field: error.at,
        }
    }
}

/// A question after the message about an unknown name; empty if no known one is like it.
fn hint<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let near = nearest_name(wrong, known);
    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

/// Reads a part of an experiment; `at` is its key, for errors.
fn part<T: DeserializeOwned>(at: &str, table: Table) -> Result<T, Wrong> {
    let read = Value::Table(table).try_into();
    read.map_err(|error: toml::de::Error| match at {
        "" => Wrong {
            field: String::new(),
            reason: error.to_string(),
        },
        at => Wrong::new(at, error.to_string().trim()),
    })
}

#[cfg(test)]
mod tests;
