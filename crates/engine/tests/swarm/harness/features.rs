//! Effect of the options of a plan that take more than an assignment. All numbers are accepted; those out of range
//! are clamped.

use core::time::Duration;

use sheave_engine::wire::ChunkType;
use sheave_engine::{
    Authentication, AuthenticationOptions, BufferSizes, ChunkSet, Heartbeats, HmacAlgorithm, KeyId,
    Options, PathMtuDiscovery, PeerRequests, Profile, Reconfiguration, SharedKey, StreamScheduler,
};

use super::plan::{End, Plan};
use super::verbs::Kind;

pub(crate) fn ms(millis: u32) -> Duration {
    Duration::from_millis(millis.into())
}

/// The options of an end. Items that contradict earlier ones are ignored.
pub(crate) fn options(plan: &Plan, end: End) -> Options {
    let mut options = base();
    for item in plan.items.iter().filter(|item| item.end == end) {
        let before = options.clone();
        match item.verb().kind {
            Kind::Option(set) => set(&mut options, item.args[0]),
            Kind::Words(name, words) => {
                let mut words = words.split_whitespace();
                let last = words.clone().last();
                let word = words.nth(item.args[0] as usize).or(last);
                let set = options.set(name, word.unwrap_or_default());
                set.expect("a word of the option");
            }
            Kind::World | Kind::Net | Kind::Act => continue,
        }
        if options.validate().is_err() {
            options = before;
        }
    }
    options
}

/// Base options, with short times so that runs waste little.
fn base() -> Options {
    Options {
        rto_initial: ms(300),
        rto_min: ms(100),
        rto_max: ms(2000),
        heartbeats: Heartbeats::Every(ms(5000)),
        max_inbound_streams: 64,
        ..Profile::Rfc9260.options()
    }
}

pub(crate) fn profile(options: &mut Options, value: u32) {
    let profile = match value {
        0 => Profile::Linux,
        1 => Profile::Telecom,
        2 => Profile::Datacenter,
        3 => Profile::Modern,
        4 => Profile::Rfc2960,
        _ => Profile::Rfc9260,
    };
    *options = Options {
        rto_max: ms(2000),
        rto_min: profile.options().rto_min.min(ms(500)),
        rto_initial: profile.options().rto_initial.min(ms(1000)),
        max_inbound_streams: 64,
        ..profile.options()
    };
}

pub(crate) fn rto_shifts(options: &mut Options, value: u32) {
    options.rto_alpha_shift = 1 + (value % 4) as u8;
    options.rto_beta_shift = 1 + (value / 4 % 4) as u8;
}

pub(crate) fn heartbeats(options: &mut Options, value: u32) {
    options.heartbeats = match value {
        0 => Heartbeats::Off,
        interval => Heartbeats::Every(ms(interval.clamp(100, 30_000))),
    };
}

pub(crate) fn reconfiguration(options: &mut Options, value: u32) {
    let each = [
        PeerRequests::RESET_INCOMING,
        PeerRequests::RESET_OUTGOING,
        PeerRequests::RESET_TSNS,
        PeerRequests::ADD_INCOMING,
        PeerRequests::ADD_OUTGOING,
    ];
    let chosen = (0..).zip(each).filter(|(bit, _)| value >> bit & 1 != 0);
    let all = chosen.fold(PeerRequests::NONE, |all, (_, one)| all.union(one));
    options.reconfiguration = Reconfiguration::On(all);
}

/// The secret of a key, the same at both ends.
pub(crate) fn secret(key: u32) -> Vec<u8> {
    match key {
        0 => Vec::new(),
        key => format!("the secret of key {key}").into_bytes(),
    }
}

/// Bits 0 and 1: which chunks; bit 2: which algorithm is liked better; bit 3: which key is active.
pub(crate) fn authentication(options: &mut Options, value: u32) {
    let chunks = match value & 3 {
        0 => AuthenticationOptions::default().chunks,
        1 => ChunkSet::of([ChunkType::DATA, ChunkType::I_DATA, ChunkType::SACK]),
        2 => ChunkSet::all(),
        _ => {
            let mut chunks = ChunkSet::all();
            chunks.insert(ChunkType::COOKIE_ECHO);
            chunks
        }
    };
    let mut algorithms = vec![HmacAlgorithm::Sha256, HmacAlgorithm::Sha1];
    if value & 4 != 0 {
        algorithms.reverse();
    }
    options.authentication = Authentication::On(Box::new(AuthenticationOptions {
        chunks,
        algorithms,
        keys: [0, 1]
            .map(|id| SharedKey::new(KeyId(id as u16), secret(id)))
            .into(),
        active: KeyId((value >> 3 & 1) as u16),
        ..AuthenticationOptions::default()
    }));
}

/// Which path for new data, which for lost chunks, whether buffers are split, and which coupling.
pub(crate) fn multipath(options: &mut Options, value: u32) {
    let value = value as usize;
    let schedulers = ["lowest-rtt", "largest-window", "round-robin"];
    let retransmissions = ["largest-window", "largest-threshold", "same"];
    let couplings = [
        "uncoupled",
        "pooled-thresholds",
        "pooled-rates",
        "linked-increases",
    ];
    for (name, word) in [
        ("multipath", "concurrent"),
        ("path_scheduler", schedulers[value % 3]),
        ("retransmission_path", retransmissions[value / 3 % 3]),
        ("buffer_splitting", ["off", "even"][value / 9 % 2]),
        ("coupling", couplings[value / 18 % 4]),
    ] {
        options.set(name, word).expect("a word of the option");
    }
}

pub(crate) fn scheduler(value: u32) -> StreamScheduler {
    match value {
        0 => StreamScheduler::RoundRobin,
        1 => StreamScheduler::RoundRobinPerPacket,
        2 => StreamScheduler::Priority,
        3 => StreamScheduler::FairBandwidth,
        4 => StreamScheduler::WeightedFairQueueing,
        _ => StreamScheduler::FirstCome,
    }
}

pub(crate) fn plpmtud(options: &mut Options, value: u32) {
    let max = value.clamp(576, 9000) as u16;
    options.path_mtu_discovery = PathMtuDiscovery::Plpmtud { max };
}

pub(crate) fn receive_buffer(options: &mut Options, value: u32) {
    options.receive_buffer = value as usize;
    options.partial_delivery_point = options.partial_delivery_point.min(value as usize / 2);
}

pub(crate) fn auto_buffers(options: &mut Options, value: u32) {
    options.buffers = BufferSizes::Auto {
        max: value as usize,
    };
}
