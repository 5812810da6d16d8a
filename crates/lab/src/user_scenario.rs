mod exhibits;

use core::fmt;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use sheave_sim::scenario::{CustomAlgorithms, Scenario};

use crate::experiment::{Case, Experiment, Name, Versions, Wrong};
use crate::settings::CONTENT;
use crate::{Claim, Drawing, Exhibit, Measured, Run, Series, Summary, html};

/// A user's scenario in TOML, including the keys that it sweeps (see [`sheave_sim::scenario`]).
#[derive(Clone, Debug)]
pub struct UserScenario {
    name: String,
    text: String,
    experiment: Experiment,
    /// Indices of the cases, by their content.
    places: BTreeMap<String, Vec<usize>>,
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
    pub fn field(&self) -> &str {
        &self.field
    }

    /// The error and its location, without the name of the scenario.
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
    pub fn read_versioned(
        name: &str,
        text: &str,
        own: impl Into<CustomAlgorithms>,
        version: &str,
    ) -> Result<Self, UserScenarioError> {
        let wrong = |Wrong { field, reason }: Wrong| UserScenarioError {
            name: name.to_owned(),
            field,
            reason,
        };
        let whole = |reason: &str| {
            let (field, reason) = (String::new(), reason.to_owned());
            wrong(Wrong { field, reason })
        };
        if crate::find(name).is_some() {
            return Err(whole("a study is called that"));
        }
        let names = Name {
            study: name.to_owned(),
            experiment: EXPERIMENT.to_owned(),
        };
        let versions = Versions::By(version);
        let experiment = Experiment::read(names, text, own.into(), versions).map_err(wrong)?;
        if experiment.has_quick_extent() {
            return Err(whole(
                "quick: only the laboratory's own studies have a quick extent",
            ));
        }
        let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (place, case) in experiment.cases().iter().enumerate() {
            // Invalid cases should fail now, not half-way through the runs.
            (case.scenario.build(1)).map_err(|error| wrong(error.into()))?;
            let content = case.settings.text(CONTENT).to_owned();
            places.entry(content).or_default().push(place);
        }
        Ok(Self {
            name: name.to_owned(),
            text: text.to_owned(),
            experiment,
            places,
        })
    }

    /// The name used in records and reports.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The title in the scenario's text, or its name.
    pub fn title(&self) -> &str {
        let named = self
            .experiment
            .cases()
            .iter()
            .map(|case| case.scenario.name.as_str());
        named
            .into_iter()
            .find(|title| !title.is_empty())
            .unwrap_or(&self.name)
    }

    /// The scenario's TOML text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The runs of all cases with all seeds, from 1 to `seeds`, or to the number given in the
    /// scenario.
    pub fn plan(&self, seeds: Option<u32>) -> Vec<Run> {
        let runs = self.experiment.cases().iter().flat_map(|case| {
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
    pub fn scenario(&self, run: &Run) -> Option<&Scenario> {
        self.case(run).map(|case| &case.scenario)
    }

    fn case(&self, run: &Run) -> Option<&Case> {
        if run.study != self.name {
            return None;
        }
        let places = self.places.get(run.settings.text(CONTENT))?.iter();
        let mut cases = places.filter_map(|place| self.experiment.cases().get(*place));
        cases.find(|case| case.settings == run.settings)
    }

    /// Carries out a run.
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
        let case = self.case(run).ok_or("it is none of the scenario")?;
        case.execute(run.seed, stop)
    }

    /// Repeats a run for its time series, since only records of seed 1 include them; `None` if
    /// `stop` is set before the run is over.
    pub fn series(&self, run: &Run, stop: &AtomicBool) -> Result<Option<Vec<Series>>, String> {
        let case = self.case(run).ok_or("it is none of the scenario")?;
        case.series(run.seed, stop)
    }

    /// The network and the text as an HTML fragment for another page, such as a notebook.
    pub fn fragment(&self) -> String {
        html::fragment::scenario(self.title(), &self.drawing().svg(), &self.text)
    }

    /// The network of the first case.
    pub(crate) fn drawing(&self) -> Drawing {
        let first = self.experiment.cases().first();
        first.map_or_else(Drawing::default, |case| exhibits::drawing(&case.scenario))
    }

    /// The claims that it states.
    pub fn claims(&self) -> Vec<Claim> {
        self.experiment.claims()
    }

    /// Whether claims or exhibits need the value of each run.
    pub(crate) fn has_statements(&self) -> bool {
        self.experiment.has_statements()
    }

    /// The exhibits made from the records: those that the text states, then the usual ones.
    pub(crate) fn exhibits(&self, summary: &Summary) -> Vec<Exhibit> {
        let mut exhibits = self.experiment.exhibits(summary);
        if let Some(case) = self.experiment.cases().first() {
            let usual = exhibits::exhibits(&self.experiment, &case.scenario, summary);
            exhibits.extend(usual);
        }
        exhibits
    }
}

#[cfg(test)]
mod tests;
