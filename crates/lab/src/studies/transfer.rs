mod exhibits;
mod live;
mod measure;

use sheave_sim::scenario::Scenario;

use super::{network, scene};
use crate::{Exhibit, Measured, Run, Study};

/// The study of the cost of FTP's connections and commands, compared with a single connection and a
/// single association.
pub(super) static STUDY: Study = Study {
    name: NAME,
    words: include_str!("transfer/words.toml"),
    paper: include_str!("transfer/paper.toml"),
    stated: include_str!("transfer/rules.toml"),
    runs: include_str!("transfer/plan.toml"),
    scenario,
    live_time: |run| live::is_live(run).then(|| live::time(run)),
    take_part: live::take_part,
    execute,
    shown: include_str!("transfer/exhibits.toml"),
    exhibits: |_, summary| {
        exhibits::timeouts(summary)
            .map(Exhibit::Note)
            .into_iter()
            .collect()
    },
    ..Study::EMPTY
};

const NAME: &str = "transfer";
const FILES: &str = "files";

const FTP: &str = "ftp";
const HTTP: &str = "http";
const PIPELINED: &str = "http, pipelined";
const SCTP: &str = "sctp";

/// Number of streams for files, the default of `sheave send`.
const STREAMS: u16 = 8;
const SCENE: &str = include_str!("transfer/scene.toml");

fn scenario(run: &Run) -> Result<Option<Scenario>, String> {
    match run.experiment.as_str() {
        FILES => scene::scenario(SCENE, run).map(Some),
        _ if live::is_live(run) => Ok(None),
        other => Err(format!("there is no experiment {other}")),
    }
}

fn execute(run: &Run) -> Result<Measured, String> {
    if live::is_live(run) {
        return live::execute(run);
    }
    let Some(scenario) = scenario(run)? else {
        return Err(format!("{run} is not simulated"));
    };
    let finished = network::run(&scenario, run.seed)?;
    let measured = measure::measured(finished)?;
    Ok(match run.settings.number("loss_percent") {
        0.0 => measured.without_chance(),
        _ => measured,
    })
}

#[cfg(test)]
mod tests;
