//! The simulated networks and their traffic.

use core::time::Duration;

use sheave_engine::{
    CongestionAlgorithm, DecreaseTrigger, Heartbeats, Options, Profile, RtoGains, Time,
};
use sheave_sim::scenario::{Flow, FlowKind, FlowWorkload, Scenario};
use sheave_sim::{Arrivals, Bitrate, Discipline, LinkSpec, Outage, Outgoing, Pace, Red, Signal};

use super::plan::{BACK, BUFFER, BULK, GREATER_BUFFER, MODERN, OTHER_MBIT, THERE, Variation};
use super::{CONGESTION, CONGESTION_TODAY, DEATH, SURFACE, TEMPORARY, VARIATION};
use crate::settings::whole;
use crate::studies::network;
use crate::{Run, Settings};

/// One-way delay over two links.
const ONE_WAY: Duration = Duration::from_millis(30);
/// Queue length of a router, packets.
const QUEUE: usize = 20;
const MTU: u16 = 3500;
/// Size of a cross-traffic packet, bytes.
const CROSS: u16 = 1500;
/// Start of the cross traffic, when the association is established, which takes two round trips.
/// Earlier cross traffic would sometimes change the path on which the association is established,
/// and thus the primary path.
const CROSS_AT: Duration = Duration::from_millis(150);
/// When the primary path fails.
pub(super) const DEATH_AT: Duration = Duration::from_secs(10);
/// Start of the temporary congestion.
const SPELL_AT: Duration = Duration::from_secs(5);
/// Duration of the observation.
pub(super) const WATCHED: Duration = Duration::from_secs(150);
/// Duration of the observation if the primary path fails during bulk transfer: longer than the 63 s
/// of six timeouts, with some margin.
pub(super) const DEATH_WATCHED: Duration = Duration::from_secs(80);

pub(super) fn scenario(run: &Run) -> Result<Scenario, String> {
    let settings = &run.settings;
    match run.experiment.as_str() {
        CONGESTION | CONGESTION_TODAY | SURFACE | VARIATION => Ok(congested(settings)),
        TEMPORARY => Ok(spell(settings)),
        DEATH => Ok(dying(settings)),
        other => Err(format!("there is no experiment {other}")),
    }
}

fn mbit(rate: f64) -> Bitrate {
    Bitrate(whole(rate * 1e6))
}

fn ms(settings: &Settings, name: &str) -> Duration {
    Duration::from_secs_f64(settings.number(name) / 1000.0)
}

/// The paper's 100 messages against cross traffic, which is constant if bursts have no pauses.
fn congested(settings: &Settings) -> Scenario {
    let mut scenario = two_paths(settings, network::messages(4000, 100, 1));
    let interval = interval(settings, settings.number("burst_load"));
    let arrivals = match ms(settings, "off_ms") {
        Duration::ZERO => Arrivals::Poisson { mean: interval },
        off => Arrivals::OnOff {
            interval,
            on: ms(settings, "on_ms"),
            off,
        },
    };
    cross(&mut scenario, CROSS_AT, arrivals, None);
    scenario
}

/// A greedy sender whose primary path is overloaded temporarily.
fn spell(settings: &Settings) -> Scenario {
    let mut scenario = two_paths(settings, network::bulk(4000, 1, None));
    scenario.duration = WATCHED;
    slow_the_other_path(&mut scenario);
    let mean = interval(settings, settings.number("spell_load"));
    let lasts = Duration::from_secs_f64(settings.number("spell_s"));
    cross(
        &mut scenario,
        SPELL_AT,
        Arrivals::Poisson { mean },
        Some(lasts),
    );
    scenario
}

/// Interval of cross-traffic packets, at `load` times the bottleneck's rate.
fn interval(settings: &Settings, load: f64) -> Duration {
    let rate = settings.number("bottleneck_mbit") * 1e6 * load;
    Duration::from_secs_f64(f64::from(CROSS) * 8.0 / rate.max(1.0))
}

/// Adds cross traffic that shares the last link of the primary path.
fn cross(scenario: &mut Scenario, start: Duration, arrivals: Arrivals, lasts: Option<Duration>) {
    scenario.hosts.push("X".to_owned());
    // Faster than any bottleneck, so that it adds no delay.
    let wire = LinkSpec::new(Bitrate::mbit(10_000), Duration::ZERO);
    scenario
        .links
        .push(network::links("cross", ["X", "R1"], wire.clone(), wire));
    scenario.flows.push(Flow {
        name: "cross".to_owned(),
        from: "X".to_owned(),
        to: "B".to_owned(),
        start,
        start_spread: Duration::ZERO,
        kind: FlowKind::Udp {
            len: CROSS,
            arrivals,
            lasts,
        },
    });
}

fn slow_the_other_path(scenario: &mut Scenario) {
    for pair in &mut scenario.links {
        if pair.name == "far2" {
            pair.there.pace = Pace::Constant(mbit(OTHER_MBIT));
        }
    }
}

/// Messages at a constant rate, or a greedy sender, when the primary path fails.
fn dying(settings: &Settings) -> Scenario {
    let mut scenario = match settings.text("workload") {
        BULK => {
            let mut scenario = two_paths(settings, network::bulk(4000, 1, None));
            scenario.duration = DEATH_WATCHED;
            scenario
        }
        _ => {
            let outgoing = Outgoing {
                len: 1000,
                count: 1000,
                streams: 1,
                arrivals: Some(Arrivals::Constant {
                    interval: Duration::from_millis(100),
                }),
            };
            two_paths(settings, FlowWorkload::Messages(outgoing))
        }
    };
    slow_the_other_path(&mut scenario);
    let mean = interval(settings, settings.number("burst_load"));
    cross(
        &mut scenario,
        CROSS_AT,
        Arrivals::Poisson { mean },
        Some(DEATH_AT),
    );
    let outage = Outage {
        from: Time::ZERO + DEATH_AT,
        until: Time::MAX,
    };
    let cut = settings.text("cut");
    for pair in scenario.links.iter_mut().filter(|pair| pair.name == "far1") {
        if cut != BACK {
            pair.there.outages = vec![outage];
        }
        if cut != THERE {
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
    // The host's own queue holds as much as the window allows.
    let near = LinkSpec {
        mtu: MTU.into(),
        ..LinkSpec::new(Bitrate::mbit(1000), Duration::ZERO)
    };
    let fast = wire(Bitrate::mbit(1000), ONE_WAY);
    let bottleneck = match settings.number("bottleneck_mbit") {
        0.0 => Bitrate::mbit(1000),
        rate => mbit(rate),
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
    match settings.text("rule") {
        MODERN => today(settings),
        _ => then(settings),
    }
}

/// The congestion control of the paper's modified runs; `usual` for the standard ones.
fn congestion(settings: &Settings, usual: CongestionAlgorithm) -> CongestionAlgorithm {
    let early = |trigger| CongestionAlgorithm::EarlyDecrease {
        trigger,
        factor: 144,
    };
    match settings.text("algorithm") {
        "heartbeat" => early(DecreaseTrigger::Heartbeat),
        "always" => early(DecreaseTrigger::Always),
        _ => usual,
    }
}

/// Path.Max.Retrans if it is swept.
fn path_max_retrans(settings: &Settings) -> Option<u32> {
    settings.value("path_max_retrans")?;
    Some(settings.whole("path_max_retrans"))
}

/// Options of Sheave's default profile.
fn today(settings: &Settings) -> Options {
    let usual = Profile::default().options();
    Options {
        congestion: congestion(settings, usual.congestion),
        path_max_retrans: path_max_retrans(settings).unwrap_or(usual.path_max_retrans),
        initial_pmtu: MTU,
        ..usual
    }
}

/// Options with the paper's parameters.
fn then(settings: &Settings) -> Options {
    let (variation, rule) = (Variation::of(settings), settings.text("rule"));
    let usual = match variation {
        Variation::Rfc2960 => Profile::Rfc2960.options(),
        _ => Profile::Rfc9260.options(),
    };
    let heartbeat = match variation {
        Variation::Heartbeats => Duration::from_secs(1),
        _ => Duration::from_secs(60),
    };
    Options {
        congestion: congestion(settings, CongestionAlgorithm::NewReno),
        path_max_retrans: path_max_retrans(settings).unwrap_or(usual.path_max_retrans),
        heartbeats: Heartbeats::Every(heartbeat),
        initial_pmtu: MTU,
        receive_buffer: match variation {
            Variation::Buffer => GREATER_BUFFER,
            _ => BUFFER,
        },
        rto_min: match variation {
            Variation::RtoMin => Duration::from_millis(500),
            _ if rule.ends_with("RTO.Min 0.1 s") => Duration::from_millis(100),
            _ => usual.rto_min,
        },
        potentially_failed_max_retrans: (rule == "RFC 7829").then_some(0),
        rto_gains: if rule.starts_with("adaptive RTO") {
            RtoGains::Adaptive
        } else {
            RtoGains::Fixed
        },
        ..usual
    }
}
