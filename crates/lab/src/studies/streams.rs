mod live;

use sheave_sim::scenario::Scenario;

use super::{network, scene};
use crate::{Measured, Run, Study};

/// The study of the number of streams.
pub(super) static STUDY: Study = Study {
    name: NAME,
    words: include_str!("streams/words.toml"),
    paper: include_str!("streams/paper.toml"),
    stated: include_str!("streams/rules.toml"),
    runs: include_str!("streams/plan.toml"),
    scenario: |run| simulated(run).map(|scenario| (!live::is_live(run)).then_some(scenario)),
    live_time: |run| live::is_live(run).then_some(live::TIME),
    take_part: live::take_part,
    execute,
    shown: include_str!("streams/exhibits.toml"),
    experiments: &[(
        "receive-buffer",
        include_str!("streams/receive-buffer.toml"),
    )],
    ..Study::EMPTY
};

const NAME: &str = "streams";
fn execute(run: &Run) -> Result<Measured, String> {
    if live::is_live(run) {
        return live::execute(run, &simulated(run)?);
    }
    let finished = network::run(&simulated(run)?, run.seed)?;
    let measured = network::delivered(&finished);
    Ok(network::delays(&finished, measured))
}

fn simulated(run: &Run) -> Result<Scenario, String> {
    scene::scenario(include_str!("streams/scene.toml"), run)
}

#[cfg(test)]
mod tests;
