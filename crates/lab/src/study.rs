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
    /// Every experiment with coarse sweeps, and more seeds where doubt is: minutes.
    #[default]
    Quick,
    /// Every experiment in full.
    Full,
}

/// The effort to put into a study.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Effort {
    /// Width of the sweeps.
    pub extent: Extent,
    /// Seeds of each setting to begin with, where not what the extent says.
    pub seeds: Option<u32>,
    /// The seed after which they begin: other ones give other samples.
    pub after: u64,
}

impl Effort {
    /// The seeds to run each setting with to begin with; 10 if all is run, else 6.
    pub fn seeds(self) -> impl Iterator<Item = u64> + Clone {
        let usual = self.choose(6, 10);
        self.seeded(u64::from(self.seeds.unwrap_or(usual)))
    }

    /// The rounds of live runs, in which variants take turns: as many as the seeds, at most 5 where
    /// not all is run.
    pub fn rounds(self) -> impl Iterator<Item = u64> + Clone {
        let most = self.choose(5, usize::MAX);
        self.seeds().take(most)
    }

    /// The next `count` seeds.
    pub fn seeded(self, count: u64) -> impl Iterator<Item = u64> + Clone {
        self.after + 1..=self.after + count
    }

    /// Chooses one of two by extent.
    #[must_use]
    pub fn choose<T>(self, quick: T, full: T) -> T {
        match self.extent {
            Extent::Quick => quick,
            Extent::Full => full,
        }
    }
}

/// A parameter of a study, for its readers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name of the parameter.
    pub name: &'static str,
    /// The value with its unit.
    pub value: String,
    /// The origin of the value.
    pub origin: Origin,
}

/// A published study: what it does and what it claims.
pub trait Study: Debug + Sync {
    /// The name on the command line.
    fn name(&self) -> &'static str;

    /// The words: title, subject, parameters, and claims.
    fn words(&self) -> &'static Words;

    /// The values that the words of the parameters name.
    fn quantities(&self) -> Vec<Quantity> {
        Vec::new()
    }

    /// The rules that judge the claims.
    fn rules(&self) -> Vec<Rule>;

    /// The title.
    fn title(&self) -> &'static str {
        &self.words().title.0
    }

    /// The subject in a few sentences, the differences from the paper, and their consequences.
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

    /// The claims, with the rules that judge them.
    fn claims(&self) -> Vec<Claim> {
        self.claims_of(self.rules())
    }

    /// The claims that have one of those rules, in the order of the words.
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

    /// The runs that are wanted.
    fn plan(&self, effort: Effort) -> Vec<Run>;

    /// The network of a run and what happens on it, where the run is such a scenario: what a
    /// capture is taken of.
    ///
    /// # Errors
    /// Why the run cannot be carried out.
    fn scenario(&self, _run: &Run) -> Result<Option<Scenario>, String> {
        Ok(None)
    }

    /// The time that a live run takes, about; `None` for one that is simulated. Live runs go over
    /// real sockets in real time. They are carried out one at a time, after all others and in the
    /// order of the plan, which lets variants take turns by having the seeds outermost.
    fn live_time(&self, _run: &Run) -> Option<Duration> {
        None
    }

    /// The looks at growing numbers of seeds that a run like this takes part in; costly ones may
    /// have fewer.
    fn looks(&self, _run: &Run) -> u32 {
        LOOKS
    }

    /// The other side of a live run: what a [`Process`](crate::live::Process) does that
    /// [`execute`](Self::execute) started with `part`.
    ///
    /// # Errors
    /// Why it cannot be done; the parent hears it.
    fn take_part(&self, part: &Value, _parent: &Parent) -> Result<(), String> {
        Err(format!("{} has no live runs: {part}", self.name()))
    }

    /// Carries out one of them. What cannot be done on this machine gives
    /// [`Measured::skipped`], which is no failure.
    ///
    /// # Errors
    /// Why it cannot be carried out.
    fn execute(&self, run: &Run) -> Result<Measured, String>;

    /// The exhibits made from the records.
    fn exhibits(&self, summary: &Summary) -> Vec<Exhibit>;
}
