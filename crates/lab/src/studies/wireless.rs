mod claims;
mod measure;
mod plan;
mod radio;
mod trace;

use super::network;
use crate::{Measured, Run, Study};

/// The study of distinguishing corrupted chunks from lost ones.
pub(super) static STUDY: Study = Study {
    name: NAME,
    words: include_str!("wireless/words.toml"),
    paper: include_str!("wireless/paper.toml"),
    quantities: plan::quantities,
    rules: claims::rules,
    runs: include_str!("wireless/plan.toml"),
    scenario: |run| radio::scenario(run).map(Some),
    looks,
    execute,
    shown: include_str!("wireless/exhibits.toml"),
    experiments: &[("window", include_str!("wireless/window.toml"))],
    ..Study::EMPTY
};

const NAME: &str = "wireless";
/// Experiment: varies the probability of corruption in the bad state.
const BETA: &str = "beta";
/// Experiment: varies the duration of both states.
const PERIOD: &str = "period";
/// Experiment: varies the loss rate in addition to the corruption.
const LOSS: &str = "loss";
/// Experiment: varies the number of bit errors in a corrupted packet.
const DAMAGE: &str = "damage-size";
/// Experiment: removes or adds one cause at a time.
const CAUSE: &str = "cause";

/// Experiment: the start of a run, chunk by chunk.
const TRACE: &str = "trace";

/// Metric: user data delivered, kilobytes per second.
const THROUGHPUT: &str = "kbyte_per_s";

fn looks(_run: &Run) -> u32 {
    // A run of 100 s is expensive.
    2
}

fn execute(run: &Run) -> Result<Measured, String> {
    let scenario = radio::scenario(run)?;
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
