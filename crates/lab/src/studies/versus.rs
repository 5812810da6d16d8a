mod alone;
mod claims;
mod live;
mod shared;

use sheave_sim::scenario::Scenario;

use super::{network, scene};
use crate::{LOOKS, Measured, Run, Study};

/// The study of Sheave's defaults against today's TCP, on many kinds of networks.
pub(super) static STUDY: Study = Study {
    name: NAME,
    words: include_str!("versus/words.toml"),
    quantities: || [shared::quantities(), live::quantities()].concat(),
    stated: include_str!("versus/rules.toml"),
    rules: claims::rules,
    runs: include_str!("versus/plan.toml"),
    scenario,
    live_time: |run| live::is_live(run).then(|| live::time(run)),
    // Bulk transfers at 1 Gb/s are expensive.
    looks: |run| if live::is_live(run) { LOOKS } else { 1 },
    take_part: live::take_part,
    execute,
    shown: include_str!("versus/exhibits.toml"),
    ..Study::EMPTY
};

use self::alone::ALONE;
use self::shared::SHARED;

const NAME: &str = "versus";
const SCENE: &str = include_str!("versus/scene.toml");

/// The sides of a comparison.
const SCTP: &str = "sctp";
const TCP: &str = "tcp";

/// Size of a bulk message, bytes: ten full packets.
const MESSAGE: usize = 14_520;

fn scenario(run: &Run) -> Result<Option<Scenario>, String> {
    match run.experiment.as_str() {
        ALONE => scene::scenario(SCENE, run).map(Some),
        SHARED => shared::scenario(run).map(Some),
        _ if live::is_live(run) => Ok(None),
        other => Err(format!("there is no experiment {other}")),
    }
}

fn execute(run: &Run) -> Result<Measured, String> {
    match run.experiment.as_str() {
        ALONE => alone::execute(run),
        SHARED => shared::execute(run),
        _ if live::is_live(run) => live::execute(run),
        other => Err(format!("there is no experiment {other}")),
    }
}

#[cfg(test)]
mod tests;
