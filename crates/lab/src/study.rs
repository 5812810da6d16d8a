use core::fmt::{self, Debug, Formatter};
use core::time::Duration;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::Value;
use sheave_sim::scenario::Scenario;

use crate::live::Parent;
use crate::{
    Claim, Drawing, Exhibit, LOOKS, Measured, Origin, Quantity, Rule, Run, Settings, Summary,
    Words, studies,
};

/// The extent of the experiments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Extent {
    /// Every experiment with coarse sweeps, and more seeds for undecided claims: takes minutes.
    #[default]
    Quick,
    /// Every experiment with full sweeps.
    Full,
}

/// The effort for a study.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Effort {
    /// Width of the sweeps.
    pub extent: Extent,
    /// Initial number of seeds per setting; `None` leaves it to the extent.
    pub seeds: Option<u32>,
    /// The seeds start after this number; a different one gives different samples.
    pub after: u64,
}

impl Effort {
    /// The initial seeds of each setting: 10 in the full extent, else 6.
    pub fn seeds(self) -> impl Iterator<Item = u64> + Clone {
        let usual = self.choose(6, 10);
        self.seeded(u64::from(self.seeds.unwrap_or(usual)))
    }

    /// The rounds of live runs, in which variants take turns: one per seed, but at most 5 in the
    /// quick extent.
    pub fn rounds(self) -> impl Iterator<Item = u64> + Clone {
        let most = self.choose(5, usize::MAX);
        self.seeds().take(most)
    }

    /// The first `count` seeds.
    pub fn seeded(self, count: u64) -> impl Iterator<Item = u64> + Clone {
        self.after + 1..=self.after + count
    }

    /// The runs of an experiment of a study with these settings, one per seed.
    pub(crate) fn runs(
        self,
        study: &str,
        experiment: &str,
        settings: Settings,
    ) -> impl Iterator<Item = Run> {
        let seeds = self.seeds();
        seeds.map(move |seed| Run::new(study, experiment, settings.clone(), seed))
    }

    /// Chooses a value by extent.
    #[must_use]
    pub fn choose<T>(self, quick: T, full: T) -> T {
        match self.extent {
            Extent::Quick => quick,
            Extent::Full => full,
        }
    }
}

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
    /// The rules that judge the claims.
    pub(crate) rules: fn() -> Vec<Rule>,
    pub(crate) plan: fn(Effort) -> Vec<Run>,
    pub(crate) scenario: fn(&Run) -> Result<Option<Scenario>, String>,
    pub(crate) live_time: fn(&Run) -> Option<Duration>,
    pub(crate) looks: fn(&Run) -> u32,
    pub(crate) take_part: fn(&Value, &Parent) -> Result<(), String>,
    pub(crate) execute: fn(&Run) -> Result<Measured, String>,
    pub(crate) exhibits: fn(&Summary) -> Vec<Exhibit>,
}

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
        rules: Vec::new,
        plan: |_| Vec::new(),
        scenario: |_| Ok(None),
        live_time: |_| None,
        looks: |_| LOOKS,
        take_part: |part, _| Err(format!("there are no live runs: {part}")),
        execute: |run| Err(format!("there is no experiment {}", run.experiment)),
        exhibits: |_| Vec::new(),
    };

    /// Name on the command line.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn texts(&self) -> &'static Words {
        &WORDS[self.name]
    }

    /// The title.
    #[must_use]
    pub fn title(&self) -> &'static str {
        &self.texts().title.0
    }

    /// The subject in a few sentences, including differences from the paper and their consequences.
    #[must_use]
    pub fn about(&self) -> &'static str {
        &self.texts().about.0
    }

    /// The parameters.
    #[must_use]
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
    #[must_use]
    pub fn claims(&self) -> Vec<Claim> {
        self.claims_of((self.rules)())
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
    #[must_use]
    pub fn drawing(&self) -> &'static Drawing {
        &self.texts().drawing
    }

    /// The runs for an effort.
    #[must_use]
    pub fn plan(&self, effort: Effort) -> Vec<Run> {
        (self.plan)(effort)
    }

    /// The simulated network and traffic of a run, used for captures; `None` for other runs.
    ///
    /// # Errors
    /// The reason why the run cannot be carried out.
    pub fn scenario(&self, run: &Run) -> Result<Option<Scenario>, String> {
        (self.scenario)(run)
    }

    /// Approximate duration of a live run; `None` for a simulated run. Live runs use real sockets
    /// in real time. They run one at a time, after all simulated runs and in plan order; with the
    /// seeds as the outermost loop, variants take turns.
    #[must_use]
    pub fn live_time(&self, run: &Run) -> Option<Duration> {
        (self.live_time)(run)
    }

    /// Number of looks that examine runs like this one; expensive runs may have fewer.
    #[must_use]
    pub fn looks(&self, run: &Run) -> u32 {
        (self.looks)(run)
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
    ///
    /// # Errors
    /// The reason why the run failed.
    pub fn execute(&self, run: &Run) -> Result<Measured, String> {
        (self.execute)(run)
    }

    /// The exhibits made from the records.
    #[must_use]
    pub fn exhibits(&self, summary: &Summary) -> Vec<Exhibit> {
        (self.exhibits)(summary)
    }
}

impl Debug for Study {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Study").field(&self.name).finish()
    }
}
