use core::fmt::Debug;
use core::time::Duration;

use serde_json::Value;
use sheave_sim::scenario::Scenario;

use crate::live::Parent;
use crate::{
    Claim, Drawing, Exhibit, LOOKS, Measured, Origin, Quantity, Rule, Run, Summary, Words,
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
pub trait Study: Debug + Sync {
    /// Name on the command line.
    fn name(&self) -> &'static str;

    /// The texts: title, subject, parameters, and claims.
    fn words(&self) -> &'static Words;

    /// The values of placeholders in the texts of the parameters.
    fn quantities(&self) -> Vec<Quantity> {
        Vec::new()
    }

    /// The rules that judge the claims.
    fn rules(&self) -> Vec<Rule>;

    /// The title.
    fn title(&self) -> &'static str {
        &self.words().title.0
    }

    /// The subject in a few sentences, including differences from the paper and their consequences.
    fn about(&self) -> &'static str {
        &self.words().about.0
    }

    /// The parameters.
    fn parameters(&self) -> Vec<Parameter> {
        let quantities = self.quantities();
        let parameters = self.words().parameter.iter().map(|words| Parameter {
            name: &words.name,
            value: words.value(&quantities),
            origin: words.origin,
        });
        parameters.collect()
    }

    /// The claims with their rules.
    fn claims(&self) -> Vec<Claim> {
        self.claims_of(self.rules())
    }

    /// The claims that have one of the given rules, in the order of the texts.
    #[doc(hidden)]
    fn claims_of(&self, mut rules: Vec<Rule>) -> Vec<Claim> {
        let claims = self.words().claim.iter().filter_map(|words| {
            let place = rules.iter().position(|rule| rule.id == words.id)?;
            Some(Claim::new(words, rules.swap_remove(place)))
        });
        claims.collect()
    }

    /// The network.
    fn drawing(&self) -> Drawing;

    /// The runs for an effort.
    fn plan(&self, effort: Effort) -> Vec<Run>;

    /// The simulated network and traffic of a run, used for captures; `None` for other runs.
    ///
    /// # Errors
    /// The reason why the run cannot be carried out.
    fn scenario(&self, _run: &Run) -> Result<Option<Scenario>, String> {
        Ok(None)
    }

    /// Approximate duration of a live run; `None` for a simulated run. Live runs use real sockets
    /// in real time. They run one at a time, after all simulated runs and in plan order; with the
    /// seeds as the outermost loop, variants take turns.
    fn live_time(&self, _run: &Run) -> Option<Duration> {
        None
    }

    /// Number of looks that examine runs like this one; expensive runs may have fewer.
    fn looks(&self, _run: &Run) -> u32 {
        LOOKS
    }

    /// The child's side of a live run: the work of a [`Process`](crate::live::Process) that
    /// [`execute`](Self::execute) started with `part`.
    ///
    /// # Errors
    /// The reason for the failure, which is also sent to the parent.
    fn take_part(&self, part: &Value, _parent: &Parent) -> Result<(), String> {
        Err(format!("{} has no live runs: {part}", self.name()))
    }

    /// Carries out a run. A run that is impossible on this machine returns [`Measured::skipped`],
    /// which is no failure.
    ///
    /// # Errors
    /// The reason why the run failed.
    fn execute(&self, run: &Run) -> Result<Measured, String>;

    /// The exhibits made from the records.
    fn exhibits(&self, summary: &Summary) -> Vec<Exhibit>;
}
