mod attacker;
mod bits;
mod blind;
mod claims;
mod clients;
mod exhibits;
mod flood;
mod memory;
mod opener;
mod opening;
mod pair;
mod scene;
mod server;
mod service;

use crate::{Effort, Measured, Run, Settings, Study};

/// The study of the four-way handshake, the verification tag and the checksum.
pub(super) static STUDY: Study = Study {
    name: NAME,
    words: include_str!("establishment/words.toml"),
    quantities: scene::quantities,
    rules: claims::rules,
    plan,
    execute,
    exhibits: exhibits::exhibits,
    ..Study::EMPTY
};

const NAME: &str = "establishment";
/// Experiment: a flood of packets passed to the server directly.
const FLOOD: &str = "flood";
/// Experiment: a flood over a line shared with honest clients.
const LINE: &str = "flood-over-line";
const BLIND: &str = "blind";
const BITS: &str = "bit-errors";

fn plan(effort: Effort) -> Vec<Run> {
    let hostile = effort.choose(200_000.0, 1_000_000.0);
    let damaged = effort.choose(100_000.0, 1_000_000.0);
    let mut plan = Vec::new();
    let mut want = |experiment: &str, settings: Settings| {
        plan.extend(effort.runs(NAME, experiment, settings));
    };
    for transport in ["sctp", "tcp"] {
        let one = Settings::new().with("transport", transport);
        want(FLOOD, one.clone().with("packets", hostile));
        for rate in scene::rates(effort) {
            want(LINE, one.clone().with("flood_per_s", rate));
        }
    }
    want(BLIND, Settings::new().with("packets", hostile));
    for bits in 1..=16_u16 {
        let settings = Settings::new().with("packets", damaged);
        want(BITS, settings.with("wrong_bits", bits));
    }
    plan
}

fn execute(run: &Run) -> Result<Measured, String> {
    let packets = run.settings.whole("packets");
    let over_tcp = run.settings.text("transport") == "tcp";
    let per_second = run.settings.number("flood_per_s");
    match run.experiment.as_str() {
        FLOOD if over_tcp => flood::tcp(packets, run.seed),
        FLOOD => flood::sctp(packets, run.seed),
        LINE if over_tcp => scene::tcp(per_second, run.seed),
        LINE => scene::sctp(per_second, run.seed),
        BLIND => blind::run(packets, run.seed),
        BITS => Ok(bits::run(
            packets,
            run.settings.number("wrong_bits"),
            run.seed,
        )),
        other => Err(format!("there is no experiment {other}")),
    }
}

#[cfg(test)]
mod tests;
