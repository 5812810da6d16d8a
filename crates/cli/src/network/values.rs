//! What is written behind the options of protocol parameters.

use sheave::{
    BufferSizes, Coalescing, CongestionAlgorithm, Heartbeats, LossDetection, PathMtuDiscovery,
    StreamScheduler,
};

use crate::units::{parse_bytes, parse_duration};

#[derive(Clone, Copy, Debug)]
pub(super) struct MaxBurst(pub(super) Option<u16>);

pub(super) fn parse_congestion(text: &str) -> Result<CongestionAlgorithm, String> {
    CongestionAlgorithm::from_name(text)
        .ok_or_else(|| "expected new-reno, cubic, highspeed, bbr or dctcp".to_owned())
}

pub(super) fn parse_path_mtu_discovery(text: &str) -> Result<PathMtuDiscovery, String> {
    match (text, text.parse()) {
        ("off", _) => Ok(PathMtuDiscovery::Off),
        (_, Ok(max)) => Ok(PathMtuDiscovery::Plpmtud { max }),
        (_, Err(_)) => Err("expected a number of bytes up to 65535, or off".to_owned()),
    }
}

pub(super) fn parse_buffers(text: &str) -> Result<BufferSizes, String> {
    match (text, text.strip_prefix("auto:").map(parse_bytes)) {
        ("fixed", _) => Ok(BufferSizes::Fixed),
        ("auto", _) => Ok(BufferSizes::AUTO),
        (_, Some(Ok(max))) => Ok(BufferSizes::Auto { max: clamp(max) }),
        (_, Some(Err(problem))) => Err(problem),
        (_, None) => Err("expected fixed, auto, or auto:MAX".to_owned()),
    }
}

pub(super) fn parse_loss_detection(text: &str) -> Result<LossDetection, String> {
    match text {
        "missing-reports" => Ok(LossDetection::MissingReports),
        "rack" => Ok(LossDetection::Rack),
        _ => Err("expected missing-reports or rack".to_owned()),
    }
}

pub(super) fn parse_scheduler(text: &str) -> Result<StreamScheduler, String> {
    StreamScheduler::from_name(text).ok_or_else(|| {
        "expected first-come, round-robin, round-robin-per-packet, priority, fair-bandwidth or \
         weighted-fair-queueing"
            .to_owned()
    })
}

pub(super) fn parse_max_burst(text: &str) -> Result<MaxBurst, String> {
    if text == "off" {
        return Ok(MaxBurst(None));
    }
    let packets = text
        .parse()
        .map_err(|_| "expected 1 to 1000, or off".to_owned())?;
    Ok(MaxBurst(Some(packets)))
}

pub(super) fn parse_heartbeats(text: &str) -> Result<Heartbeats, String> {
    if text == "off" {
        return Ok(Heartbeats::Off);
    }
    parse_duration(text).map(Heartbeats::Every)
}

pub(super) fn parse_coalescing(text: &str) -> Result<Coalescing, String> {
    match text {
        "nodelay" => Ok(Coalescing::NoDelay),
        "nagle" => Ok(Coalescing::Nagle),
        _ => Err("expected nodelay or nagle".to_owned()),
    }
}

pub(super) fn clamp(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}
