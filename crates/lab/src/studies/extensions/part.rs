use core::fmt;

use sheave_sim::scenario::Scenario;

use super::NAME;
use crate::{Claim, Effort, Exhibit, Measured, Parameter, Run, Settings, Summary};

/// A part of the study: an extension, its network, and the claims about it.
pub(super) struct Part {
    /// The name of its experiment, which no other part has.
    pub(super) experiment: &'static str,
    pub(super) parameters: fn() -> Vec<Parameter>,
    /// The settings to run, each with all seeds.
    pub(super) plan: fn(Effort) -> Vec<Settings>,
    /// The network of a run and what happens on it.
    pub(super) scenario: fn(&Settings) -> Result<Scenario, String>,
    pub(super) execute: fn(&Run) -> Result<Measured, String>,
    pub(super) claims: fn() -> Vec<Claim>,
    pub(super) exhibits: fn(&Summary) -> Vec<Exhibit>,
}

impl Part {
    /// The runs of the part.
    pub(super) fn runs(&self, effort: Effort) -> Vec<Run> {
        let settings = (self.plan)(effort).into_iter();
        let runs = settings.flat_map(|settings| {
            effort.seeds().map(move |seed| Run {
                study: NAME.to_owned(),
                experiment: self.experiment.to_owned(),
                settings: settings.clone(),
                seed,
            })
        });
        runs.collect()
    }
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Part")
            .field("experiment", &self.experiment)
            .finish_non_exhaustive()
    }
}
