use sheave_engine::{
    Authentication, BufferSizes, ChunkChecksum, ChunkSet, Coalescing, CongestionAlgorithm,
    ExplicitCongestion, Heartbeats, Interleaving, LossDetection, LossRecovery, Options, Pacing,
    PacketDropReports, PathMtuDiscovery, Profile, Reliability, SelectiveAcks, StreamScheduler,
};
use toml::Value;

use super::multipath;
use super::quantity::{self, Expected};
use super::section::Section;
use super::{Problem, ScenarioError, set};

/// The protocol parameters: a profile and what differs from it, by the engine's names.
pub(super) fn options(mut section: Section<'_>) -> Result<Options, ScenarioError> {
    let profile = section.optional("profile", profile)?.unwrap_or_default();
    let mut options = profile.options();
    let durations = [
        ("rto_initial", &mut options.rto_initial),
        ("rto_min", &mut options.rto_min),
        ("rto_max", &mut options.rto_max),
        ("valid_cookie_life", &mut options.valid_cookie_life),
        ("sack_delay", &mut options.sack_delay),
    ];
    for (key, option) in durations {
        set(&mut section, key, option, quantity::duration)?;
    }
    let counts = [
        (
            "association_max_retrans",
            &mut options.association_max_retrans,
        ),
        ("path_max_retrans", &mut options.path_max_retrans),
        ("max_init_retransmits", &mut options.max_init_retransmits),
    ];
    for (key, option) in counts {
        set(&mut section, key, option, quantity::count)?;
    }
    let small = [
        ("rto_alpha_shift", &mut options.rto_alpha_shift),
        ("rto_beta_shift", &mut options.rto_beta_shift),
        ("hb_max_burst", &mut options.hb_max_burst),
        ("sack_frequency", &mut options.sack_frequency),
        ("missing_reports", &mut options.missing_reports),
    ];
    for (key, option) in small {
        set(&mut section, key, option, quantity::count)?;
    }
    let limits = [
        (
            "potentially_failed_max_retrans",
            &mut options.potentially_failed_max_retrans,
        ),
        (
            "primary_switchover_max_retrans",
            &mut options.primary_switchover_max_retrans,
        ),
    ];
    for (key, option) in limits {
        set(&mut section, key, option, limit)?;
    }
    let streams = [
        ("outbound_streams", &mut options.outbound_streams),
        ("max_inbound_streams", &mut options.max_inbound_streams),
    ];
    for (key, option) in streams {
        set(&mut section, key, option, quantity::count)?;
    }
    let sizes = [
        ("send_buffer", &mut options.send_buffer),
        ("receive_buffer", &mut options.receive_buffer),
        ("max_message_size", &mut options.max_message_size),
        (
            "partial_delivery_point",
            &mut options.partial_delivery_point,
        ),
    ];
    for (key, option) in sizes {
        set(&mut section, key, option, quantity::bytes)?;
    }
    set(
        &mut section,
        "initial_pmtu",
        &mut options.initial_pmtu,
        quantity::bytes,
    )?;
    set(&mut section, "max_burst", &mut options.max_burst, max_burst)?;
    set(
        &mut section,
        "heartbeats",
        &mut options.heartbeats,
        heartbeats,
    )?;
    let words = [
        ("no-delay", Coalescing::NoDelay),
        ("nagle", Coalescing::Nagle),
    ];
    if let Some(coalescing) = section.word("coalescing", &words)? {
        options.coalescing = coalescing;
    }
    let words = [
        ("off", ExplicitCongestion::Off),
        ("on", ExplicitCongestion::On),
    ];
    if let Some(ecn) = section.word("ecn", &words)? {
        options.ecn = ecn;
    }
    set(
        &mut section,
        "congestion",
        &mut options.congestion,
        congestion,
    )?;
    let words = [("off", Pacing::Off), ("on", Pacing::On)];
    if let Some(pacing) = section.word("pacing", &words)? {
        options.pacing = pacing;
    }
    let words = [
        ("renegable", SelectiveAcks::Renegable),
        ("non-renegable", SelectiveAcks::NonRenegable),
    ];
    if let Some(acks) = section.word("selective_acks", &words)? {
        options.selective_acks = acks;
    }
    let words = [
        ("missing-reports", LossDetection::MissingReports),
        ("rack", LossDetection::Rack),
    ];
    if let Some(detection) = section.word("loss_detection", &words)? {
        options.loss_detection = detection;
    }
    let words = [
        ("selective", LossRecovery::Selective),
        ("go-back-n", LossRecovery::GoBackN),
    ];
    if let Some(recovery) = section.word("loss_recovery", &words)? {
        options.loss_recovery = recovery;
    }
    let words = [("off", ChunkChecksum::Off), ("on", ChunkChecksum::On)];
    if let Some(checksum) = section.word("chunk_checksum", &words)? {
        options.chunk_checksum = checksum;
    }
    let words = [
        ("off", PacketDropReports::Off),
        ("on", PacketDropReports::On),
    ];
    if let Some(reports) = section.word("packet_drop_reports", &words)? {
        options.packet_drop_reports = reports;
    }
    set(&mut section, "buffers", &mut options.buffers, buffers)?;
    if let Some(discovery) = section.optional("path_mtu_discovery", path_mtu_discovery)? {
        options.path_mtu_discovery = discovery;
    }
    let words = [("off", Interleaving::Off), ("on", Interleaving::On)];
    if let Some(interleaving) = section.word("interleaving", &words)? {
        options.interleaving = interleaving;
    }
    let words = [
        ("first-come", StreamScheduler::FirstCome),
        ("round-robin", StreamScheduler::RoundRobin),
        (
            "round-robin-per-packet",
            StreamScheduler::RoundRobinPerPacket,
        ),
        ("priority", StreamScheduler::Priority),
        ("fair-bandwidth", StreamScheduler::FairBandwidth),
        (
            "weighted-fair-queueing",
            StreamScheduler::WeightedFairQueueing,
        ),
    ];
    if let Some(scheduler) = section.word("scheduler", &words)? {
        options.scheduler = scheduler;
    }
    let words = [("off", ChunkSet::NONE), ("on", ChunkSet::all())];
    if let Some(chunks) = section.word("authentication", &words)?
        && !chunks.is_empty()
    {
        options.authentication = Authentication::with_key(*b"scenario", chunks);
    }
    multipath::read(&mut section, &mut options)?;
    options.validate().map_err(|error| {
        let problem = Problem::Conflict(error.reason.to_owned());
        ScenarioError::new(&section.at(error.option), problem)
    })?;
    section.finish()?;
    Ok(options)
}

/// How far the ends of a flow go to get a message across: `lifetime` or `max_retransmissions`.
pub(super) fn reliability(section: &mut Section<'_>) -> Result<Reliability, ScenarioError> {
    let lifetime = section.optional("lifetime", quantity::duration)?;
    let most = section.optional("max_retransmissions", quantity::count)?;
    match (lifetime, most) {
        (None, None) => Ok(Reliability::Reliable),
        (Some(lifetime), None) => Ok(Reliability::Timed(lifetime)),
        (None, Some(most)) => Ok(Reliability::Retransmissions(most)),
        (Some(_), Some(_)) => {
            let problem = Problem::Conflict("either this or a lifetime".to_owned());
            Err(ScenarioError::new(
                &section.at("max_retransmissions"),
                problem,
            ))
        }
    }
}

fn profile(value: &Value) -> Result<Profile, Expected> {
    let profile = value.as_str().and_then(Profile::from_name);
    profile.ok_or("a profile: rfc9260, linux, telecom, datacenter or modern")
}

fn congestion(value: &Value) -> Result<CongestionAlgorithm, Expected> {
    let algorithm = value.as_str().and_then(CongestionAlgorithm::from_name);
    algorithm
        .ok_or("a congestion control: new-reno, cubic, highspeed, bbr, dctcp or ecn-discrimination")
}

fn max_burst(value: &Value) -> Result<Option<u16>, Expected> {
    match value.as_str() {
        Some("none") => Ok(None),
        _ => quantity::count(value)
            .map(Some)
            .map_err(|_| "a number of packets, or \"none\""),
    }
}

fn limit(value: &Value) -> Result<Option<u32>, Expected> {
    match value.as_str() {
        Some("none") => Ok(None),
        _ => quantity::count(value)
            .map(Some)
            .map_err(|_| "a number of unanswered sends, or \"none\""),
    }
}

fn path_mtu_discovery(value: &Value) -> Result<PathMtuDiscovery, Expected> {
    match value.as_str() {
        Some("off") => Ok(PathMtuDiscovery::Off),
        Some("on") => Ok(PathMtuDiscovery::Plpmtud {
            max: PathMtuDiscovery::USUAL_MAX,
        }),
        _ => quantity::bytes(value)
            .map(|max| PathMtuDiscovery::Plpmtud { max })
            .map_err(|_| "\"off\", \"on\", or the longest packet to look for, such as \"4000 B\""),
    }
}

fn buffers(value: &Value) -> Result<BufferSizes, Expected> {
    match value.as_str() {
        Some("fixed") => Ok(BufferSizes::Fixed),
        Some("auto") => Ok(BufferSizes::AUTO),
        _ => quantity::bytes(value)
            .map(|max| BufferSizes::Auto { max })
            .map_err(|_| "\"fixed\", \"auto\", or what they grow to, such as \"16 MiB\""),
    }
}

fn heartbeats(value: &Value) -> Result<Heartbeats, Expected> {
    match value.as_str() {
        Some("off") => Ok(Heartbeats::Off),
        _ => quantity::duration(value)
            .map(Heartbeats::Every)
            .map_err(|_| "a time, such as \"30 s\", or \"off\""),
    }
}
