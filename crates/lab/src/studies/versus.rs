mod alone;
mod claims;
mod grid;
mod live;
mod shared;

use sheave_engine::Options;
use sheave_sim::scenario::{Flow, FlowWorkload, Scenario};

use super::{network, rivals};
use crate::{Effort, LOOKS, Measured, Run, Study};

/// The study of Sheave's defaults against today's TCP, on many kinds of networks.
pub(super) static STUDY: Study = Study {
    name: NAME,
    words: include_str!("versus/words.toml"),
    quantities: || [shared::quantities(), live::quantities()].concat(),
    rules: claims::rules,
    plan,
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

/// The sides of a comparison.
const SCTP: &str = "sctp";
const TCP: &str = "tcp";
const SIDES: [&str; 2] = [SCTP, TCP];

/// Sizes of TCP's buffers, bytes: the maxima of Linux's autotuning (`tcp_wmem`, `tcp_rmem`).
const TCP_SEND: usize = 4 << 20;
const TCP_RECEIVE: usize = 6 << 20;
/// Size of a bulk message, bytes: ten full packets.
const MESSAGE: usize = 14_520;

fn plan(effort: Effort) -> Vec<Run> {
    let mut plan = alone::plan(effort);
    plan.extend(shared::plan(effort));
    plan.extend(live::plan(effort));
    plan
}

fn scenario(run: &Run) -> Result<Option<Scenario>, String> {
    match run.experiment.as_str() {
        ALONE => alone::scenario(&run.settings).map(Some),
        SHARED => shared::scenario(&run.settings, run.seed).map(Some),
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

/// A flow of a side, each with its defaults.
fn flow(side: &str, work: FlowWorkload) -> Result<Flow, String> {
    Ok(match side {
        SCTP => network::sctp(Options::default(), work),
        TCP => network::tcp(tcp(), work),
        other => return Err(format!("there is no side {other}")),
    })
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
