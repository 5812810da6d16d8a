use core::fmt::Debug;

use serde_json::Value;
use sheave_sim::scenario::Scenario;

use crate::live::Parent;
use crate::{Claim, Drawing, Exhibit, Measured, Run, Summary};

/// How much is to be run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Extent {
    /// All experiments with few seeds and coarse sweeps: minutes.
    #[default]
    Quick,
    /// All of it.
    Full,
}

/// How much work is to be put into a study.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Effort {
    /// How wide the sweeps are.
    pub extent: Extent,
    /// Seeds of each setting, where not what the extent says.
    pub seeds: Option<u32>,
}

impl Effort {
    /// The seeds to run each setting with; 10 if all is run, else 3.
    pub fn seeds(self) -> impl Iterator<Item = u64> + Clone {
        let usual = self.choose(3, 10);
        1..=u64::from(self.seeds.unwrap_or(usual))
    }

    /// One of two by extent.
    #[must_use]
    pub fn choose<T>(self, quick: T, full: T) -> T {
        match self.extent {
            Extent::Quick => quick,
            Extent::Full => full,
        }
    }
}

/// Who chose the value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The paper says it.
    Paper,
    /// The paper does not say it: the value is ours.
    Ours,
}

/// A parameter of a study, for its readers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// What it is.
    pub name: &'static str,
    /// Its value with unit.
    pub value: String,
    /// Who chose it.
    pub origin: Origin,
}

impl Parameter {
    /// One that the paper gives.
    #[must_use]
    pub fn paper(name: &'static str, value: impl Into<String>) -> Self {
        let value = value.into();
        Self {
            name,
            value,
            origin: Origin::Paper,
        }
    }

    /// One that the paper leaves out.
    #[must_use]
    pub fn ours(name: &'static str, value: impl Into<String>) -> Self {
        let value = value.into();
        Self {
            name,
            value,
            origin: Origin::Ours,
        }
    }
}

/// A published study: what it does and what it claims.
pub trait Study: Debug + Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// Its title.
    fn title(&self) -> &'static str;

    /// What it is about, in a few sentences; what is different here, and what follows from it.
    fn about(&self) -> &'static str;

    /// The network.
    fn drawing(&self) -> Drawing;

    /// The parameters.
    fn parameters(&self) -> Vec<Parameter>;

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

    /// Whether a run is live: over real sockets, in real time. Such runs are carried out one at a
    /// time, after all others and in the order of the plan, which lets variants take turns by
    /// having the seeds outermost.
    fn is_live(&self, _run: &Run) -> bool {
        false
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

    /// What is claimed, with the rules to judge it by.
    fn claims(&self) -> Vec<Claim>;

    /// What is to be shown of the records.
    fn exhibits(&self, summary: &Summary) -> Vec<Exhibit>;
}
