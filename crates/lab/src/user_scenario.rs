mod exhibits;
mod measure;
mod swept;

use core::fmt;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use sheave_sim::scenario::{self, Case, CustomAlgorithms, Scenario, ScenarioError};

use crate::settings::CONTENT;
use crate::{Drawing, Exhibit, Measured, Run, Series, Setting, Settings, Summary, html};
pub(crate) use measure::series as series_of;
use swept::Swept;

/// A user's scenario in TOML, with the keys that it varies (see
/// [`sheave_sim::scenario`]).
#[derive(Clone, Debug)]
pub struct UserScenario {
    name: String,
    text: String,
    swept: Vec<Swept>,
    cases: Vec<NamedCase>,
    /// The places of the cases, by their content.
    places: BTreeMap<String, Vec<usize>>,
}

/// A case by the settings that its runs have.
#[derive(Clone, Debug)]
struct NamedCase {
    settings: Settings,
    scenario: Scenario,
}

/// The error of a scenario that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserScenarioError {
    name: String,
    field: String,
    reason: String,
}

impl UserScenarioError {
    /// The key that is wrong, with all that it is under: `link.radio.loss`; empty where it is the
    /// scenario as a whole.
    #[must_use]
    pub fn field(&self) -> &str {
        &self.field
    }

    /// The error and its place, without the name of the scenario.
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

/// The only experiment of a scenario.
const EXPERIMENT: &str = "scenario";

/// The policies of the user's own, as they stand in the `Debug` form of a scenario.
const CUSTOM: [&str; 4] = [
    "CustomCongestion(",
    "CustomAcknowledgement(",
    "CustomScheduler(",
    "CustomQueue(",
];

impl UserScenario {
    /// The scenario that `text` describes, to be called `name` in records and reports.
    ///
    /// # Errors
    /// What is wrong with it, and where; also if a study is called that.
    pub fn read(name: &str, text: &str) -> Result<Self, UserScenarioError> {
        Self::read_with(name, text, CustomAlgorithms::default())
    }

    /// The name of the scenario in that file: the file's, fit to be the name of one again.
    #[must_use]
    pub fn name_of(file: &Path) -> String {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let plain = |char: char| char.is_alphanumeric() || "-_.".contains(char);
        let name = stem
            .chars()
            .map(|char| if plain(char) { char } else { '-' });
        name.collect()
    }

    /// The scenario that `text` describes, in which `congestion`, `acknowledgement_policy`,
    /// `scheduler` and the `kind` of a queue may name algorithms of the user's own.
    ///
    /// A [`Store`](crate::Store) tells policies apart by name: one that has changed needs another name,
    /// else records of the old one stand for it.
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
    /// As [`read`](Self::read).
    pub fn read_with(
        name: &str,
        text: &str,
        own: impl Into<CustomAlgorithms>,
    ) -> Result<Self, UserScenarioError> {
        Self::read_versioned(name, text, own, "")
    }

    /// The scenario like [`read_with`](Self::read_with), with policies that change under their names,
    /// such as those of a notebook: records of cases that name one are good for the same `version`
    /// only.
    ///
    /// # Errors
    /// As [`read`](Self::read).
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
        let cases = scenario::read_with(text, own).map_err(wrong)?;
        // What cannot be built should not fail half-way through the runs.
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

    /// The name in records and reports.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The title from the scenario's text, else its name.
    #[must_use]
    pub fn title(&self) -> &str {
        let named = self.cases.iter().map(|case| case.scenario.name.as_str());
        named
            .into_iter()
            .find(|title| !title.is_empty())
            .unwrap_or(&self.name)
    }

    /// The text that it was read from.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Every case with every seed: 1 to `seeds`, or to what the scenario says.
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

    /// The scenario of a run; `None` if it is none of this text, any more.
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
    /// Why it cannot be carried out.
    pub fn execute(&self, run: &Run) -> Result<Measured, String> {
        let whole = self.execute_until(run, &AtomicBool::new(false))?;
        whole.ok_or_else(|| "it was stopped".to_owned())
    }

    /// Carries out a run, unless `stop` is set before it is over: then there is nothing.
    pub(crate) fn execute_until(
        &self,
        run: &Run,
        stop: &AtomicBool,
    ) -> Result<Option<Measured>, String> {
        let scenario = self.scenario(run).ok_or("it is none of the scenario")?;
        measure::run(scenario, run.seed, stop)
    }

    /// Carries out a run for its quantities over time, which records have of seed 1 alone; `None`
    /// if `stop` is set before it is over.
    ///
    /// # Errors
    /// Why it cannot be carried out.
    pub fn series(&self, run: &Run, stop: &AtomicBool) -> Result<Option<Vec<Series>>, String> {
        let scenario = self.scenario(run).ok_or("it is none of the scenario")?;
        measure::series(scenario, run.seed, stop)
    }

    /// The network and the text, as a part of somebody else's page, such as a notebook.
    #[must_use]
    pub fn fragment(&self) -> String {
        html::fragment::scenario(self.title(), &self.drawing().svg(), &self.text)
    }

    /// The network of its first case.
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

/// A scenario in a few letters; how often it is run is no part of it.
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
