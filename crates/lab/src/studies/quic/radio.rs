//! Bulk transfers over the radio link of the study `wireless`.

use core::time::Duration;

use sheave_engine::{CongestionAlgorithm, Options};
use sheave_sim::scenario::Scenario;

use super::{QUIC_BBR, QUIC_RENO, SCTP, SIDES, network, versus};
use crate::studies::wireless;
use crate::{Effort, Quantity, Settings};

pub(super) const RADIO: &str = "radio";

/// SCTP with BBR.
pub(super) const SCTP_BBR: &str = "sctp-bbr";

/// User data of a message, bytes: a full packet of SCTP.
const MESSAGE: usize = 1452;
/// Duration of a run.
const LASTS: Duration = Duration::from_secs(60);

pub(super) fn quantities() -> Vec<Quantity> {
    vec![
        ("radio_message", MESSAGE.to_string()),
        ("radio_s", LASTS.as_secs().to_string()),
    ]
}

pub(super) fn settings(effort: Effort) -> Vec<Settings> {
    let betas = effort.choose(vec![0.05, 0.25], vec![0.0, 0.01, 0.05, 0.1, 0.25, 0.5]);
    let mut all = Vec::new();
    for beta in betas {
        let cell = Settings::new()
            .with("beta", beta)
            .with("reading", "gilbert-exponential");
        let others = [SCTP_BBR, QUIC_BBR, QUIC_RENO];
        let sides = SIDES.into_iter().chain(others);
        all.extend(sides.map(|side| cell.clone().with("side", side)));
    }
    all
}

pub(super) fn scenario(settings: &Settings) -> Result<Scenario, String> {
    let mut scenario = network::scenario(RADIO, LASTS);
    wireless::add_way(&mut scenario, settings, 1);
    let work = network::bulk(MESSAGE, 1, None);
    scenario.flows = vec![match settings.text("side") {
        SCTP_BBR => {
            let options = Options {
                congestion: CongestionAlgorithm::Bbr,
                ..Options::default()
            };
            network::sctp(options, work)
        }
        SCTP => network::sctp(Options::default(), work),
        other => versus::flow(other, work)?,
    }];
    Ok(scenario)
}
