//! Stream schedulers and interleaving: small messages that compete with large ones.

mod claims;
mod exhibits;

use core::time::Duration;

use sheave_engine::{Interleaving, Options, Profile, Time};
use sheave_sim::scenario::{FlowWorkload, Scenario};
use sheave_sim::{Arrivals, Bitrate, LinkSpec, Outgoing, Receipt, Sink, UrgentAndBulk};

use super::part::Part;
use crate::studies::network;
use crate::{Effort, Measured, Quantity, Run, Settings};

pub(super) const PART: Part = Part {
    experiment: URGENT,
    quantities,
    plan,
    scenario,
    execute,
    rules: claims::rules,
    exhibits: exhibits::exhibits,
};

const URGENT: &str = "urgent-messages";

/// The schedulers, by their names in the engine.
const SCHEDULERS: [&str; 2] = [FIRST_COME, PRIORITY];
const FIRST_COME: &str = "first-come";
const PRIORITY: &str = "priority";

/// Whether fragments of different messages may alternate.
const CHUNKS: [&str; 2] = [DATA, I_DATA];
const DATA: &str = "DATA";
const I_DATA: &str = "I-DATA";

/// Link rates, Mbit/s.
const RATES: [u32; 2] = [100, 1000];
/// Sizes of large messages, bytes.
const BULKS: [u32; 2] = [64 << 10, 1 << 20];
/// Most bytes of large messages in the sender, waiting or unacknowledged.
const DEPTH: u32 = 4 << 20;
/// Size of a small message, bytes.
const SMALL: usize = 100;
/// Number of urgent messages.
const COUNT: u32 = 400;
/// First urgent message that is measured; earlier ones coincide with slow start.
const FIRST: u64 = 40;
/// Bytes in flight, per Mbit/s of link rate.
const WINDOW: u32 = 1000;

fn quantities() -> Vec<Quantity> {
    vec![
        ("small_count", COUNT.to_string()),
        ("small_bytes", SMALL.to_string()),
        ("small_first", FIRST.to_string()),
        ("window_bytes", WINDOW.to_string()),
    ]
}

fn plan(effort: Effort) -> Vec<Settings> {
    let depths = effort.choose(vec![DEPTH], vec![DEPTH, 4 * DEPTH]);
    let mut all = Vec::new();
    for depth in depths {
        for rate in RATES {
            for bulk in BULKS {
                for scheduler in SCHEDULERS {
                    all.extend(CHUNKS.map(|chunks| {
                        Settings::new()
                            .with("depth", depth)
                            .with("mbit", rate)
                            .with("bulk", bulk)
                            .with("scheduler", scheduler)
                            .with("chunks", chunks)
                    }));
                }
            }
        }
    }
    all
}

/// Mean time between small messages, seconds.
fn interval(settings: &Settings) -> f64 {
    1.0 / settings.number("mbit")
}

fn scenario(settings: &Settings) -> Result<Scenario, String> {
    let name = settings.text("scheduler");
    let interleaving = match settings.text("chunks") {
        DATA => Interleaving::Off,
        I_DATA => Interleaving::On,
        other => return Err(format!("there are no chunks {other}")),
    };
    let [rate, bulk, depth] = ["mbit", "bulk", "depth"].map(|name| settings.whole::<u32>(name));
    let link = LinkSpec {
        queue: network::packets(1000),
        ..LinkSpec::new(Bitrate::mbit(rate.into()), Duration::from_micros(500))
    };
    let mut options = Options {
        interleaving,
        // Leaves enough room that small messages are never refused.
        send_buffer: (depth + (1 << 20)) as usize,
        receive_buffer: (WINDOW * rate) as usize,
        partial_delivery_point: 16 << 10,
        ..Profile::Rfc9260.options()
    };
    (options.set("scheduler", name)).map_err(|error| error.to_string())?;
    let urgent = Outgoing {
        len: SMALL,
        count: COUNT.into(),
        streams: 1,
        arrivals: Some(Arrivals::Poisson {
            mean: Duration::from_secs_f64(interval(settings)),
        }),
    };
    let work = FlowWorkload::UrgentAndBulk(UrgentAndBulk {
        urgent,
        bulk: bulk as usize,
        depth: depth as usize,
    });
    // Time to drain the remaining data, at most twice the depth of the send queue.
    let drains = 2.0 * f64::from(depth) * 8e-6 / f64::from(rate);
    let lasts = 2.0 * f64::from(COUNT) * interval(settings) + drains + 1.0;
    let mut scenario = network::scenario(URGENT, Duration::from_secs_f64(lasts));
    scenario.links = vec![network::links("link", ["A", "B"], link.clone(), link)];
    scenario.flows = vec![network::sctp(options, work)];
    Ok(scenario)
}

fn execute(run: &Run) -> Result<Measured, String> {
    let mut simulated = network::built(&scenario(&run.settings)?, run.seed)?;
    // The sender always has large messages between these two times.
    let busy = f64::from(COUNT) * interval(&run.settings);
    let at = |share: f64| Time::ZERO + Duration::from_secs_f64(busy * share);
    simulated.world.run_until(at(0.2));
    let before = simulated.sink("main").map_or(0, Sink::bytes);
    simulated.world.run_until(at(0.8));
    let bytes = simulated.sink("main").map_or(0, Sink::bytes) - before;
    simulated.world.run_to_completion(simulated.end);
    let Some(sink) = simulated.sink("main") else {
        return Err("nobody received".to_owned());
    };
    let counted = sink
        .receipts()
        .iter()
        .filter(|receipt| receipt.number >= FIRST);
    let delays = counted.map(Receipt::delay).map(|delay| delay.as_secs_f64());
    let measured = Measured::new()
        .with("messages", sink.receipts().len() as f64)
        .with("bulk_mbit_per_s", bytes as f64 * 8e-6 / (busy * 0.6));
    let mut measured = network::with_delays(delays.collect(), measured);
    for quantile in ["p50", "p99"] {
        if let Some(delay) = measured
            .metrics
            .get(&format!("delay_{quantile}_s"))
            .copied()
        {
            measured = measured.with(&format!("{quantile}_ms"), delay * 1e3);
        }
    }
    measured.fingerprint = Some(simulated.world.fingerprint().to_string());
    Ok(measured)
}

#[cfg(test)]
mod tests;
