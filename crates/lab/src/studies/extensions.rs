mod bbr;
mod black_hole;
mod large_windows;
mod multipath;
mod part;
mod time_and_tails;
mod urgent;

use std::sync::LazyLock;

use sheave_sim::scenario::Scenario;

use self::part::Part;
use super::rivals;
use crate::{
    Drawing, Effort, Exhibit, LOOKS, Measured, Quantity, Rule, Run, Study, Summary, Words,
};

/// The study of SCTP's extensions, with a part for each.
#[derive(Debug)]
pub(super) struct Extensions;

const NAME: &str = "extensions";

/// The parts, in report order.
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

    fn words(&self) -> &'static Words {
        static WORDS: LazyLock<Words> =
            LazyLock::new(|| Words::read(include_str!("extensions/words.toml")));
        &WORDS
    }

    fn quantities(&self) -> Vec<Quantity> {
        let parts = PARTS.iter().flat_map(|part| (part.quantities)());
        parts.chain(rivals::quantities()).collect()
    }

    fn rules(&self) -> Vec<Rule> {
        PARTS.iter().flat_map(|part| (part.rules)()).collect()
    }

    fn drawing(&self) -> Drawing {
        Drawing::path(&[
            ("A", "of each part its own"),
            ("router", "of each part its own"),
            ("B", ""),
        ])
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

    fn exhibits(&self, summary: &Summary) -> Vec<Exhibit> {
        let parts = PARTS.iter();
        parts.flat_map(|part| (part.exhibits)(summary)).collect()
    }
}

/// The claims of one part.
#[cfg(test)]
fn claims_of(part: &Part) -> Vec<crate::Claim> {
    Extensions.claims_of((part.rules)())
}

#[cfg(test)]
mod tests;
