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

/// The study of telling a damaged chunk from a lost one.
#[derive(Debug)]
pub(super) struct Wireless;

const NAME: &str = "wireless";
/// Over the probability of corruption in the bad state.
const BETA: &str = "beta";
/// Over the length of both states.
const PERIOD: &str = "period";
/// Over the rate of losses beside the corruption.
const LOSS: &str = "loss";
/// Over the receive window.
const WINDOW: &str = "window";
/// Over the number of wrong bits in a packet that is hit.
const DAMAGE: &str = "damage-size";
/// The experiment that takes away or adds one cause at a time.
const CAUSE: &str = "cause";

/// The beginning of a run, chunk by chunk.
const TRACE: &str = "trace";

/// The metric: user kilobytes delivered per second.
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
        // A run of 100 s is dear.
        2
    }

    fn execute(&self, run: &Run) -> Result<Measured, String> {
        let scenario = radio::scenario(run)?;
        if run.experiment != TRACE {
            return Ok(measure::transfer(&network::run(&scenario, run.seed)?));
        }
        let mut traced = scenario
            .build(run.seed)
            .map_err(|error| error.to_string())?;
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
