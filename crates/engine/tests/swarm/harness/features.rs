//! Effect of each option of a plan. All numbers are accepted; those out of range are clamped.

use core::time::Duration;

use sheave_engine::wire::ChunkType;
use sheave_engine::{
    AddressChanges, Admission, Authentication, AuthenticationOptions, BufferSizes, BufferSplitting,
    Bundling, ChunkChecksum, ChunkSet, Coalescing, ConcurrentTransfer, CongestionAlgorithm,
    Coupling, DecreaseTrigger, DeliverySacks, EarlyData, ExplicitCongestion, Failover,
    FastRecoveryAtTimeout, FastRetransmissions, FirstHeartbeat, Heartbeats, HmacAlgorithm,
    Interleaving, KeyId, LossDetection, LossRecovery, MessageParts, Multipath, Options, Pacing,
    PacketDropReports, PartialReliability, PathMtuDiscovery, PathScheduler, PeerRequests, Profile,
    Reconfiguration, RestartPorts, RetransmissionPath, RtoGains, SackStart, SelectiveAcks,
    SharedKey, SpuriousTimeouts, StreamScheduler, WindowRules, ZeroChecksum,
};

use super::plan::{End, Plan};
use super::verbs::Kind;

fn ms(millis: u32) -> Duration {
    Duration::from_millis(millis.into())
}

/// The options of an end. Items that contradict earlier ones are ignored.
pub(crate) fn options(plan: &Plan, end: End) -> Options {
    let mut options = base();
    for item in plan.items.iter().filter(|item| item.end == end) {
        if let Kind::Option(set) = item.verb().kind {
            let before = options.clone();
            set(&mut options, item.args[0]);
            if options.validate().is_err() {
                options = before;
            }
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

pub(crate) fn rto_initial(options: &mut Options, value: u32) {
    options.rto_initial = ms(value.clamp(10, 3000));
}

pub(crate) fn rto_min(options: &mut Options, value: u32) {
    options.rto_min = ms(value.clamp(10, 2000));
}

pub(crate) fn rto_max(options: &mut Options, value: u32) {
    options.rto_max = ms(value.clamp(200, 4000));
}

pub(crate) fn rto_shifts(options: &mut Options, value: u32) {
    options.rto_alpha_shift = 1 + (value % 4) as u8;
    options.rto_beta_shift = 1 + (value / 4 % 4) as u8;
}

pub(crate) fn rto_gains(options: &mut Options, _: u32) {
    options.rto_gains = RtoGains::Adaptive;
}

pub(crate) fn max_burst(options: &mut Options, value: u32) {
    options.max_burst = (value > 0).then_some(value as u16);
}

pub(crate) fn cookie_life(options: &mut Options, value: u32) {
    options.valid_cookie_life = ms(value.clamp(10, 60_000));
}

pub(crate) fn association_max_retrans(options: &mut Options, value: u32) {
    options.association_max_retrans = value.clamp(1, 20);
}

pub(crate) fn path_max_retrans(options: &mut Options, value: u32) {
    options.path_max_retrans = value;
}

pub(crate) fn potentially_failed(options: &mut Options, value: u32) {
    options.potentially_failed_max_retrans = value.checked_sub(1);
}

pub(crate) fn switchover(options: &mut Options, value: u32) {
    options.primary_switchover_max_retrans = Some(value);
}

pub(crate) fn max_init(options: &mut Options, value: u32) {
    options.max_init_retransmits = value.min(12);
}

pub(crate) fn heartbeats(options: &mut Options, value: u32) {
    options.heartbeats = match value {
        0 => Heartbeats::Off,
        interval => Heartbeats::Every(ms(interval.clamp(100, 30_000))),
    };
}

pub(crate) fn hb_max_burst(options: &mut Options, value: u32) {
    options.hb_max_burst = value as u8;
}

pub(crate) fn sack_delay(options: &mut Options, value: u32) {
    options.sack_delay = ms(value.min(500));
}

pub(crate) fn sack_frequency(options: &mut Options, value: u32) {
    options.sack_frequency = value as u8;
}

pub(crate) fn nagle(options: &mut Options, _: u32) {
    options.coalescing = Coalescing::Nagle;
}

pub(crate) fn ecn(options: &mut Options, _: u32) {
    options.ecn = ExplicitCongestion::On;
}

pub(crate) fn congestion(options: &mut Options, value: u32) {
    let trigger = DecreaseTrigger::Always;
    options.congestion = match value {
        0 => CongestionAlgorithm::Cubic,
        1 => CongestionAlgorithm::HighSpeed,
        2 => CongestionAlgorithm::Bbr,
        3 => CongestionAlgorithm::Dctcp,
        4 => CongestionAlgorithm::EcnDiscrimination,
        5 => CongestionAlgorithm::EarlyDecrease {
            trigger: DecreaseTrigger::Heartbeat,
            factor: 144,
        },
        6 => CongestionAlgorithm::EarlyDecrease {
            trigger,
            factor: 144,
        },
        _ => CongestionAlgorithm::NewReno,
    };
}

pub(crate) fn pacing(options: &mut Options, _: u32) {
    options.pacing = Pacing::On;
}

pub(crate) fn standing_queue(options: &mut Options, value: u32) {
    options.standing_queue = Some(ms(value.clamp(1, 10_000)));
}

pub(crate) fn window_rules(options: &mut Options, value: u32) {
    options.window_rules = match value {
        0 => WindowRules::Rfc2960,
        1 => WindowRules::Rfc6928,
        2 => WindowRules::SlowStartL8,
        _ => WindowRules::HyStart,
    };
}

pub(crate) fn missing_reports(options: &mut Options, value: u32) {
    options.missing_reports = value as u8;
}

pub(crate) fn fast_retransmissions(options: &mut Options, _: u32) {
    options.fast_retransmissions = FastRetransmissions::OtherPath;
}

pub(crate) fn fast_recovery_at_timeout(options: &mut Options, _: u32) {
    options.fast_recovery_at_timeout = FastRecoveryAtTimeout::Lasts;
}

pub(crate) fn dead_peer(options: &mut Options, value: u32) {
    options.dead_peer_timeout = (value > 0).then_some(ms(value));
}

pub(crate) fn first_heartbeat(options: &mut Options, _: u32) {
    options.first_heartbeat = FirstHeartbeat::AtRandom;
}

pub(crate) fn sack_start(options: &mut Options, value: u32) {
    options.sack_start = match value {
        0 => SackStart::Delayed,
        _ => SackStart::Quick,
    };
}

pub(crate) fn spurious_timeouts(options: &mut Options, value: u32) {
    options.spurious_timeouts = match value {
        0 => SpuriousTimeouts::Kept,
        _ => SpuriousTimeouts::Undone,
    };
}

pub(crate) fn failover(options: &mut Options, value: u32) {
    options.failover = match value {
        0 => Failover::Timeouts,
        _ => Failover::RoundTrips,
    };
}

pub(crate) fn rack(options: &mut Options, _: u32) {
    options.loss_detection = LossDetection::Rack;
}

pub(crate) fn go_back_n(options: &mut Options, _: u32) {
    options.loss_recovery = LossRecovery::GoBackN;
}

pub(crate) fn nr_sack(options: &mut Options, _: u32) {
    options.selective_acks = SelectiveAcks::NonRenegable;
}

pub(crate) fn chunk_checksum(options: &mut Options, _: u32) {
    options.chunk_checksum = ChunkChecksum::On;
}

pub(crate) fn zero_checksum(options: &mut Options, value: u32) {
    options.zero_checksum = match value {
        0 => ZeroChecksum::Dtls,
        _ => ZeroChecksum::Memory,
    };
}

pub(crate) fn packet_drop(options: &mut Options, _: u32) {
    options.packet_drop_reports = PacketDropReports::On;
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

pub(crate) fn partial_reliability(options: &mut Options, _: u32) {
    options.partial_reliability = PartialReliability::On;
}

pub(crate) fn interleaving(options: &mut Options, _: u32) {
    options.interleaving = Interleaving::On;
}

pub(crate) fn multipath(options: &mut Options, value: u32) {
    options.multipath = Multipath::Concurrent(ConcurrentTransfer {
        scheduler: match value % 3 {
            0 => PathScheduler::LowestRtt,
            1 => PathScheduler::LargestWindow,
            _ => PathScheduler::RoundRobin,
        },
        retransmissions: match value / 3 % 3 {
            0 => RetransmissionPath::LargestWindow,
            1 => RetransmissionPath::LargestThreshold,
            _ => RetransmissionPath::Same,
        },
        splitting: match value / 9 % 2 {
            0 => BufferSplitting::Off,
            _ => BufferSplitting::Even,
        },
        coupling: match value / 18 % 4 {
            0 => Coupling::Uncoupled,
            1 => Coupling::PooledThresholds,
            2 => Coupling::PooledRates,
            _ => Coupling::LinkedIncreases,
        },
    });
}

pub(crate) fn restart_ports(options: &mut Options, _: u32) {
    options.restart_ports = RestartPorts::Any;
}

pub(crate) fn address_changes(options: &mut Options, value: u32) {
    options.address_changes = match value {
        0 => AddressChanges::Unauthenticated,
        _ => AddressChanges::On,
    };
}

pub(crate) fn adaptation(options: &mut Options, value: u32) {
    options.adaptation_indication = Some(value);
}

pub(crate) fn spare_full(options: &mut Options, _: u32) {
    options.bundling = Bundling::SpareFullChunks;
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

pub(crate) fn scheduler_option(options: &mut Options, value: u32) {
    options.scheduler = scheduler(value);
}

pub(crate) fn early_data(options: &mut Options, value: u32) {
    options.early_data = match value {
        0 => EarlyData::Off,
        1 => EarlyData::WithCookie,
        _ => EarlyData::FirstWindow,
    };
}

pub(crate) fn delivery_sacks(options: &mut Options, _: u32) {
    options.delivery_sacks = DeliverySacks::Always;
}

pub(crate) fn admission(options: &mut Options, _: u32) {
    options.admission = Admission::WhileNotFull;
}

pub(crate) fn redundancy(options: &mut Options, value: u32) {
    options.redundancy = Some(value);
}

pub(crate) fn message_parts(options: &mut Options, _: u32) {
    options.message_parts = MessageParts::Together;
}

pub(crate) fn plpmtud(options: &mut Options, value: u32) {
    let max = value.clamp(576, 9000) as u16;
    options.path_mtu_discovery = PathMtuDiscovery::Plpmtud { max };
}

pub(crate) fn initial_pmtu(options: &mut Options, value: u32) {
    options.initial_pmtu = value.clamp(512, 1500) as u16;
}

pub(crate) fn outbound_streams(options: &mut Options, value: u32) {
    options.outbound_streams = value as u16;
}

pub(crate) fn inbound_streams(options: &mut Options, value: u32) {
    options.max_inbound_streams = value as u16;
}

pub(crate) fn send_buffer(options: &mut Options, value: u32) {
    options.send_buffer = value as usize;
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

pub(crate) fn partial_delivery(options: &mut Options, value: u32) {
    options.partial_delivery_point = value as usize;
}
