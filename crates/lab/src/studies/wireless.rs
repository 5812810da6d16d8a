mod claims;
mod exhibits;
mod measure;
mod plan;
mod radio;
mod trace;

use std::sync::LazyLock;

use sheave_sim::scenario::Scenario;

use super::network;
use crate::{Drawing, Effort, Exhibit, Measured, Quantity, Rule, Run, Study, Summary, Words};

/// The study of distinguishing corrupted chunks from lost ones.
#[derive(Debug)]
pub(super) struct Wireless;

const NAME: &str = "wireless";
/// Experiment: varies the probability of corruption in the bad state.
const BETA: &str = "beta";
/// Experiment: varies the duration of both states.
const PERIOD: &str = "period";
/// Experiment: varies the loss rate in addition to the corruption.
const LOSS: &str = "loss";
/// Experiment: varies the receive window.
const WINDOW: &str = "window";
/// Experiment: varies the number of bit errors in a corrupted packet.
const DAMAGE: &str = "damage-size";
/// Experiment: removes or adds one cause at a time.
const CAUSE: &str = "cause";

/// Experiment: the start of a run, chunk by chunk.
const TRACE: &str = "trace";

/// Metric: user data delivered, kilobytes per second.
const THROUGHPUT: &str = "kbyte_per_s";

impl Study for Wireless {
    fn name(&self) -> &'static str {
        NAME
    }

    fn words(&self) -> &'static Words {
        static WORDS: LazyLock<Words> =
            LazyLock::new(|| Words::read(include_str!("wireless/words.toml")));
        &WORDS
    }

    fn quantities(&self) -> Vec<Quantity> {
        plan::quantities()
    }

    fn rules(&self) -> Vec<Rule> {
        claims::rules()
    }

    fn drawing(&self) -> Drawing {
        let path = |router| {
            [
                ("A", "wire: 100 Mb/s, 20 ms"),
                (router, "radio: 11 Mb/s, 1 ms"),
                ("B", ""),
            ]
        };
        Drawing::path(&path("router 1")).and_path(&path("router 2"))
    }

    fn plan(&self, effort: Effort) -> Vec<Run> {
        plan::plan(effort)
    }

    fn scenario(&self, run: &Run) -> Result<Option<Scenario>, String> {
        radio::scenario(run).map(Some)
    }

    fn looks(&self, _run: &Run) -> u32 {
        // A run of 100 s is expensive.
        2
    }

    fn execute(&self, run: &Run) -> Result<Measured, String> {
        let scenario = radio::scenario(run)?;
        if run.experiment != TRACE {
            return Ok(measure::transfer(&network::run(&scenario, run.seed)?));
        }
        let mut traced = network::built(&scenario, run.seed)?;
        let kept = trace::watch(&mut traced);
        traced.world.run_to_completion(traced.end);
        Ok(trace::add(measure::transfer(&traced), &kept))
    }

    fn exhibits(&self, summary: &Summary) -> Vec<Exhibit> {
        exhibits::exhibits(summary)
    }
}

#[cfg(test)]
mod tests;
