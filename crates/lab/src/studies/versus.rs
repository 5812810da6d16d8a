mod alone;
mod claims;
mod exhibits;
mod grid;
mod live;
mod shared;

use core::time::Duration;
use std::sync::LazyLock;

use serde_json::Value;
use sheave_sim::scenario::Scenario;

use super::{network, rivals};
use crate::live::Parent;
use crate::{
    Drawing, Effort, Exhibit, LOOKS, Measured, Quantity, Rule, Run, Study, Summary, Words,
};

/// The study of Sheave's defaults against today's TCP, on many kinds of networks.
#[derive(Debug)]
pub(super) struct Versus;

const NAME: &str = "versus";

/// The sides of a comparison.
const SCTP: &str = "sctp";
const TCP: &str = "tcp";
const SIDES: [&str; 2] = [SCTP, TCP];

/// Sizes of TCP's buffers, bytes: the maxima of Linux's autotuning (`tcp_wmem`, `tcp_rmem`).
const TCP_SEND: usize = 4 << 20;
const TCP_RECEIVE: usize = 6 << 20;
/// Size of a bulk message, bytes: ten full packets.
const MESSAGE: usize = 14_520;

impl Study for Versus {
    fn name(&self) -> &'static str {
        NAME
    }

    fn words(&self) -> &'static Words {
        static WORDS: LazyLock<Words> =
            LazyLock::new(|| Words::read(include_str!("versus/words.toml")));
        &WORDS
    }

    fn quantities(&self) -> Vec<Quantity> {
        [shared::quantities(), live::quantities()].concat()
    }

    fn rules(&self) -> Vec<Rule> {
        claims::rules()
    }

    fn drawing(&self) -> Drawing {
        Drawing::path(&[
            ("A", "1 Gb/s or more"),
            ("router", "the bottleneck"),
            ("B", ""),
        ])
    }

    fn plan(&self, effort: Effort) -> Vec<Run> {
        let mut plan = alone::plan(effort);
        plan.extend(shared::plan(effort));
        plan.extend(live::plan(effort));
        plan
    }

    fn scenario(&self, run: &Run) -> Result<Option<Scenario>, String> {
        match run.experiment.as_str() {
            alone::ALONE => alone::scenario(&run.settings).map(Some),
            shared::SHARED => shared::scenario(&run.settings, run.seed).map(Some),
            _ if live::is_live(run) => Ok(None),
            other => Err(format!("there is no experiment {other}")),
        }
    }

    fn live_time(&self, run: &Run) -> Option<Duration> {
        live::is_live(run).then(|| live::time(run))
    }

    /// Bulk transfers at 1 Gb/s are expensive.
    fn looks(&self, run: &Run) -> u32 {
        if live::is_live(run) { LOOKS } else { 1 }
    }

    fn take_part(&self, part: &Value, parent: &Parent) -> Result<(), String> {
        live::take_part(part, parent)
    }

    fn execute(&self, run: &Run) -> Result<Measured, String> {
        match run.experiment.as_str() {
            alone::ALONE => alone::execute(run),
            shared::SHARED => shared::execute(run),
            _ if live::is_live(run) => live::execute(run),
            other => Err(format!("there is no experiment {other}")),
        }
    }

    fn exhibits(&self, summary: &Summary) -> Vec<Exhibit> {
        exhibits::exhibits(summary)
    }
}

/// The options of today's TCP, with buffers at their maximum size.
fn tcp() -> sheave_sim::tcp::Options {
    sheave_sim::tcp::Options {
        send_buffer: TCP_SEND,
        receive_buffer: TCP_RECEIVE,
        ..rivals::options(rivals::TODAY)
    }
}

#[cfg(test)]
mod tests;
