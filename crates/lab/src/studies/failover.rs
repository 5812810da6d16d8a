mod claims;
mod exhibits;
mod measure;
mod plan;

use core::time::Duration;

use sheave_engine::{CongestionAlgorithm, DecreaseTrigger, Heartbeats, Options, RtoGains, Time};
use sheave_sim::scenario::{Flow, FlowKind, FlowWorkload, Scenario};
use sheave_sim::{Arrivals, Bitrate, Discipline, LinkSpec, Outage, Outgoing, Red, Signal};

use super::network;
use crate::{Claim, Drawing, Effort, Exhibit, Measured, Parameter, Run, Settings, Study, Summary};

/// What early decrease does for a multi-homed association on a congested path.
#[derive(Debug)]
pub(super) struct Failover;

const NAME: &str = "failover";
/// The paper's comparison, under the cross traffic that was found.
const CONGESTION: &str = "congestion";
/// The search for that cross traffic.
const SURFACE: &str = "surface";
/// The primary path dies.
const DEATH: &str = "death";

/// One way, over two links.
const ONE_WAY: Duration = Duration::from_millis(30);
/// Packets that a router keeps.
const QUEUE: usize = 20;
const MTU: u16 = 3500;
/// Bytes of a packet of cross traffic.
const CROSS: u16 = 1500;
/// When the primary path dies.
const DEATH_AT: Duration = Duration::from_secs(2);

impl Study for Failover {
    fn name(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        "Multi-homing: failover under congestion"
    }

    fn about(&self) -> &'static str {
        "The paper lets a multi-homed association send 100 messages of 4000 bytes, and cuts the \
         congestion window by the factor 0.144 before a loss would halve it (early decrease). \
         Where the congestion comes from it does not say: over its links of 1 Gb/s the transfer \
         would take a second and lose nothing. Here bursts of cross traffic meet the association \
         on the primary path's last link. Its rate and the length of the bursts were found by a \
         search for what brings the standard algorithm near the paper's standard column (the \
         surface below), and were then left alone."
    }

    fn drawing(&self) -> Drawing {
        Drawing::path(&[
            ("A", "1 Gb/s"),
            ("router 1 + bursts", "bottleneck, 30 ms"),
            ("B", ""),
        ])
        .and_path(&[("A", "1 Gb/s"), ("router 2", "1 Gb/s, 30 ms"), ("B", "")])
    }

    fn parameters(&self) -> Vec<Parameter> {
        plan::parameters()
    }

    fn plan(&self, effort: Effort) -> Vec<Run> {
        plan::plan(effort)
    }

    fn scenario(&self, run: &Run) -> Result<Option<Scenario>, String> {
        scenario(run).map(Some)
    }

    fn execute(&self, run: &Run) -> Result<Measured, String> {
        let finished = network::run_watched(&scenario(run)?, run.seed)?;
        let measured = network::delays(&finished, network::delivered(&finished));
        if run.experiment == DEATH {
            return Ok(measure::death(&finished, measured));
        }
        let measured = measure::transfer(&finished, measured);
        if run.experiment == CONGESTION && run.seed == 1 {
            return Ok(measure::course(&finished, measured));
        }
        Ok(measured)
    }

    fn claims(&self) -> Vec<Claim> {
        claims::claims()
    }

    fn exhibits(&self, summary: &Summary) -> Vec<Exhibit> {
        exhibits::exhibits(summary)
    }
}

fn scenario(run: &Run) -> Result<Scenario, String> {
    match run.experiment.as_str() {
        CONGESTION | SURFACE => Ok(congested(&run.settings)),
        DEATH => Ok(dying(&run.settings)),
        other => Err(format!("there is no experiment {other}")),
    }
}

fn ms(settings: &Settings, name: &str) -> Duration {
    Duration::from_secs_f64(settings.number(name) / 1000.0)
}

/// 100 messages against bursts of cross traffic.
fn congested(settings: &Settings) -> Scenario {
    let mut scenario = two_paths(settings, network::messages(4000, 100, 1));
    let burst = settings.number("bottleneck_mbit") * settings.number("burst_load") * 1e6;
    scenario.hosts.push("X".to_owned());
    let wire = LinkSpec::new(Bitrate::mbit(1000), Duration::ZERO);
    scenario
        .links
        .push(network::links("cross", ["X", "R1"], wire.clone(), wire));
    scenario.flows.push(Flow {
        name: "cross".to_owned(),
        from: "X".to_owned(),
        to: "B".to_owned(),
        start: Duration::ZERO,
        kind: FlowKind::Udp {
            len: CROSS,
            arrivals: Arrivals::OnOff {
                interval: Duration::from_secs_f64(f64::from(CROSS) * 8.0 / burst),
                on: ms(settings, "on_ms"),
                off: ms(settings, "off_ms"),
            },
            lasts: None,
        },
    });
    scenario
}

/// Messages at a constant rate while the primary path dies.
fn dying(settings: &Settings) -> Scenario {
    let outgoing = Outgoing {
        len: 1000,
        count: 1000,
        streams: 1,
        arrivals: Some(Arrivals::Constant {
            interval: Duration::from_millis(100),
        }),
    };
    let mut scenario = two_paths(settings, FlowWorkload::Messages(outgoing));
    for pair in &mut scenario.links {
        if pair.name == "far1" {
            let outage = Outage {
                from: Time::ZERO + DEATH_AT,
                until: Time::MAX,
            };
            pair.there.outages = vec![outage];
            pair.back.outages = vec![outage];
        }
    }
    scenario
}

fn two_paths(settings: &Settings, workload: FlowWorkload) -> Scenario {
    let queue = match settings.text("queue") {
        "red" => Discipline::Red(Red::for_limit(QUEUE, Signal::Drop)),
        _ => network::packets(QUEUE),
    };
    let wire = |rate: Bitrate, delay: Duration| LinkSpec {
        mtu: MTU.into(),
        queue: queue.clone(),
        ..LinkSpec::new(rate, delay)
    };
    // The host's own queue holds what its window allows.
    let near = LinkSpec {
        mtu: MTU.into(),
        ..LinkSpec::new(Bitrate::mbit(1000), Duration::ZERO)
    };
    let fast = wire(Bitrate::mbit(1000), ONE_WAY);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rate"
    )]
    let bottleneck = match settings.number("bottleneck_mbit") {
        0.0 => Bitrate::mbit(1000),
        mbit => Bitrate((mbit * 1e6) as u64),
    };
    let mut scenario = network::scenario("failover", Duration::from_secs(600));
    scenario.routers = vec!["R1".to_owned(), "R2".to_owned()];
    scenario.links = vec![
        network::links("near1", ["A", "R1"], near.clone(), near.clone()),
        network::links("far1", ["R1", "B"], wire(bottleneck, ONE_WAY), fast.clone()),
        network::links("near2", ["A", "R2"], near.clone(), near),
        network::links("far2", ["R2", "B"], fast.clone(), fast),
    ];
    scenario.flows = vec![network::sctp(options(settings), workload)];
    scenario
}

fn options(settings: &Settings) -> Options {
    let early = |trigger| CongestionAlgorithm::EarlyDecrease {
        trigger,
        factor: 144,
    };
    let congestion = match settings.text("algorithm") {
        "heartbeat" => early(DecreaseTrigger::Heartbeat),
        "always" => early(DecreaseTrigger::Always),
        _ => CongestionAlgorithm::NewReno,
    };
    let usual = Options::default();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a count"
    )]
    let path_max_retrans = match settings.value("path_max_retrans") {
        Some(_) => settings.number("path_max_retrans") as u32,
        None => usual.path_max_retrans,
    };
    Options {
        congestion,
        path_max_retrans,
        heartbeats: Heartbeats::Every(Duration::from_secs(60)),
        initial_pmtu: MTU,
        receive_buffer: 65_535,
        potentially_failed_max_retrans: (settings.text("rule") == "RFC 7829").then_some(0),
        rto_gains: match settings.text("rule") {
            "adaptive RTO" => RtoGains::Adaptive,
            _ => RtoGains::Fixed,
        },
        ..usual
    }
}

#[cfg(test)]
mod tests;
