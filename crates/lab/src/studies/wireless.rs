mod measure;
mod trace;

use super::{network, scene};
use crate::{Measured, Run, Study};

/// The study of distinguishing corrupted chunks from lost ones.
pub(super) static STUDY: Study = Study {
    name: NAME,
    words: include_str!("wireless/words.toml"),
    paper: include_str!("wireless/paper.toml"),
    stated: include_str!("wireless/rules.toml"),
    runs: include_str!("wireless/plan.toml"),
    scenario: |run| scene::scenario(SCENE, run).map(Some),
    looks,
    execute,
    shown: include_str!("wireless/exhibits.toml"),
    experiments: &[("window", include_str!("wireless/window.toml"))],
    ..Study::EMPTY
};

const NAME: &str = "wireless";
const SCENE: &str = include_str!("wireless/scene.toml");
/// Experiment: the start of a run, chunk by chunk.
const TRACE: &str = "trace";

/// Metric: user data delivered, kilobytes per second.
const THROUGHPUT: &str = "kbyte_per_s";

fn looks(_run: &Run) -> u32 {
    // A run of 100 s is expensive.
    2
}

fn execute(run: &Run) -> Result<Measured, String> {
    let scenario = scene::scenario(SCENE, run)?;
    if run.experiment != TRACE {
        return Ok(measure::transfer(&network::run(&scenario, run.seed)?));
    }
    let mut traced = network::built(&scenario, run.seed)?;
    let kept = trace::watch(&mut traced);
    traced.world.run_to_completion(traced.end);
    Ok(trace::add(measure::transfer(&traced), &kept))
}

#[cfg(test)]
mod tests;
