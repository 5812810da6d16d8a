mod exhibits;
mod measure;
mod swept;

use core::fmt;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use sheave_sim::scenario::{self, Case, CustomAlgorithms, Scenario, ScenarioError};

use crate::settings::CONTENT;
use crate::{Drawing, Exhibit, Measured, Run, Series, Setting, Settings, Summary, html, quic};
pub(crate) use measure::series as series_of;
use swept::Swept;

/// A user's scenario in TOML, including the keys that it sweeps (see [`sheave_sim::scenario`]).
#[derive(Clone, Debug)]
pub struct UserScenario {
    name: String,
    text: String,
    swept: Vec<Swept>,
    cases: Vec<NamedCase>,
    /// Indices of the cases, by their content.
    places: BTreeMap<String, Vec<usize>>,
}

/// A case, with the settings of its runs.
#[derive(Clone, Debug)]
struct NamedCase {
    settings: Settings,
    scenario: Scenario,
}

/// The reason why a scenario cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserScenarioError {
    name: String,
    field: String,
    reason: String,
}

impl UserScenarioError {
    /// The full path of the invalid key, such as `link.radio.loss`; empty if the scenario as a
    /// whole is invalid.
    #[must_use]
    pub fn field(&self) -> &str {
        &self.field
    }

    /// The error and its location, without the name of the scenario.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for UserScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.reason)
    }
}

impl std::error::Error for UserScenarioError {}

/// The only experiment of a user's scenario.
const EXPERIMENT: &str = "scenario";

/// Names of user-defined policies in the `Debug` output of a scenario.
const CUSTOM: [&str; 4] = [
    "CustomCongestion(",
    "CustomAcknowledgement(",
    "CustomScheduler(",
    "CustomQueue(",
];

impl UserScenario {
    /// Reads the scenario in `text`; records and reports call it `name`.
    ///
    /// # Errors
    /// The invalid key and the reason; also if a study has the same name.
    pub fn read(name: &str, text: &str) -> Result<Self, UserScenarioError> {
        Self::read_with(name, text, CustomAlgorithms::default())
    }

    /// The name of the scenario in a file: the file's stem, with `-` for characters other than
    /// letters, digits and `-_.`.
    #[must_use]
    pub fn name_of(file: &Path) -> String {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let plain = |char: char| char.is_alphanumeric() || "-_.".contains(char);
        let name = stem
            .chars()
            .map(|char| if plain(char) { char } else { '-' });
        name.collect()
    }

    /// Reads the scenario in `text`, in which `congestion`, `acknowledgement_policy`, `scheduler`
    /// and the `kind` of a queue may name user-defined algorithms.
    ///
    /// A [`Store`](crate::Store) identifies policies by name. A changed policy needs a new name, or
    /// records of the old policy are reused.
    ///
    /// ```
    /// use sheave_lab::UserScenario;
    /// use sheave_sim::engine::{CustomCongestion, CustomPolicies, NewReno};
    ///
    /// let mine = CustomCongestion {
    ///     name: "mine",
    ///     signals: Default::default(),
    ///     make: |path| Box::new(NewReno::new(path.pmdcs, path.rules, path.initial)),
    /// };
    /// let text = r#"
    ///     duration = "2 s"
    ///     hosts = ["A", "B"]
    ///
    ///     [link.wire]
    ///     ends = ["A", "B"]
    ///     rate = "1 Mbit/s"
    ///     delay = "10 ms"
    ///
    ///     [flow.main]
    ///     from = "A"
    ///     to = "B"
    ///     workload = { kind = "bulk", message = "1 KiB" }
    ///     sctp = {}
    ///
    ///     [sweep]
    ///     "flow.main.sctp.congestion" = ["cubic", "mine"]
    /// "#;
    /// let policies = CustomPolicies::default().with_congestion(mine);
    /// let scenario = UserScenario::read_with("beside-cubic", text, &policies)?;
    /// for run in scenario.plan(None) {
    ///     assert!(scenario.execute(&run).is_ok(), "{run}");
    /// }
    /// # Ok::<(), sheave_lab::UserScenarioError>(())
    /// ```
    ///
    /// # Errors
    /// The same as for [`read`](Self::read).
    pub fn read_with(
        name: &str,
        text: &str,
        own: impl Into<CustomAlgorithms>,
    ) -> Result<Self, UserScenarioError> {
        Self::read_versioned(name, text, own, "")
    }

    /// Reads a scenario like [`read_with`](Self::read_with), with policies that may change while
    /// keeping their names, such as those of a notebook: records of cases with a user-defined
    /// policy are reused only for the same `version`.
    ///
    /// # Errors
    /// The same as for [`read`](Self::read).
    pub fn read_versioned(
        name: &str,
        text: &str,
        own: impl Into<CustomAlgorithms>,
        version: &str,
    ) -> Result<Self, UserScenarioError> {
        if crate::find(name).is_some() {
            return Err(UserScenarioError {
                name: name.to_owned(),
                field: String::new(),
                reason: "a study is called that".to_owned(),
            });
        }
        let wrong = |error: ScenarioError| UserScenarioError {
            name: name.to_owned(),
            reason: error.to_string(),
            field: error.at,
        };
        let own = own.into().with_transports(&quic::TRANSPORTS);
        let cases = scenario::read_with(text, own).map_err(wrong)?;
        // Invalid cases should fail now, not half-way through the runs.
        for case in &cases {
            case.scenario.build(1).map_err(wrong)?;
        }
        let swept = Swept::of(&cases);
        let cases = cases.into_iter().enumerate();
        let cases: Vec<NamedCase> = cases
            .map(|(at, case)| named(at, case, &swept, version))
            .collect();
        let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (place, case) in cases.iter().enumerate() {
            let content = case.settings.text(CONTENT).to_owned();
            places.entry(content).or_default().push(place);
        }
        Ok(Self {
            name: name.to_owned(),
            text: text.to_owned(),
            cases,
            places,
            swept,
        })
    }

    /// The name used in records and reports.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The title in the scenario's text, or its name.
    #[must_use]
    pub fn title(&self) -> &str {
        let named = self.cases.iter().map(|case| case.scenario.name.as_str());
        named
            .into_iter()
            .find(|title| !title.is_empty())
            .unwrap_or(&self.name)
    }

    /// The scenario's TOML text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The runs of all cases with all seeds, from 1 to `seeds`, or to the number given in the
    /// scenario.
    #[must_use]
    pub fn plan(&self, seeds: Option<u32>) -> Vec<Run> {
        let runs = self.cases.iter().flat_map(|case| {
            let seeds = seeds.unwrap_or(case.scenario.seeds);
            (1..=u64::from(seeds)).map(|seed| Run {
                study: self.name.clone(),
                experiment: EXPERIMENT.to_owned(),
                settings: case.settings.clone(),
                seed,
            })
        });
        runs.collect()
    }

    /// The scenario of a run; `None` if the run is not from this version of the text.
    #[must_use]
    pub fn scenario(&self, run: &Run) -> Option<&Scenario> {
        if run.study != self.name {
            return None;
        }
        let places = self.places.get(run.settings.text(CONTENT))?.iter();
        let mut cases = places.filter_map(|place| self.cases.get(*place));
        let case = cases.find(|case| case.settings == run.settings);
        case.map(|case| &case.scenario)
    }

    /// Carries out a run.
    ///
    /// # Errors
    /// The reason why the run failed.
    pub fn execute(&self, run: &Run) -> Result<Measured, String> {
        let whole = self.execute_until(run, &AtomicBool::new(false))?;
        whole.ok_or_else(|| "it was stopped".to_owned())
    }

    /// Carries out a run; returns `None` if `stop` is set before the run is over.
    pub(crate) fn execute_until(
        &self,
        run: &Run,
        stop: &AtomicBool,
    ) -> Result<Option<Measured>, String> {
        let scenario = self.scenario(run).ok_or("it is none of the scenario")?;
        measure::run(scenario, run.seed, stop)
    }

    /// Repeats a run for its time series, since only records of seed 1 include them; `None` if
    /// `stop` is set before the run is over.
    ///
    /// # Errors
    /// The reason why the run failed.
    pub fn series(&self, run: &Run, stop: &AtomicBool) -> Result<Option<Vec<Series>>, String> {
        let scenario = self.scenario(run).ok_or("it is none of the scenario")?;
        measure::series(scenario, run.seed, stop)
    }

    /// The network and the text as an HTML fragment for another page, such as a notebook.
    #[must_use]
    pub fn fragment(&self) -> String {
        html::fragment::scenario(self.title(), &self.drawing().svg(), &self.text)
    }

    /// The network of the first case.
    pub(crate) fn drawing(&self) -> Drawing {
        let first = self.cases.first();
        first.map_or_else(Drawing::default, |case| exhibits::drawing(&case.scenario))
    }

    /// The exhibits made from the records.
    pub(crate) fn exhibits(&self, summary: &Summary) -> Vec<Exhibit> {
        let first = self.cases.first();
        first.map_or_else(Vec::new, |case| {
            exhibits::exhibits(&self.name, &case.scenario, &self.swept, summary)
        })
    }
}

fn named(at: usize, case: Case, swept: &[Swept], version: &str) -> NamedCase {
    let mut settings = Settings::new().with(CONTENT, content(&case.scenario, version).as_str());
    for swept in swept {
        let value = swept.values.get(at).cloned();
        settings = settings.with(&swept.column, value.unwrap_or(Setting::Number(0.0)));
    }
    NamedCase {
        settings,
        scenario: case.scenario,
    }
}

/// A short hash of a scenario, independent of its number of seeds.
fn content(scenario: &Scenario, version: &str) -> String {
    let scenario = Scenario {
        seeds: 1,
        ..scenario.clone()
    };
    let mut content = format!("{scenario:?}");
    if CUSTOM.iter().any(|policy| content.contains(policy)) {
        content += version;
    }
    let hash = blake3::hash(content.as_bytes());
    hash.to_hex()[..8].to_owned()
}

#[cfg(test)]
mod tests;
