mod bbr;
mod black_hole;
mod large_windows;
mod multipath;
mod part;
mod time_and_tails;
mod urgent;

use sheave_sim::scenario::Scenario;

use self::part::Part;
use super::rivals;
use crate::{Claim, Drawing, Effort, Exhibit, LOOKS, Measured, Parameter, Run, Study, Summary};

/// The study of SCTP's extensions, each in a part of its own.
#[derive(Debug)]
pub(super) struct Extensions;

const NAME: &str = "extensions";

/// The parts, in the order of the report.
const PARTS: [&Part; 9] = [
    &time_and_tails::PART,
    &large_windows::PART,
    &black_hole::PART,
    &multipath::BUFFERS,
    &multipath::SHARING,
    &multipath::RADIOS,
    &urgent::PART,
    &bbr::ALONE,
    &bbr::SHARING,
];

fn part(experiment: &str) -> Result<&'static Part, String> {
    let found = PARTS.into_iter().find(|part| part.experiment == experiment);
    found.ok_or_else(|| format!("there is no experiment {experiment}"))
}

impl Study for Extensions {
    fn name(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        "What SCTP's extensions are worth"
    }

    fn about(&self) -> &'static str {
        "Extensions of SCTP that are on by default or a choice here, each on a network made for \
         what it is meant for, beside the same association without it. The claims are those of \
         their RFCs and papers, which seldom give figures; where a claim or a figure is ours it \
         says so."
    }

    fn drawing(&self) -> Drawing {
        Drawing::path(&[
            ("A", "of each part its own"),
            ("router", "of each part its own"),
            ("B", ""),
        ])
    }

    fn parameters(&self) -> Vec<Parameter> {
        let parts = PARTS.iter().flat_map(|part| (part.parameters)());
        parts.chain([rivals::without_judge()]).collect()
    }

    fn plan(&self, effort: Effort) -> Vec<Run> {
        PARTS.iter().flat_map(|part| part.runs(effort)).collect()
    }

    fn scenario(&self, run: &Run) -> Result<Option<Scenario>, String> {
        (part(&run.experiment)?.scenario)(&run.settings).map(Some)
    }

    fn looks(&self, run: &Run) -> u32 {
        let dear = [&large_windows::PART, &time_and_tails::PART];
        match dear.iter().any(|part| part.experiment == run.experiment) {
            true => 2,
            false => LOOKS,
        }
    }

    fn execute(&self, run: &Run) -> Result<Measured, String> {
        (part(&run.experiment)?.execute)(run)
    }

    fn claims(&self) -> Vec<Claim> {
        PARTS.iter().flat_map(|part| (part.claims)()).collect()
    }

    fn exhibits(&self, summary: &Summary) -> Vec<Exhibit> {
        let parts = PARTS.iter();
        parts.flat_map(|part| (part.exhibits)(summary)).collect()
    }
}

#[cfg(test)]
mod tests;
