mod claims;
mod exhibits;
mod measure;
mod paper;
mod plan;
mod scene;
mod vector;

use sheave_sim::scenario::Scenario;

use super::network;
use crate::{Claim, Drawing, Effort, Exhibit, Measured, Parameter, Run, Study, Summary};

/// The study of early decrease for a multi-homed association on a congested path.
#[derive(Debug)]
pub(super) struct Failover;

const NAME: &str = "failover";
/// The paper's comparison, under the cross traffic that was found.
const CONGESTION: &str = "congestion";
/// The same comparison with Sheave's default profile, in which the algorithm takes the place of the
/// profile's own.
const CONGESTION_TODAY: &str = "congestion-today";
/// The search for that cross traffic.
const SURFACE: &str = "surface";
/// The comparison with one thing changed.
const VARIATION: &str = "variation";
/// The primary path is overloaded for a while.
const TEMPORARY: &str = "temporary";
/// The primary path dies.
const DEATH: &str = "death";

impl Study for Failover {
    fn name(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        "Multi-homing: failover under congestion"
    }

    fn about(&self) -> &'static str {
        ABOUT
    }

    fn drawing(&self) -> Drawing {
        Drawing::path(&[
            ("A", "1 Gb/s"),
            ("router 1 + cross", "bottleneck, 30 ms"),
            ("B", ""),
        ])
        .and_path(&[("A", "1 Gb/s"), ("router 2", "1 Gb/s, 30 ms"), ("B", "")])
    }

    fn parameters(&self) -> Vec<Parameter> {
        plan::parameters()
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

    fn claims(&self) -> Vec<Claim> {
        claims::claims()
    }

    fn exhibits(&self, summary: &Summary) -> Vec<Exhibit> {
        exhibits::exhibits(summary)
    }
}

const ABOUT: &str = "The paper lets a multi-homed association send 100 messages of 4000 bytes, and \
     cuts the congestion window by the factor 0.144 before a loss would halve it (early \
     decrease). It leaves out where the congestion comes from: over its links of 1 Gb/s the \
     transfer would take half a second and lose nothing. Here cross traffic shares the primary \
     path's last link; bottleneck, rate and bursts were found by a search for what brings the \
     standard algorithm near the paper's standard column (the surface below), and were then left \
     alone: the modified algorithm runs on the identical network with the same seeds. It leaves \
     open when a path looks congested: the prose waits for a heartbeat that goes unanswered, the \
     pseudo-code cuts at every SACK above the threshold; both are run. It leaves open what \
     \"reverts to slow start\" means for a window above its threshold: here growth starts again \
     from the last cut. And it leaves out chance: it made one run of each. The paper's own windows \
     show that its modified run had a receive buffer half as large again: what that buffer alone \
     does is measured, too.";

#[cfg(test)]
mod tests;
