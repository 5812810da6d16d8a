mod bbr;
mod black_hole;
mod large_windows;
mod multipath;
mod part;
mod time_and_tails;
mod urgent;

use self::part::Part;
use super::rivals;
use crate::{Exhibit, LOOKS, Quantity, Run, Study, Summary};

/// The study of SCTP's extensions, with a part for each.
pub(super) static STUDY: Study = Study {
    name: NAME,
    words: include_str!("extensions/words.toml"),
    quantities,
    rules: || PARTS.iter().flat_map(|part| (part.rules)()).collect(),
    plan: |effort| PARTS.iter().flat_map(|part| part.runs(effort)).collect(),
    scenario: |run| (part(&run.experiment)?.scenario)(&run.settings).map(Some),
    looks,
    execute: |run| (part(&run.experiment)?.execute)(run),
    exhibits,
    ..Study::EMPTY
};

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

fn quantities() -> Vec<Quantity> {
    let parts = PARTS.iter().flat_map(|part| (part.quantities)());
    parts.chain(rivals::quantities()).collect()
}

fn looks(run: &Run) -> u32 {
    let dear = [&large_windows::PART, &time_and_tails::PART];
    match dear.iter().any(|part| part.experiment == run.experiment) {
        true => 2,
        false => LOOKS,
    }
}

fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    let parts = PARTS.iter();
    parts.flat_map(|part| (part.exhibits)(summary)).collect()
}

/// The claims of one part.
#[cfg(test)]
fn claims_of(part: &Part) -> Vec<crate::Claim> {
    STUDY.claims_of((part.rules)())
}

#[cfg(test)]
mod tests;
