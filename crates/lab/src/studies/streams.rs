mod claims;
mod live;

use core::time::Duration;

use sheave_engine::{Options, Profile};
use sheave_sim::scenario::FlowWorkload;
use sheave_sim::scenario::Scenario;
use sheave_sim::tcp::{self, Congestion};
use sheave_sim::{
    Arrivals, Bitrate, Delay, Errors, LinkSpec, Order, Outgoing, Probability, Variation,
};

use super::{network, rivals};
use crate::settings::whole;
use crate::{Measured, Run, Settings, Study};

/// The study of the number of streams.
pub(super) static STUDY: Study = Study {
    name: NAME,
    words: include_str!("streams/words.toml"),
    paper: include_str!("streams/paper.toml"),
    quantities: rivals::quantities,
    rules: claims::rules,
    runs: include_str!("streams/plan.toml"),
    plan: live::plan,
    scenario: |run| simulated(run).map(|scenario| (!live::is_live(run)).then_some(scenario)),
    live_time: |run| live::is_live(run).then_some(live::TIME),
    take_part: live::take_part,
    execute,
    shown: include_str!("streams/exhibits.toml"),
    experiments: &[(
        "receive-buffer",
        include_str!("streams/receive-buffer.toml"),
    )],
    ..Study::EMPTY
};

const NAME: &str = "streams";
/// Experiment: a file over different delays.
const DELAY: &str = "delay";
/// Experiment: a file over different numbers of streams.
const COUNT: &str = "stream-count";
/// Experiment: messages produced one after the other, over different numbers of streams.
const BLOCKING: &str = "head-of-line";

/// SCTP with the papers' parameters, compared with the [`rivals`].
const SCTP: &str = "sctp";
/// The kernel's TCP in a live run, and its simulated counterpart.
const KERNEL: &str = "tcp";

/// Receive buffer of the paper's kernel, KiB.
const USUAL_KIB: f64 = 64.0;
/// Today's default receive buffer of both transports, KiB.
const KIB_TODAY: f64 = 1024.0;
/// One-way delays for the sweep of losses, milliseconds.
const LOSS_DELAYS: [f64; 2] = [5.0, 50.0];

/// Message size, bytes: one message fills an SCTP packet.
const MESSAGE: u16 = 1448;
/// Message size of a live run and its simulated counterpart, bytes. The packets also have a UDP
/// header, so larger messages would be fragmented.
const LIVE_MESSAGE: u16 = 1440;
/// Size of a message whose delay is measured, bytes.
const SINGLE: usize = 1000;
/// One-way delay for the measurement of message delays, milliseconds.
const SINGLE_DELAY_MS: f64 = 25.0;

fn execute(run: &Run) -> Result<Measured, String> {
    if live::is_live(run) {
        return live::execute(run, &simulated(run)?);
    }
    let finished = network::run(&simulated(run)?, run.seed)?;
    let measured = network::delivered(&finished);
    Ok(network::delays(&finished, measured))
}

fn simulated(run: &Run) -> Result<Scenario, String> {
    match run.experiment.as_str() {
        DELAY | COUNT | live::DELAY | live::COUNT => Ok(file(&run.settings)),
        BLOCKING | live::BLOCKING => Ok(single_messages(&run.settings)),
        other => Err(format!("there is no experiment {other}")),
    }
}

/// A file, sent as messages that are all available at once.
fn file(settings: &Settings) -> Scenario {
    let workload = network::bulk(
        message(settings).into(),
        streams(settings),
        Some(messages(settings)),
    );
    scenario(settings, settings.number("delay_ms"), workload)
}

/// Number of messages in the file.
fn messages(settings: &Settings) -> u64 {
    whole((settings.number("bytes") / f64::from(message(settings))).ceil())
}

/// Size of a file's messages, bytes.
fn message(settings: &Settings) -> u16 {
    match settings.value("how") {
        Some(_) => LIVE_MESSAGE,
        None => MESSAGE,
    }
}

/// Messages produced slowly, one after the other.
fn single_messages(settings: &Settings) -> Scenario {
    let (count, interval) = match settings.value("messages") {
        Some(_) => (settings.whole("messages"), live::INTERVAL),
        None => (1000, Duration::from_millis(20)),
    };
    let outgoing = Outgoing {
        len: SINGLE,
        count,
        streams: streams(settings),
        arrivals: Some(Arrivals::Constant { interval }),
    };
    scenario(settings, SINGLE_DELAY_MS, FlowWorkload::Messages(outgoing))
}

fn streams(settings: &Settings) -> u16 {
    settings.whole::<u16>("streams").max(1)
}

/// Receive buffer size, bytes.
fn receive_buffer(settings: &Settings) -> usize {
    whole(settings.number("buffer_kib") * 1024.0)
}

fn sctp_options(settings: &Settings) -> Options {
    let receive_buffer = receive_buffer(settings);
    let usual = match settings.text("transport") {
        rivals::SCTP_TODAY => Profile::default().options(),
        _ => Profile::Rfc9260.options(),
    };
    Options {
        partial_delivery_point: usual.partial_delivery_point.min(receive_buffer / 2),
        receive_buffer,
        ..usual
    }
}

fn tcp_options(name: &str, settings: &Settings) -> tcp::Options {
    let receive_buffer = receive_buffer(settings);
    let options = match name {
        // Same setting as for the kernel in a live run.
        KERNEL => tcp::Options {
            congestion: Congestion::NewReno,
            ..rivals::options(rivals::TODAY)
        },
        name => rivals::options(name),
    };
    tcp::Options {
        receive_buffer,
        ..options
    }
}

fn scenario(settings: &Settings, delay_ms: f64, workload: FlowWorkload) -> Scenario {
    let base = Duration::from_secs_f64(delay_ms / 1000.0);
    let loss = Probability::new(settings.number("loss_percent") / 100.0);
    let emulated = LinkSpec {
        loss: Errors::Uniform(loss),
        queue: network::packets(100),
        delay: Delay {
            base,
            variation: Variation::Uniform { spread: base / 5 },
            order: Order::Kept,
        },
        ..LinkSpec::new(Bitrate::mbit(100), Duration::ZERO)
    };
    let wire = LinkSpec {
        queue: network::packets(100),
        ..LinkSpec::new(Bitrate::mbit(100), Duration::ZERO)
    };
    let flow = match settings.text("transport") {
        SCTP | rivals::SCTP_TODAY => network::sctp(sctp_options(settings), workload),
        name => network::tcp(tcp_options(name, settings), workload),
    };
    let mut scenario = network::scenario("streams", Duration::from_secs(3600));
    scenario.routers = vec!["R".to_owned()];
    scenario.links = vec![
        network::links("near", ["A", "R"], emulated.clone(), emulated),
        network::links("far", ["R", "B"], wire.clone(), wire),
    ];
    scenario.flows = vec![flow];
    scenario
}

#[cfg(test)]
mod tests;
