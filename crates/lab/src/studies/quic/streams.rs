//! Messages on many streams over a network that loses packets.

use core::time::Duration;

use sheave_engine::Options;
use sheave_sim::scenario::{FlowWorkload, Run as Simulated, Scenario};
use sheave_sim::{Arrivals, Bitrate, Errors, LinkSpec, Outgoing, Probability};

use super::{QUIC, SCTP, TCP, network, versus};
use crate::{Effort, Measured, Quantity, Settings};

pub(super) const STREAMS: &str = "streams";

/// Metrics: the delay of a message from its creation to its delivery, seconds.
pub(super) const MEAN: &str = "delay_mean_s";
pub(super) const P95: &str = "delay_p95_s";
pub(super) const P99: &str = "delay_p99_s";

/// Size of a message, bytes.
const LEN: usize = 500;
/// Number of messages.
const COUNT: u64 = 4000;
/// Time between two messages.
const INTERVAL: Duration = Duration::from_millis(15);
/// Round-trip time, milliseconds.
const RTT_MS: u64 = 50;
/// Rate of the link, Mb/s.
const MBIT: u64 = 10;
/// Number of streams that judges.
pub(super) const MANY: u16 = 16;

pub(super) fn quantities() -> Vec<Quantity> {
    vec![
        ("streams_len", LEN.to_string()),
        ("streams_count", COUNT.to_string()),
        ("streams_interval_ms", INTERVAL.as_millis().to_string()),
        ("streams_rtt_ms", RTT_MS.to_string()),
        ("streams_mbit", MBIT.to_string()),
        ("streams_many", MANY.to_string()),
    ]
}

pub(super) fn settings(effort: Effort) -> Vec<Settings> {
    let losses = effort.choose(vec![0.5, 1.0, 3.0], vec![0.0, 0.5, 1.0, 2.0, 3.0, 5.0]);
    let counts = effort.choose(vec![1_u16, MANY], vec![1, 2, 4, 8, MANY, 64]);
    let mut all = Vec::new();
    for loss_percent in losses {
        let cell = Settings::new().with("loss_percent", loss_percent);
        all.push(cell.clone().with("side", TCP).with("streams", 1_u16));
        for streams in &counts {
            let cell = cell.clone().with("streams", *streams);
            all.extend([SCTP, QUIC].map(|side| cell.clone().with("side", side)));
        }
    }
    all
}

pub(super) fn scenario(settings: &Settings) -> Result<Scenario, String> {
    let streams = settings.whole("streams");
    let work = FlowWorkload::Messages(Outgoing {
        len: LEN,
        count: COUNT,
        streams,
        arrivals: Some(Arrivals::Constant { interval: INTERVAL }),
    });
    let loss = Probability::new(settings.number("loss_percent") / 100.0);
    let link = LinkSpec {
        mtu: 1500,
        loss: Errors::Uniform(loss),
        queue: network::packets(100),
        ..LinkSpec::new(Bitrate::mbit(MBIT), Duration::from_millis(RTT_MS / 2))
    };
    let lasts = INTERVAL * u32::try_from(COUNT).unwrap_or(u32::MAX) * 4;
    let mut scenario = network::scenario(STREAMS, lasts);
    scenario.links = vec![network::links("link", ["A", "B"], link.clone(), link)];
    scenario.flows = vec![match settings.text("side") {
        SCTP => {
            let options = Options {
                outbound_streams: streams,
                ..Options::default()
            };
            network::sctp(options, work)
        }
        other => versus::flow(other, work)?,
    }];
    Ok(scenario)
}

pub(super) fn measured(run: &Simulated) -> Measured {
    let measured = network::delays(run, network::delivered(run));
    let there = run.links.iter().map(|(there, _)| {
        let there = run.world.link_stats(*there);
        there.bytes_sent
    });
    measured.with(versus::BYTES, there.sum::<u64>() as f64)
}
