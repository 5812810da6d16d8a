mod claims;
mod exhibits;
mod measure;
mod paper;
mod plan;
mod vector;

use super::{network, scene};
use crate::{Measured, Run, Study};

/// The study of early window decrease for a multi-homed association on a congested path.
pub(super) static STUDY: Study = Study {
    name: NAME,
    words: include_str!("failover/words.toml"),
    paper: include_str!("failover/paper.toml"),
    stated: include_str!("failover/rules.toml"),
    rules: claims::rules,
    runs: include_str!("failover/plan.toml"),
    scenario: |run| scene::scenario(SCENE, run).map(Some),
    execute,
    shown: include_str!("failover/exhibits.toml"),
    exhibits: exhibits::exhibits,
    ..Study::EMPTY
};

const NAME: &str = "failover";
const SCENE: &str = include_str!("failover/scene.toml");
/// Experiment: the paper's comparison, with the cross traffic found by [`SURFACE`].
const CONGESTION: &str = "congestion";
/// Experiment: the search for the paper's cross traffic.
const SURFACE: &str = "surface";
/// Experiment: the comparison with a single change.
const VARIATION: &str = "variation";
/// Experiment: temporary overload of the primary path.
const TEMPORARY: &str = "temporary";
/// Experiment: failure of the primary path.
const DEATH: &str = "death";

fn execute(run: &Run) -> Result<Measured, String> {
    let mut finished = network::run_watched(&scene::scenario(SCENE, run)?, run.seed)?;
    let measured = network::delivered(&finished);
    Ok(match run.experiment.as_str() {
        TEMPORARY => measure::spell(&finished, measured),
        DEATH => measure::death(&finished, network::delays(&finished, measured)),
        experiment => {
            measure::outlast(&mut finished);
            let mut measured = measure::transfer(&finished, measured);
            if experiment == SURFACE {
                measured.metrics.retain(|name, _| paper::is_searched(name));
            }
            if experiment == CONGESTION && run.seed == 1 {
                let vectors = vector::vectors(&finished).into_iter();
                measured.series = vectors.map(vector::Vector::series).collect();
            }
            measured
        }
    })
}

#[cfg(test)]
mod tests;
