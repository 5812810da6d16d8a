//! Loss detection by time instead of miss indications: reordering, lost tails, random losses.

mod claims;
mod exhibits;

use core::time::Duration;

use sheave_engine::{LossDetection, Options, Profile};
use sheave_sim::scenario::{FlowWorkload, Scenario};
use sheave_sim::{
    Arrivals, Bitrate, Errors, LinkSpec, Outgoing, Probability, Reordering, VantagePoint,
};

use super::part::Part;
use crate::studies::network;
use crate::{Effort, Measured, Quantity, Run, Settings};

pub(super) const PART: Part = Part {
    experiment: TIME_AND_TAILS,
    quantities,
    plan,
    scenario,
    execute,
    rules: claims::rules,
    exhibits: exhibits::exhibits,
};

const TIME_AND_TAILS: &str = "time-and-tails";

/// The methods of loss detection.
const DETECTIONS: [&str; 2] = [REPORTS, RACK];
const REPORTS: &str = "missing reports";
const RACK: &str = "rack";

/// The kinds of impairment.
const REORDERING: &str = "reordering";
const TAILS: &str = "short messages, losses";
const LOSSES: &str = "bulk, losses";

/// User data per chunk that fills a packet of 1500 bytes, bytes.
const CHUNK: usize = 1452;
/// Duration of a bulk flow, seconds.
const LASTS: u64 = 20;
/// Additional delay of reordered packets, milliseconds; a quarter of the round trip is 5.
const EXTRA: [u64; 2] = [4, 9];

fn quantities() -> Vec<Quantity> {
    vec![
        ("extra_ms", EXTRA[0].to_string()),
        ("more_extra_ms", EXTRA[1].to_string()),
        ("tails_s", LASTS.to_string()),
    ]
}

fn plan(effort: Effort) -> Vec<Settings> {
    let scene =
        |scene: &str, amount: f64| Settings::new().with("scene", scene).with("amount", amount);
    let mut scenes = vec![scene(TAILS, 1.0), scene(LOSSES, 1.0), scene(LOSSES, 5.0)];
    let extra = effort.choose(EXTRA.to_vec(), vec![1, 2, 4, 6, 9, 15]);
    scenes.extend(extra.into_iter().map(|ms| scene(REORDERING, ms as f64)));
    let all = scenes
        .iter()
        .flat_map(|scene| DETECTIONS.map(|detection| scene.clone().with("detection", detection)));
    all.collect()
}

fn scenario(settings: &Settings) -> Result<Scenario, String> {
    let loss_detection = match settings.text("detection") {
        REPORTS => LossDetection::MissingReports,
        RACK => LossDetection::Rack,
        other => return Err(format!("losses are not found by {other}")),
    };
    let clean = LinkSpec {
        queue: network::packets(1000),
        ..LinkSpec::new(Bitrate::mbit(100), Duration::from_millis(10))
    };
    let amount = settings.number("amount");
    let scene = settings.text("scene");
    let mut there = clean.clone();
    let mut work = network::bulk(CHUNK, 1, None);
    let mut lasts = Duration::from_secs(LASTS);
    match scene {
        REORDERING => {
            there.reordering = Some(Reordering {
                probability: Probability::new(0.05),
                extra: Duration::from_secs_f64(amount / 1000.0),
            });
        }
        LOSSES => there.loss = Errors::Uniform(Probability::new(amount / 100.0)),
        TAILS => {
            there.loss = Errors::Uniform(Probability::new(amount / 100.0));
            lasts = Duration::from_secs(120);
            work = FlowWorkload::Messages(Outgoing {
                len: 10 * CHUNK,
                count: 400,
                streams: 1,
                arrivals: Some(Arrivals::Constant {
                    interval: Duration::from_millis(250),
                }),
            });
        }
        other => return Err(format!("there is no scene {other}")),
    }
    let options = Options {
        loss_detection,
        send_buffer: 8 << 20,
        receive_buffer: 8 << 20,
        ..Profile::Rfc9260.options()
    };
    let mut scenario = network::scenario(TIME_AND_TAILS, lasts);
    scenario.links = vec![network::links("link", ["A", "B"], there, clean)];
    scenario.flows = vec![network::sctp(options, work)];
    Ok(scenario)
}

fn execute(run: &Run) -> Result<Measured, String> {
    let simulated = network::run(&scenario(&run.settings)?, run.seed)?;
    let mut measured = network::delays(&simulated, network::delivered(&simulated));
    let (client, server) = (VantagePoint::Client, VantagePoint::Server);
    if let Some(stats) = simulated.sctp_stats("main", client) {
        let sent: u64 = stats.paths.iter().map(|path| path.chunks_sent).sum();
        measured = measured
            .with("timeouts", stats.assoc.timeouts as f64)
            .with("chunks_sent", sent as f64)
            .with("retransmissions", stats.assoc.retransmissions as f64);
    }
    if let Some(stats) = simulated.sctp_stats("main", server) {
        let needless = stats.assoc.duplicates_received as f64;
        measured = measured.with("needless", needless);
    }
    Ok(measured)
}

#[cfg(test)]
mod tests;
