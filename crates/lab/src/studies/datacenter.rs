mod claims;
mod live;

use sheave_sim::scenario::{self, Scenario};
use sheave_sim::{Bulk, Program, Sctp};

use super::{network, rivals, scene};
use crate::{LOOKS, Measured, Run, Study};

/// Compares SCTP with TCP in a data centre.
pub(super) static STUDY: Study = Study {
    name: NAME,
    words: include_str!("datacenter/words.toml"),
    paper: include_str!("datacenter/paper.toml"),
    stated: include_str!("datacenter/rules.toml"),
    rules: claims::rules,
    runs: include_str!("datacenter/plan.toml"),
    plan: live::plan::plan,
    scenario,
    live_time: |run| live::is_live(run).then(|| live::time(run)),
    looks,
    take_part: live::take,
    execute,
    shown: include_str!("datacenter/exhibits.toml"),
    exhibits: live::exhibits::exhibits,
    ..Study::EMPTY
};

const NAME: &str = "datacenter";
/// Experiment: TCP, SCTP and go-back-N under random loss.
const LOSS: &str = "random-loss";
/// Experiment: go-back-N under other interpretations of details that the papers leave open.
const GO_BACK_N: &str = "go-back-n";
/// SCTP variants with the same minimum RTO as the TCPs.
const CARRIERS_TODAY: [&str; 2] = [rivals::SCTP_TODAY, SCTP_TODAY_BACK];
const SCTP: &str = "sctp";
const SCTP_BACK: &str = "sctp, go-back-N";
const SCTP_TODAY_BACK: &str = "sctp, today, go-back-N";
/// Minimum RTO in milliseconds: the RFC's, and one better suited to the round trip.
const RTO_MINS: [f64; 2] = [1000.0, 20.0];
/// Minimum RTO of today's variants, milliseconds.
const RTO_MINS_TODAY: [f64; 1] = [200.0];

fn scenario(run: &Run) -> Result<Option<Scenario>, String> {
    match run.experiment.as_str() {
        LOSS | GO_BACK_N => scene::scenario(include_str!("datacenter/scene.toml"), run).map(Some),
        _ if live::is_live(run) => Ok(None),
        other => Err(format!("there is no experiment {other}")),
    }
}

fn looks(run: &Run) -> u32 {
    // Simulated runs at 1 Gb/s are expensive.
    if live::is_live(run) { LOOKS } else { 2 }
}

fn execute(run: &Run) -> Result<Measured, String> {
    let Some(scenario) = scenario(run)? else {
        return live::execute(run);
    };
    let mut finished = network::run(&scenario, run.seed)?;
    let measured = network::delivered(&finished);
    let measured = sent_again(&mut finished, measured);
    Ok(match run.settings.number("loss_percent") {
        0.0 => measured.without_chance(),
        _ => measured,
    })
}

/// Adds the number of SCTP's retransmissions.
fn sent_again(run: &mut scenario::Run, measured: Measured) -> Measured {
    let client = run.flow("main").map(|flow| flow.client);
    let program = client.and_then(|id| run.world.agent_mut::<Program<Sctp, Bulk>>(id));
    let Some(assoc) = program.and_then(|program| program.transport_mut().assoc()) else {
        return measured;
    };
    let stats = assoc.stats();
    measured
        .with("retransmissions", stats.retransmissions as f64)
        .with("timeouts", stats.timeouts as f64)
}

#[cfg(test)]
mod tests;
