mod causes;
mod exhibits;
mod live;
mod ns2;
mod pairs;
mod simulated;

use core::time::Duration;

use sheave_sim::scenario::Scenario;

use self::live::packets::PACKETS;
use self::live::{LIVE, packets};
use crate::{LOOKS, Measured, Run, Settings, Study};

/// Compares the simulator with ns-2.
pub(super) static STUDY: Study = Study {
    name: NAME,
    words: include_str!("validation/words.toml"),
    stated: include_str!("validation/rules.toml"),
    runs: include_str!("validation/plan.toml"),
    scenario,
    live_time,
    looks,
    take_part: live::take_part,
    execute,
    exhibits: |_, summary| exhibits::exhibits(summary),
    ..Study::EMPTY
};

const NAME: &str = "validation";
const SCENE: &str = include_str!("validation/scene.toml");
/// Experiment: a greedy sender over one link at different loss rates.
const BULK: &str = "bulk";
/// Experiment: a greedy sender that repeatedly fills a queue.
const SAW_TOOTH: &str = "saw-tooth";
/// Experiment: a greedy sender over a Gilbert channel.
const GILBERT: &str = "gilbert";
/// Experiment: a greedy sender whose primary path fails.
const DYING: &str = "dying";

/// Values of the setting `simulator`.
const SHEAVE: &str = "sheave";
/// Sheave with a fast recovery that continues after a timeout, like ns-2's.
const SHEAVE_LASTING: &str = "sheave, ns-2's fast recovery";
const NS2: &str = "ns-2";

const SCTP: &str = "sctp";
const TCP: &str = "tcp";

/// One-way delay of a link, milliseconds.
const DELAY_MS: u64 = 20;
/// User data per chunk that fills a packet of 1500 bytes, bytes.
const CHUNK: usize = 1452;
/// Payload of a TCP segment that fills a packet of 1500 bytes, bytes.
const SEGMENT: usize = 1460;
/// TCP's receive window, segments.
const SEGMENTS: usize = 44;
/// Start of the measurement, after slow start, seconds.
const WARM: f64 = 10.0;

fn scenario(run: &Run) -> Result<Option<Scenario>, String> {
    match run.settings.text("simulator") {
        _ if run.experiment == LIVE => {
            let scenario = live::scenario(run, 1)?;
            Ok((!live::is_live(run)).then_some(scenario))
        }
        _ if run.experiment == PACKETS => Ok(None),
        SHEAVE | SHEAVE_LASTING => simulated::scenario(run).map(Some),
        _ => Ok(None),
    }
}

fn live_time(run: &Run) -> Option<Duration> {
    match run.experiment == PACKETS {
        true => Some(packets::duration()),
        false => live::is_live(run).then(live::duration),
    }
}

/// More seeds seldom decide a comparison with ns-2, whose differences are close to the bound.
fn looks(run: &Run) -> u32 {
    match [LIVE, PACKETS].contains(&run.experiment.as_str()) {
        true => LOOKS,
        false => 1,
    }
}

fn execute(run: &Run) -> Result<Measured, String> {
    let measured = match run.settings.text("simulator") {
        _ if run.experiment == LIVE => return live::execute(run),
        _ if run.experiment == PACKETS => return packets::execute(run),
        SHEAVE | SHEAVE_LASTING => simulated::execute(run)?,
        NS2 => ns2::execute(run)?,
        other => return Err(format!("there is no simulator {other}")),
    };
    Ok(match is_random(&run.experiment, &run.settings) {
        true => measured,
        false => measured.without_chance(),
    })
}

/// Whether a run is random.
fn is_random(experiment: &str, settings: &Settings) -> bool {
    match experiment {
        BULK => settings.number("loss_percent") > 0.0,
        SAW_TOOTH => false,
        _ => true,
    }
}

/// Time at which the primary path fails, seconds, different for each seed.
fn dies_at(seed: u64) -> f64 {
    WARM + 0.137 * (seed % 32) as f64
}

#[cfg(test)]
mod tests;
