use core::fmt::{self, Debug, Formatter};
use core::time::Duration;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use serde_json::Value;
use sheave_sim::scenario::{CustomAlgorithms, Scenario};

use crate::claim;
use crate::exhibit::stated;
use crate::experiment::{Case, Experiment, Name, Versions};
use crate::live::Parent;
use crate::{
    Claim, Drawing, Effort, Exhibit, LOOKS, Measured, Origin, Quantity, Rule, Run, Summary, Words,
    plan, studies,
};

/// A parameter of a study, for the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name of the parameter.
    pub name: &'static str,
    /// The value with its unit.
    pub value: String,
    /// The origin of the value.
    pub origin: Origin,
}

/// A published study: its experiments and claims.
#[derive(Clone, Copy)]
pub struct Study {
    /// Name on the command line.
    pub(crate) name: &'static str,
    /// The texts as TOML: title, subject, network, parameters, and claims.
    pub(crate) words: &'static str,
    /// The paper's numbers as TOML; empty if it prints none.
    pub(crate) paper: &'static str,
    /// The values of placeholders in the texts of the parameters.
    pub(crate) quantities: fn() -> Vec<Quantity>,
    /// The rules that judge the claims, in TOML.
    pub(crate) stated: &'static str,
    /// Further rules.
    pub(crate) rules: fn() -> Vec<Rule>,
    /// Runs in TOML.
    pub(crate) runs: &'static str,
    /// Further runs.
    pub(crate) plan: fn(Effort) -> Vec<Run>,
    pub(crate) scenario: fn(&Run) -> Result<Option<Scenario>, String>,
    pub(crate) live_time: fn(&Run) -> Option<Duration>,
    pub(crate) looks: fn(&Run) -> u32,
    pub(crate) take_part: fn(&Value, &Parent) -> Result<(), String>,
    pub(crate) execute: fn(&Run) -> Result<Measured, String>,
    /// The exhibits in TOML, which names those that the code makes.
    pub(crate) shown: &'static str,
    pub(crate) exhibits: fn(&str, &Summary) -> Vec<Exhibit>,
    /// Further experiments in TOML: name and text.
    pub(crate) experiments: &'static [(&'static str, &'static str)],
}

/// The experiments in TOML of each study, by its name.
static EXPERIMENTS: LazyLock<BTreeMap<&str, Vec<Experiment>>> = LazyLock::new(|| {
    let all = studies().iter().map(|study| {
        let texts = study.experiments.iter().map(|(experiment, text)| {
            let name = Name {
                study: study.name.to_owned(),
                experiment: (*experiment).to_owned(),
            };
            let read = Experiment::read(name, text, CustomAlgorithms::default(), Versions::One);
            // A test reads all of them.
            read.unwrap_or_else(|wrong| panic!("{experiment}: {}", wrong.reason))
        });
        (study.name, texts.collect())
    });
    all.collect()
});

/// The texts of each study, by its name.
static WORDS: LazyLock<BTreeMap<&str, Words>> = LazyLock::new(|| {
    let texts = studies().iter();
    texts
        .map(|study| (study.name, Words::read(study.words)))
        .collect()
});

impl Study {
    /// A study without runs, to be completed.
    pub(crate) const EMPTY: Self = Self {
        name: "",
        words: "",
        paper: "",
        quantities: Vec::new,
        stated: "rule = []",
        rules: Vec::new,
        runs: "runs = []",
        plan: |_| Vec::new(),
        scenario: |_| Ok(None),
        live_time: |_| None,
        looks: |_| LOOKS,
        take_part: |part, _| Err(format!("there are no live runs: {part}")),
        execute: |run| Err(format!("there is no experiment {}", run.experiment)),
        shown: "exhibit = [{ code = \"\" }]",
        exhibits: |_, _| Vec::new(),
        experiments: &[],
    };

    /// Name on the command line.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn texts(&self) -> &'static Words {
        &WORDS[self.name]
    }

    /// The title.
    pub fn title(&self) -> &'static str {
        &self.texts().title.0
    }

    /// The subject in a few sentences, including differences from the paper and their consequences.
    pub fn about(&self) -> &'static str {
        &self.texts().about.0
    }

    /// The parameters.
    pub fn parameters(&self) -> Vec<Parameter> {
        let quantities = (self.quantities)();
        let parameters = self.texts().parameter.iter().map(|words| Parameter {
            name: &words.name,
            value: words.value(&quantities),
            origin: words.origin,
        });
        parameters.collect()
    }

    /// The claims with their rules.
    pub fn claims(&self) -> Vec<Claim> {
        let mut claims = self.claims_of(self.all_rules());
        claims.extend(self.experiments().iter().flat_map(Experiment::claims));
        claims
    }

    /// The rules, in TOML and others.
    pub(crate) fn all_rules(&self) -> Vec<Rule> {
        let mut rules = claim::stated::rules(self.name, self.stated);
        rules.extend((self.rules)());
        rules
    }

    /// The experiments in TOML.
    pub(crate) fn experiments(&self) -> &'static [Experiment] {
        &EXPERIMENTS[self.name]
    }

    /// The experiment in TOML that a run belongs to.
    fn experiment(&self, run: &Run) -> Option<&'static Experiment> {
        let mut all = self.experiments().iter();
        all.find(|one| one.name().experiment == run.experiment)
    }

    /// The case of a run of an experiment in TOML; `None` for other experiments.
    fn case(&self, run: &Run) -> Option<Result<&'static Case, String>> {
        let case = self.experiment(run)?.case(run);
        Some(case.ok_or_else(|| format!("{} has no such case", run.experiment)))
    }

    /// The claims that have one of the given rules, in the order of the texts.
    pub(crate) fn claims_of(&self, mut rules: Vec<Rule>) -> Vec<Claim> {
        let claims = self.texts().claim.iter().filter_map(|words| {
            let place = rules.iter().position(|rule| rule.id == words.id)?;
            Some(Claim::new(words, rules.swap_remove(place)))
        });
        claims.collect()
    }

    /// The network.
    pub fn drawing(&self) -> &'static Drawing {
        &self.texts().drawing
    }

    /// The runs for an effort.
    pub fn plan(&self, effort: Effort) -> Vec<Run> {
        let mut runs = plan::runs(self.name, self.runs, effort);
        runs.extend((self.plan)(effort));
        let experiments = self.experiments().iter();
        runs.extend(experiments.flat_map(|one| one.plan(effort)));
        runs
    }

    /// The simulated network and traffic of a run, used for captures; `None` for other runs.
    pub fn scenario(&self, run: &Run) -> Result<Option<Scenario>, String> {
        match self.case(run) {
            Some(case) => case.map(|case| Some(case.scenario.clone())),
            None => (self.scenario)(run),
        }
    }

    /// Approximate duration of a live run; `None` for a simulated run. Live runs use real sockets
    /// in real time. They run one at a time, after all simulated runs and in plan order; with the
    /// seeds as the outermost loop, variants take turns.
    pub fn live_time(&self, run: &Run) -> Option<Duration> {
        (self.live_time)(run)
    }

    /// Number of looks that examine runs like this one; expensive runs may have fewer.
    pub fn looks(&self, run: &Run) -> u32 {
        let experiment = self.experiment(run);
        experiment.map_or_else(|| (self.looks)(run), Experiment::looks)
    }

    /// The child's side of a live run: the work of a [`Process`](crate::live::Process) that
    /// [`execute`](Self::execute) started with `part`.
    ///
    /// # Errors
    /// The reason for the failure, which is also sent to the parent.
    pub fn take_part(&self, part: &Value, parent: &Parent) -> Result<(), String> {
        (self.take_part)(part, parent)
    }

    /// Carries out a run. A run that is impossible on this machine returns [`Measured::skipped`],
    /// which is no failure.
    pub fn execute(&self, run: &Run) -> Result<Measured, String> {
        match self.case(run) {
            Some(case) => {
                let measured = case?.execute(run.seed, &AtomicBool::new(false))?;
                measured.ok_or_else(|| "it was stopped".to_owned())
            }
            None => (self.execute)(run),
        }
    }

    /// The exhibits made from the records.
    pub fn exhibits(&self, summary: &Summary) -> Vec<Exhibit> {
        let mut exhibits = stated::exhibits(self, summary);
        let experiments = self.experiments().iter();
        exhibits.extend(experiments.flat_map(|one| one.exhibits(summary)));
        exhibits
    }
}

impl Debug for Study {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Study").field(&self.name).finish()
    }
}
