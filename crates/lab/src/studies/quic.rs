mod claims;
mod exhibits;
mod radio;
mod streams;

use sheave_sim::scenario::Scenario;

use super::{network, versus};
use crate::quic::{BBR, CUBIC, NEW_RENO, RECEIVE_BUFFER, SEND_BUFFER, is_repeatable};
use crate::{Effort, Measured, Quantity, Run, Settings, Study};

/// The study of SCTP, TCP and QUIC on the same networks.
pub(super) static STUDY: Study = Study {
    name: NAME,
    words: include_str!("quic/words.toml"),
    quantities,
    rules: claims::rules,
    plan,
    scenario: |run| scenario(run).map(Some),
    execute,
    exhibits: exhibits::exhibits,
    ..Study::EMPTY
};

const NAME: &str = "quic";

/// The sides, each with its defaults; QUIC's are those of quinn, with CUBIC.
const SCTP: &str = versus::SCTP;
const TCP: &str = versus::TCP;
const QUIC: &str = CUBIC.name;
const SIDES: [&str; 3] = [SCTP, TCP, QUIC];
/// QUIC with other congestion controls.
const QUIC_BBR: &str = BBR.name;
const QUIC_RENO: &str = NEW_RENO.name;

/// Experiment: each transport alone.
const ALONE: &str = versus::ALONE;
/// Experiment: a transport beside QUIC over one bottleneck.
const SHARED: &str = versus::SHARED;

fn quantities() -> Vec<Quantity> {
    let mib = |bytes: u32| (bytes >> 20).to_string();
    let mut all = vec![
        ("quic_send_mib", mib(SEND_BUFFER)),
        ("quic_receive_mib", mib(RECEIVE_BUFFER)),
    ];
    all.extend(streams::quantities());
    all.extend(radio::quantities());
    all
}

fn plan(effort: Effort) -> Vec<Run> {
    let of = |experiment, settings: Vec<Settings>| {
        let all = settings.into_iter();
        all.flat_map(move |settings| effort.runs(NAME, experiment, settings))
    };
    // Nothing is random where nothing is lost, but in QUIC.
    let certain =
        |run: &Run| run.settings.number("loss_percent") == 0.0 && run.settings.text("side") != QUIC;
    of(ALONE, alone(effort))
        .filter(|run| !certain(run) || run.seed == effort.after + 1)
        .chain(of(SHARED, shared(effort)))
        .chain(of(streams::STREAMS, streams::settings(effort)))
        .chain(of(radio::RADIO, radio::settings(effort)))
        .collect()
}

fn alone(effort: Effort) -> Vec<Settings> {
    let mut all = Vec::new();
    for amount in ["10 kB", "1 MB", "bulk"] {
        for rtt_ms in effort.choose(vec![20_u32, 100], vec![1, 20, 100, 300]) {
            for loss_percent in effort.choose(vec![0.0, 1.0], vec![0.0, 0.1, 1.0, 3.0]) {
                let cell = network(50, rtt_ms, "1 BDP").with("loss_percent", loss_percent);
                let cell = cell.with("amount", amount);
                all.extend(SIDES.map(|side| cell.clone().with("side", side)));
            }
        }
    }
    all
}

fn shared(effort: Effort) -> Vec<Settings> {
    let ways = effort.choose(
        vec![(10, 20), (10, 100)],
        vec![(10, 20), (10, 100), (50, 20), (50, 100)],
    );
    let mut all = Vec::new();
    for (mbit, rtt_ms) in ways {
        for queue in ["1 BDP", "4 BDP", "CoDel"] {
            for rival in [QUIC, QUIC_BBR] {
                let cell = network(mbit, rtt_ms, queue).with("loss_percent", 0_u32);
                let cell = cell.with("rival", rival);
                all.extend(SIDES.map(|side| cell.clone().with("side", side)));
            }
        }
    }
    all
}

fn network(mbit: u32, rtt_ms: u32, queue: &str) -> Settings {
    Settings::new()
        .with("mbit", mbit)
        .with("rtt_ms", rtt_ms)
        .with("queue", queue)
}

fn scenario(run: &Run) -> Result<Scenario, String> {
    match run.experiment.as_str() {
        streams::STREAMS => streams::scenario(&run.settings),
        radio::RADIO => radio::scenario(&run.settings),
        _ => versus::scenario(run)?.ok_or_else(|| "there is no network".to_owned()),
    }
}

fn execute(run: &Run) -> Result<Measured, String> {
    let scenario = scenario(run)?;
    let mut measured = match run.experiment.as_str() {
        streams::STREAMS => streams::measured(&network::run(&scenario, run.seed)?),
        radio::RADIO => network::delivered(&network::run(&scenario, run.seed)?),
        _ => versus::execute(run)?,
    };
    if !is_repeatable(&scenario) {
        measured.fingerprint = None;
    }
    Ok(measured)
}

#[cfg(test)]
mod tests;
