mod claims;
mod live;

use core::time::Duration;

use sheave_engine::{LossRecovery, Options, Profile};
use sheave_sim::scenario::{self, Scenario};
use sheave_sim::{Bitrate, Bulk, Errors, LinkSpec, Probability, Program, Sctp, tcp};

use super::{network, rivals};
use crate::{LOOKS, Measured, Run, Settings, Study};

/// Compares SCTP with TCP in a data centre.
pub(super) static STUDY: Study = Study {
    name: NAME,
    words: include_str!("datacenter/words.toml"),
    paper: include_str!("datacenter/paper.toml"),
    quantities: rivals::quantities,
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
/// SCTP with the papers' SACK frequency.
const SCTP_PER_7: &str = "sctp, SACK per 7";
const SCTP_BACK: &str = "sctp, go-back-N";
const SCTP_TODAY_BACK: &str = "sctp, today, go-back-N";
/// Minimum RTO in milliseconds: the RFC's, and one better suited to the round trip.
const RTO_MINS: [f64; 2] = [1000.0, 20.0];
/// Minimum RTO in milliseconds: the RFC's, and that of the TCP used for judging.
const RTO_MINS_BESIDE_TCP: [f64; 2] = [1000.0, 200.0];
/// Minimum RTO of today's variants, milliseconds.
const RTO_MINS_TODAY: [f64; 1] = [200.0];

/// Message size, bytes.
const MESSAGE: usize = 12_000;
/// One-way delay.
const ONE_WAY: Duration = Duration::from_micros(51);
/// Receive buffer size, bytes.
const BUFFER: usize = 256 << 10;

fn scenario(run: &Run) -> Result<Option<Scenario>, String> {
    match run.experiment.as_str() {
        LOSS | GO_BACK_N => Ok(Some(lossy(&run.settings))),
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

fn lossy(settings: &Settings) -> Scenario {
    let loss = Probability::new(settings.number("loss_percent") / 100.0);
    let link = LinkSpec {
        loss: Errors::Uniform(loss),
        queue: network::packets(100),
        ..LinkSpec::new(Bitrate::mbit(1000), ONE_WAY)
    };
    let rto_min = Duration::from_secs_f64(settings.number("rto_min_ms") / 1000.0);
    let workload = network::bulk(MESSAGE, 1, None);
    let flow = match settings.text("variant") {
        variant if rivals::ALL.contains(&variant) => network::tcp(tcp_options(variant), workload),
        variant => network::sctp(variant_options(variant, settings, rto_min), workload),
    };
    let duration = Duration::from_secs_f64(settings.number("duration_s"));
    let mut scenario = network::scenario("random loss", duration);
    scenario.links = vec![network::links("wire", ["A", "B"], link.clone(), link)];
    scenario.flows = vec![flow];
    scenario
}

/// The options of an SCTP variant.
fn variant_options(variant: &str, settings: &Settings, rto_min: Duration) -> Options {
    let mut options = match CARRIERS_TODAY.contains(&variant) {
        true => with_buffers(Profile::default().options()),
        false => sctp_options(rto_min),
    };
    match variant {
        SCTP_PER_7 => {
            options.sack_frequency = Profile::Datacenter.options().sack_frequency;
        }
        SCTP_BACK | SCTP_TODAY_BACK => options.loss_recovery = LossRecovery::GoBackN,
        _ => {}
    }
    if settings.value("buffer_kib").is_some() {
        let buffer = settings.whole::<usize>("buffer_kib") << 10;
        options.receive_buffer = buffer;
        options.send_buffer = buffer;
        options.missing_reports = settings.whole("missing_reports");
    }
    options
}

fn tcp_options(name: &str) -> tcp::Options {
    tcp::Options {
        receive_buffer: BUFFER,
        send_buffer: BUFFER,
        ..rivals::options(name)
    }
}

fn sctp_options(rto_min: Duration) -> Options {
    with_buffers(Options {
        rto_min,
        rto_initial: rto_min.max(Duration::from_millis(100)),
        ..Profile::Rfc9260.options()
    })
}

fn with_buffers(options: Options) -> Options {
    Options {
        receive_buffer: BUFFER,
        send_buffer: BUFFER,
        ..options
    }
}

#[cfg(test)]
mod tests;
