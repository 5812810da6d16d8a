//! The options that a script chooses.

use core::time::Duration;

use sheave_engine::wire::ChunkType;
use sheave_engine::{
    AddressChanges, Authentication, BufferSizes, Bundling, ChunkChecksum, ChunkSet,
    CongestionAlgorithm, ExplicitCongestion, FastRecoveryAtTimeout, FastRetransmissions,
    FirstHeartbeat, Heartbeats, Interleaving, LossDetection, LossRecovery, Options, Pacing,
    PacketDropReports, PartialReliability, PathMtuDiscovery, Profile, SelectiveAcks, SourceShare,
    StreamScheduler, ZeroChecksum,
};
use sheave_engine::{
    BufferSplitting, ConcurrentTransfer, Coupling, Multipath, PathScheduler, RetransmissionPath,
};

use super::script::Script;
use super::{LARGEST, MEMORY};

pub(super) fn options(script: &mut Script<'_>) -> Options {
    let choice = script.byte();
    let mut options = Options {
        rto_initial: Duration::from_millis(100),
        rto_min: Duration::from_millis(20),
        rto_max: Duration::from_secs(1),
        association_max_retrans: 4,
        path_max_retrans: u32::from(choice & 3),
        max_init_retransmits: 3,
        heartbeats: Heartbeats::Off,
        valid_cookie_life: Duration::from_millis(500),
        send_buffer: 20_000,
        receive_buffer: if choice & 4 == 0 { 4096 } else { 16_384 },
        partial_delivery_point: 2000,
        max_message_size: LARGEST,
        outbound_streams: 4,
        max_inbound_streams: if choice & 8 == 0 { 4 } else { u16::MAX },
        ..Profile::Rfc9260.options()
    };
    if choice & 16 != 0 {
        options.heartbeats = Heartbeats::Every(Duration::from_millis(200));
        options.first_heartbeat = FirstHeartbeat::AtRandom;
    }
    if choice & 32 != 0 {
        options.ecn = ExplicitCongestion::On;
    }
    if choice & 64 != 0 {
        extend(script.byte(), &mut options);
        vary(script.byte(), &mut options);
    }
    if choice & 128 != 0 {
        interleave(script.byte(), &mut options);
        if choice & 128 != 0 {
            share_out(script.byte(), &mut options);
        }
    }
    options
}

/// The share of memory that one source may hold. No byte of its own, so that the scripts that are there stay what they are.
pub(super) const fn source_share(options: &Options) -> SourceShare {
    match options.path_max_retrans {
        0 => SourceShare::Bytes(LARGEST),
        1 => SourceShare::All,
        _ => SourceShare::AsMuchAsIsFree,
    }
}

/// Lets messages be interleaved (RFC 8260), and chooses a scheduler.
fn interleave(choice: u8, options: &mut Options) {
    if choice & 1 != 0 {
        options.interleaving = Interleaving::On;
        options.chunk_checksum = ChunkChecksum::Off;
    }
    options.scheduler = scheduler(choice >> 1);
}

pub(super) fn scheduler(choice: u8) -> StreamScheduler {
    match choice & 7 {
        0 => StreamScheduler::FirstCome,
        1 => StreamScheduler::RoundRobin,
        2 => StreamScheduler::RoundRobinPerPacket,
        3 => StreamScheduler::Priority,
        4 => StreamScheduler::FairBandwidth,
        _ => StreamScheduler::WeightedFairQueueing,
    }
}

/// Sends new data on several paths at a time.
fn share_out(choice: u8, options: &mut Options) {
    let transfer = ConcurrentTransfer {
        scheduler: match choice & 3 {
            0 => PathScheduler::LowestRtt,
            1 => PathScheduler::LargestWindow,
            _ => PathScheduler::RoundRobin,
        },
        retransmissions: match choice >> 2 & 3 {
            0 => RetransmissionPath::LargestWindow,
            1 => RetransmissionPath::LargestThreshold,
            _ => RetransmissionPath::Same,
        },
        splitting: match choice >> 4 & 1 {
            0 => BufferSplitting::Even,
            _ => BufferSplitting::Off,
        },
        coupling: match choice >> 5 & 3 {
            0 => Coupling::Uncoupled,
            1 => Coupling::PooledThresholds,
            2 => Coupling::PooledRates,
            _ => Coupling::LinkedIncreases,
        },
    };
    let wanted = Options {
        multipath: Multipath::Concurrent(transfer),
        potentially_failed_max_retrans: (choice & 128 != 0).then_some(0),
        ..options.clone()
    };
    if wanted.validate().is_ok() {
        *options = wanted;
    }
}

/// Switches on what is off unless chosen.
fn extend(choice: u8, options: &mut Options) {
    if choice & 1 != 0 {
        options.zero_checksum = ZeroChecksum::Memory;
    }
    if choice & 2 != 0 {
        options.zero_checksum = ZeroChecksum::Dtls;
    }
    if choice & 4 != 0 {
        options.chunk_checksum = ChunkChecksum::On;
    }
    if choice & 8 != 0 {
        options.loss_recovery = LossRecovery::GoBackN;
    }
    if choice & 16 != 0 {
        options.bundling = Bundling::SpareFullChunks;
        options.packet_drop_reports = PacketDropReports::On;
    }
    if choice & 32 != 0 {
        options.fast_retransmissions = FastRetransmissions::OtherPath;
        options.fast_recovery_at_timeout = FastRecoveryAtTimeout::Lasts;
    }
    if choice & 64 != 0 {
        options.missing_reports = 1;
        // As long as the packets may be that are looked at.
        options.path_mtu_discovery = PathMtuDiscovery::Plpmtud { max: 1500 };
        let mut chunks = ChunkSet::all();
        if choice & 1 != 0 {
            chunks.insert(ChunkType::COOKIE_ECHO);
        }
        options.authentication = Authentication::with_key("fuzz", chunks);
        options.address_changes = AddressChanges::Unauthenticated;
        options.adaptation_indication = Some(7);
        options.partial_reliability = PartialReliability::On;
    }
    if choice & 32 != 0 {
        // What a fuzzer writes is taken, then.
        options.address_changes = AddressChanges::Unauthenticated;
    }
    if choice & 128 != 0 && options.ecn == ExplicitCongestion::On {
        options.congestion = CongestionAlgorithm::EcnDiscrimination;
    }
}

/// Varies loss detection, the window's answer to losses, and how both are reported.
fn vary(choice: u8, options: &mut Options) {
    if choice & 1 != 0 {
        options.loss_detection = LossDetection::Rack;
    }
    if choice & 2 != 0 {
        options.selective_acks = SelectiveAcks::NonRenegable;
    }
    if choice & 4 != 0 {
        options.pacing = Pacing::On;
    }
    if choice & 32 != 0 {
        options.buffers = BufferSizes::Auto { max: MEMORY };
    }
    if choice & 128 != 0 {
        options.dead_peer_timeout = Some(Duration::from_millis(400));
    }
    options.congestion = match choice >> 3 & 3 {
        1 => CongestionAlgorithm::Cubic,
        2 => CongestionAlgorithm::HighSpeed,
        3 if options.ecn == ExplicitCongestion::On => CongestionAlgorithm::Dctcp,
        _ if choice & 64 != 0 => CongestionAlgorithm::Bbr,
        _ => options.congestion,
    };
}
