mod attacker;
mod bits;
mod blind;
mod clients;
mod flood;
mod opener;
mod opening;
mod scene;
mod server;
mod service;

use crate::{Measured, Run, Study};

/// The study of the four-way handshake, the verification tag and the checksum.
pub(super) static STUDY: Study = Study {
    name: NAME,
    words: include_str!("establishment/words.toml"),
    quantities: scene::quantities,
    stated: include_str!("establishment/rules.toml"),
    runs: include_str!("establishment/plan.toml"),
    execute,
    shown: include_str!("establishment/exhibits.toml"),
    ..Study::EMPTY
};

const NAME: &str = "establishment";
/// Experiment: a flood of packets passed to the server directly.
const FLOOD: &str = "flood";
/// Experiment: a flood over a line shared with honest clients.
const LINE: &str = "flood-over-line";
const BLIND: &str = "blind";
const BITS: &str = "bit-errors";

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
