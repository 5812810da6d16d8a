use core::fmt;

use sheave_sim::scenario::Scenario;

use super::NAME;
use crate::{Cell, Effort, Exhibit, Extent, Measured, Quantity, Rule, Run, Settings, Summary};

/// A part of the study: an extension, its network, and its claims.
pub(super) struct Part {
    /// Name of the experiment, unique among the parts.
    pub(super) experiment: &'static str,
    /// The values of placeholders in the texts of the parameters.
    pub(super) quantities: fn() -> Vec<Quantity>,
    /// The settings to run, each with all seeds.
    pub(super) plan: fn(Effort) -> Vec<Settings>,
    /// The simulated network and traffic of a run.
    pub(super) scenario: fn(&Settings) -> Result<Scenario, String>,
    pub(super) execute: fn(&Run) -> Result<Measured, String>,
    pub(super) rules: fn() -> Vec<Rule>,
    pub(super) exhibits: fn(&Summary) -> Vec<Exhibit>,
}

impl Part {
    /// The cells of the part's runs, in plan order.
    pub(super) fn cells<'a>(&self, summary: &'a Summary) -> impl Iterator<Item = &'a Cell> {
        let whole = Effort {
            extent: Extent::Full,
            ..Effort::default()
        };
        let planned = (self.plan)(whole).into_iter();
        planned.filter_map(|settings| summary.cell(NAME, self.experiment, &settings))
    }

    /// The runs of the part, with all seeds.
    pub(super) fn runs(&self, effort: Effort) -> Vec<Run> {
        let settings = (self.plan)(effort).into_iter();
        let runs = settings.flat_map(|settings| effort.runs(NAME, self.experiment, settings));
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
