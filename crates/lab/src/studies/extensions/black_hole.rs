//! Path MTU discovery on a path whose MTU shrinks during the transfer.

mod claims;
mod exhibits;

use core::time::Duration;

use sheave_engine::{Options, PathMtuDiscovery, Profile, Time};
use sheave_sim::scenario::Run as Simulated;
use sheave_sim::scenario::{FlowKind, Scenario};
use sheave_sim::{Bitrate, LinkSpec, LongPackets, Narrowing, Sink, VantagePoint};

use super::part::Part;
use crate::studies::{network, rivals};
use crate::{Effort, Measured, Quantity, Run, Series, Settings};

pub(super) const PART: Part = Part {
    experiment: BLACK_HOLE,
    quantities,
    plan,
    scenario,
    execute,
    rules: claims::rules,
    exhibits: exhibits::exhibits,
};

const BLACK_HOLE: &str = "black-hole";

/// The transports in display order.
const TRANSPORTS: [&str; 5] = [DISCOVERS, PLAIN, rivals::RFC, rivals::THEN, rivals::TODAY];
const DISCOVERS: &str = "sctp, discovery on";
const PLAIN: &str = "sctp, discovery off";

/// Treatment of packets that are too long for the narrow link.
const ROUTERS: [&str; 3] = [SILENT, REPORTS, DROPS];
const SILENT: &str = "fragments, silent";
const REPORTS: &str = "fragments, reports";
const DROPS: &str = "drops all";

/// Path MTU before and after the change, bytes.
const WIDE: u32 = 1500;
const NARROW: [u32; 2] = [1280, 1400];
/// Time at which the path MTU shrinks, seconds.
const NARROWS_AT: u64 = 10;
/// Duration of the run, seconds.
const LASTS: u64 = 40;
/// Bytes delivered after the change that count as recovery; more than the queue holds.
const AGAIN: u64 = 1_000_000;

fn quantities() -> Vec<Quantity> {
    vec![
        ("wide", WIDE.to_string()),
        ("narrows_at_s", NARROWS_AT.to_string()),
        ("narrow", NARROW[0].to_string()),
        ("less_narrow", NARROW[1].to_string()),
        ("black_hole_s", LASTS.to_string()),
    ]
}

fn plan(effort: Effort) -> Vec<Settings> {
    let narrow: Vec<u32> = effort.choose(vec![NARROW[0]], NARROW.to_vec());
    let mut plan = Vec::new();
    for mtu in narrow {
        for router in ROUTERS {
            plan.extend(TRANSPORTS.map(|transport| {
                Settings::new()
                    .with("mtu", mtu)
                    .with("router", router)
                    .with("transport", transport)
            }));
        }
    }
    plan
}

fn scenario(settings: &Settings) -> Result<Scenario, String> {
    let long_packets = match settings.text("router") {
        SILENT => LongPackets::Fragmented,
        REPORTS => LongPackets::Reported,
        DROPS => LongPackets::Dropped,
        other => return Err(format!("there is no router that {other}")),
    };
    let mtu = settings.whole("mtu");
    let wire = LinkSpec {
        mtu: WIDE,
        ..LinkSpec::new(Bitrate::mbit(100), Duration::from_millis(1))
    };
    let narrowing = LinkSpec {
        mtu: WIDE,
        narrowing: Some(Narrowing {
            from: Time::from_millis(1000 * NARROWS_AT),
            mtu,
        }),
        long_packets,
        queue: network::packets(100),
        ..LinkSpec::new(Bitrate::mbit(10), Duration::from_millis(20))
    };
    let work = network::bulk(8000, 1, None);
    let flow = match settings.text("transport") {
        DISCOVERS => network::sctp(options(PathMtuDiscovery::Plpmtud { max: 9000 }), work),
        PLAIN => network::sctp(options(PathMtuDiscovery::Off), work),
        name if rivals::ALL.contains(&name) => network::tcp(rivals::options(name), work),
        other => return Err(format!("there is no transport {other}")),
    };
    let mut scenario = network::scenario(BLACK_HOLE, Duration::from_secs(LASTS));
    scenario.routers = vec!["R".to_owned()];
    scenario.links = vec![
        network::links("wire", ["A", "R"], wire.clone(), wire),
        network::links("narrow", ["R", "B"], narrowing.clone(), narrowing),
    ];
    scenario.flows = vec![flow];
    Ok(scenario)
}

fn options(path_mtu_discovery: PathMtuDiscovery) -> Options {
    Options {
        path_mtu_discovery,
        ..Profile::Rfc9260.options()
    }
}

fn execute(run: &Run) -> Result<Measured, String> {
    let scenario = scenario(&run.settings)?;
    let is_sctp = matches!(&scenario.flows[0].kind, FlowKind::Sctp { .. });
    let mut simulated = network::built(&scenario, run.seed)?;
    let delivered = |simulated: &Simulated| simulated.sink("main").map_or(0, Sink::bytes);
    let (mut points, mut before, mut last) = (Vec::new(), 0, 0);
    let mut again = None;
    for tenth in 1..=LASTS * 10 {
        simulated.world.run_until(Time::from_millis(100 * tenth));
        let now = delivered(&simulated);
        if tenth == NARROWS_AT * 10 {
            before = now;
        }
        if tenth > NARROWS_AT * 10 && again.is_none() && now >= before + AGAIN {
            again = Some(tenth as f64 / 10.0 - NARROWS_AT as f64);
        }
        if tenth % 10 == 0 {
            points.push((tenth as f64 / 10.0, (now - last) as f64 * 8e-6));
            last = now;
        }
    }
    let mbit = |bytes: u64, seconds: u64| bytes as f64 * 8e-6 / seconds as f64;
    let end = delivered(&simulated);
    let tail: f64 = points.iter().rev().take(10).map(|(_, mbit)| mbit).sum();
    let mut measured = Measured::new()
        .with("before_mbit_per_s", mbit(before, NARROWS_AT))
        .with("after_mbit_per_s", mbit(end - before, LASTS - NARROWS_AT))
        .with("last_mbit_per_s", tail / 10.0)
        .with("bytes_after", (end - before) as f64);
    if let Some(seconds) = again {
        measured = measured.with("again_s", seconds);
    }
    if is_sctp && let Some(stats) = simulated.sctp_stats("main", VantagePoint::Client) {
        let pmtu = stats.paths.first().map_or(0, |path| path.pmtu);
        measured = measured
            .with("pmtu", f64::from(pmtu))
            .with("timeouts", stats.assoc.timeouts as f64);
    }
    measured.fingerprint = Some(simulated.world.fingerprint().to_string());
    measured.series.push(Series {
        name: "delivered (Mb/s)".to_owned(),
        points,
    });
    Ok(measured)
}

#[cfg(test)]
mod tests;
