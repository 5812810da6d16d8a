mod claims;
mod exhibits;
mod measure;
mod paper;
mod plan;
mod scene;
mod vector;

use std::sync::LazyLock;

use sheave_sim::scenario::Scenario;

use super::network;
use crate::{Drawing, Effort, Exhibit, Measured, Quantity, Rule, Run, Study, Summary, Words};

/// The study of early window decrease for a multi-homed association on a congested path.
#[derive(Debug)]
pub(super) struct Failover;

const NAME: &str = "failover";
/// Experiment: the paper's comparison, with the cross traffic found by [`SURFACE`].
const CONGESTION: &str = "congestion";
/// Experiment: the same comparison with Sheave's default profile, in which the algorithm replaces
/// the profile's own.
const CONGESTION_TODAY: &str = "congestion-today";
/// Experiment: the search for the paper's cross traffic.
const SURFACE: &str = "surface";
/// Experiment: the comparison with a single change.
const VARIATION: &str = "variation";
/// Experiment: temporary overload of the primary path.
const TEMPORARY: &str = "temporary";
/// Experiment: failure of the primary path.
const DEATH: &str = "death";

impl Study for Failover {
    fn name(&self) -> &'static str {
        NAME
    }

    fn words(&self) -> &'static Words {
        static WORDS: LazyLock<Words> =
            LazyLock::new(|| Words::read(include_str!("failover/words.toml")));
        &WORDS
    }

    fn quantities(&self) -> Vec<Quantity> {
        plan::quantities()
    }

    fn rules(&self) -> Vec<Rule> {
        claims::rules()
    }

    fn drawing(&self) -> Drawing {
        Drawing::path(&[
            ("A", "1 Gb/s"),
            ("router 1 + cross", "bottleneck, 30 ms"),
            ("B", ""),
        ])
        .and_path(&[("A", "1 Gb/s"), ("router 2", "1 Gb/s, 30 ms"), ("B", "")])
    }

    fn plan(&self, effort: Effort) -> Vec<Run> {
        plan::plan(effort)
    }

    fn scenario(&self, run: &Run) -> Result<Option<Scenario>, String> {
        scene::scenario(run).map(Some)
    }

    fn execute(&self, run: &Run) -> Result<Measured, String> {
        let mut finished = network::run_watched(&scene::scenario(run)?, run.seed)?;
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

    fn exhibits(&self, summary: &Summary) -> Vec<Exhibit> {
        exhibits::exhibits(summary)
    }
}

#[cfg(test)]
mod tests;
