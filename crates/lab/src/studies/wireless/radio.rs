//! The simulated network of a run.

use core::time::Duration;

use sheave_engine::{
    ChunkChecksum, CongestionAlgorithm, ExplicitCongestion, FastRecoveryAtTimeout,
    FastRetransmissions, Heartbeats, Options, Profile,
};
use sheave_sim::scenario::{Flow, LinkPair, Scenario};
use sheave_sim::{
    Bitrate, Corruption, Discipline, ErrorWarning, Errors, Flips, Gilbert, LinkSpec, Placement,
    Probability, Reading, Red, Signal, State, tcp,
};

use super::plan::{BURST, LASTING_RECOVERY};
use super::{BETA, CAUSE, DAMAGE, LOSS, PERIOD, TRACE, network};
use crate::settings::whole;
use crate::{Run, Setting, Settings};

/// Duration of a run.
pub(super) const SECONDS: f64 = 100.0;
/// Period of each state at scale 1, seconds: the mean, or a constant, depending on the
/// interpretation.
pub(super) const GOOD: f64 = 2.5;
pub(super) const BAD: f64 = 0.5;
/// Probability that each state continues after a period.
pub(super) const GOOD_STAYS: f64 = 0.9;
pub(super) const BAD_STAYS: f64 = 0.3;
/// Queue length of a link, packets.
pub(super) const QUEUE: usize = 50;
/// User data that fills a packet of 1500 bytes, bytes: in a DATA chunk without and with a chunk
/// checksum, and in a TCP segment.
const CHUNK: usize = 1452;
const CHECKED_CHUNK: usize = 1448;
const SEGMENT: usize = 1460;

/// The simulated network and traffic of a run.
pub(super) fn scenario(run: &Run) -> Result<Scenario, String> {
    if ![BETA, PERIOD, LOSS, DAMAGE, CAUSE, TRACE].contains(&run.experiment.as_str()) {
        return Err(format!("there is no experiment {}", run.experiment));
    }
    let settings = &run.settings;
    let seconds = number(settings, "seconds").unwrap_or(SECONDS);
    let mut scenario = network::scenario("wireless", Duration::from_secs_f64(seconds));
    let paths = if settings.text("homing") == "multi" {
        2
    } else {
        1
    };
    for path in 1..=paths {
        add_way(&mut scenario, settings, path);
    }
    scenario.flows = vec![flow(settings)?];
    Ok(scenario)
}

/// Adds a path through a router of its own.
fn add_way(scenario: &mut Scenario, settings: &Settings, path: u8) {
    scenario.routers.push(format!("R{path}"));
    scenario.links.extend(way(settings, path));
}

fn number(settings: &Settings, name: &str) -> Option<f64> {
    match settings.value(name)? {
        Setting::Number(number) => Some(*number),
        Setting::Text(_) => None,
    }
}

/// The wire and the radio link of a path; path 0 is the primary one.
fn way(settings: &Settings, path: u8) -> [LinkPair; 2] {
    let scheme = settings.text("scheme");
    let clean = |mbit, millis| LinkSpec {
        queue: match scheme {
            "ecn-discrimination" => Discipline::Red(Red::for_limit(QUEUE, Signal::Mark)),
            _ => network::packets(QUEUE),
        },
        ..LinkSpec::new(Bitrate::mbit(mbit), Duration::from_millis(millis))
    };
    let (wire, air) = (clean(100, 20), clean(11, 1));
    let loss = Probability::new(settings.number("loss_percent") / 100.0);
    let lossy = LinkSpec {
        loss: if path == 1 {
            Errors::Uniform(loss)
        } else {
            Errors::None
        },
        ..wire.clone()
    };
    let noisy = LinkSpec {
        corruption: corruption(settings),
        error_warning: match scheme {
            "mac-error-warning" => ErrorWarning::On,
            _ => ErrorWarning::Off,
        },
        ..air.clone()
    };
    let back = match settings.text("change") {
        "damage both ways" => LinkSpec {
            corruption: noisy.corruption.clone(),
            ..air
        },
        _ => air,
    };
    let router = format!("R{path}");
    [
        network::links(&format!("wire{path}"), ["A", &router], lossy, wire),
        network::links(&format!("radio{path}"), [&router, "B"], noisy, back),
    ]
}

fn corruption(settings: &Settings) -> Corruption {
    let scale = number(settings, "scale").unwrap_or(1.0);
    let state = |seconds: f64, stay, hit| State {
        period: Duration::from_secs_f64(seconds * scale),
        stay: Probability::new(stay),
        hit: Probability::new(hit),
    };
    let gilbert = Gilbert {
        good: state(GOOD, GOOD_STAYS, 0.0),
        bad: state(BAD, BAD_STAYS, settings.number("beta")),
        reading: match settings.text("reading") {
            "gilbert-periodic" => Reading::Periodic,
            "gilbert-exponential" => Reading::Exponential,
            _ => Reading::Ns2,
        },
    };
    let bits = wrong_bits(settings);
    Corruption::Packets {
        errors: Errors::Gilbert(gilbert),
        flips: Flips {
            least: bits,
            most: bits,
            placement: match settings.text("placement") {
                BURST => Placement::Burst,
                _ => Placement::Scattered,
            },
        },
    }
}

/// Number of bits flipped in a corrupted packet.
fn wrong_bits(settings: &Settings) -> u16 {
    number(settings, "wrong_bits").map_or(1, whole)
}

fn flow(settings: &Settings) -> Result<Flow, String> {
    let bulk = |message| network::bulk(message, 1, None);
    match settings.text("scheme") {
        "tcp" => Ok(network::tcp(tcp_options(), bulk(SEGMENT))),
        "sctp" | "mac-error-warning" => Ok(network::sctp(options(settings), bulk(CHUNK))),
        "ecn-discrimination" => {
            let options = Options {
                congestion: CongestionAlgorithm::EcnDiscrimination,
                ecn: ExplicitCongestion::On,
                ..options(settings)
            };
            Ok(network::sctp(options, bulk(CHUNK)))
        }
        "chunk-checksum" => {
            let options = Options {
                chunk_checksum: ChunkChecksum::On,
                ..options(settings)
            };
            Ok(network::sctp(options, bulk(CHECKED_CHUNK)))
        }
        other => Err(format!("there is no scheme {other}")),
    }
}

/// SCTP's options: the rules of a run, with its changes.
fn options(settings: &Settings) -> Options {
    let profile = (settings.text("rules").parse()).unwrap_or(Profile::Rfc9260);
    let mut options = profile.options();
    match settings.text("change") {
        "RTO.Min 200 ms" => options.rto_min = Duration::from_millis(200),
        "a SACK for each packet" => options.sack_frequency = 1,
        "third missing report" => options.missing_reports = 3,
        "window 1 MiB" => options.receive_buffer = 1 << 20,
        "heartbeats every second" => {
            options.heartbeats = Heartbeats::Every(Duration::from_secs(1));
        }
        "fast retransmissions on the same path" => {
            options.fast_retransmissions = FastRetransmissions::SamePath;
        }
        LASTING_RECOVERY => {
            options.fast_recovery_at_timeout = FastRecoveryAtTimeout::Lasts;
        }
        _ => {}
    }
    options
}

fn tcp_options() -> tcp::Options {
    tcp::Options {
        nagle: tcp::Nagle::Off,
        receive_buffer: 65_536,
        ..tcp::Options::default()
    }
}
