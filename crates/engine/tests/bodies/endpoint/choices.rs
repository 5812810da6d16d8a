//! The options that a script chooses.

use core::time::Duration;

use sheave_engine::wire::ChunkType;
use sheave_engine::{
    Authentication, BufferSizes, ChunkSet, CongestionAlgorithm, ExplicitCongestion, Heartbeats,
    Options, Profile, SourceShare, StreamScheduler,
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
    let by_bit = [
        (16, "heartbeats=200 ms, first_heartbeat=at-random"),
        (32, "ecn=on"),
    ];
    set_chosen(&mut options, choice, &by_bit);
    if choice & 64 != 0 {
        extend(script.byte(), &mut options);
        vary(script.byte(), &mut options);
    }
    if choice & 128 != 0 {
        interleave(script.byte(), &mut options);
        share_out(script.byte(), &mut options);
    }
    options
}

/// Sets the options that the bits of a choice stand for, as `name=value, name=value`.
fn set_chosen(options: &mut Options, choice: u8, by_bit: &[(u8, &str)]) {
    for (_, texts) in by_bit.iter().filter(|(bit, _)| choice & bit != 0) {
        set(options, texts);
    }
}

fn set(options: &mut Options, texts: &str) {
    for text in texts.split(", ") {
        let (name, value) = text.split_once('=').expect("a name and a value");
        options.set(name, value).expect("an option");
    }
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
    set_chosen(
        options,
        choice,
        &[(1, "interleaving=on, chunk_checksum=off")],
    );
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
    let number = usize::from(choice);
    let scheduler = ["lowest-rtt", "largest-window", "round-robin", "round-robin"][number & 3];
    let lost = ["largest-window", "largest-threshold", "same", "same"][number >> 2 & 3];
    let splitting = ["even", "off"][number >> 4 & 1];
    let couplings = [
        "uncoupled",
        "pooled-thresholds",
        "pooled-rates",
        "linked-increases",
    ];
    let coupling = couplings[number >> 5 & 3];
    let mut wanted = options.clone();
    set(&mut wanted, "multipath=concurrent");
    set(
        &mut wanted,
        &format!("path_scheduler={scheduler}, retransmission_path={lost}"),
    );
    set(
        &mut wanted,
        &format!("buffer_splitting={splitting}, coupling={coupling}"),
    );
    wanted.potentially_failed_max_retrans = (choice & 128 != 0).then_some(0);
    if wanted.validate().is_ok() {
        *options = wanted;
    }
}

/// Switches on what is off unless chosen.
fn extend(choice: u8, options: &mut Options) {
    let by_bit = [
        (1, "zero_checksum=memory"),
        (2, "zero_checksum=dtls"),
        (4, "chunk_checksum=on"),
        (8, "loss_recovery=go-back-n"),
        (16, "bundling=spare-full-chunks, packet_drop_reports=on"),
        (
            32,
            "fast_retransmissions=other-path, fast_recovery_at_timeout=lasts",
        ),
        // What a fuzzer writes is taken, then.
        (32, "address_changes=unauthenticated"),
        // As long as the packets may be that are looked at.
        (64, "missing_reports=1, path_mtu_discovery=on:1500 B"),
        (
            64,
            "address_changes=unauthenticated, adaptation_indication=7, partial_reliability=on",
        ),
    ];
    set_chosen(options, choice, &by_bit);
    if choice & 64 != 0 {
        let mut chunks = ChunkSet::all();
        if choice & 1 != 0 {
            chunks.insert(ChunkType::COOKIE_ECHO);
        }
        options.authentication = Authentication::with_key("fuzz", chunks);
    }
    if choice & 128 != 0 && options.ecn == ExplicitCongestion::On {
        options.congestion = CongestionAlgorithm::EcnDiscrimination;
    }
}

/// Varies loss detection, the window's answer to losses, and how both are reported.
fn vary(choice: u8, options: &mut Options) {
    let by_bit = [
        (1, "loss_detection=rack"),
        (2, "selective_acks=non-renegable"),
        (4, "pacing=on"),
        (128, "dead_peer_timeout=400 ms"),
    ];
    set_chosen(options, choice, &by_bit);
    if choice & 32 != 0 {
        options.buffers = BufferSizes::Auto { max: MEMORY };
    }
    options.congestion = match choice >> 3 & 3 {
        1 => CongestionAlgorithm::Cubic,
        2 => CongestionAlgorithm::HighSpeed,
        3 if options.ecn == ExplicitCongestion::On => CongestionAlgorithm::Dctcp,
        _ if choice & 64 != 0 => CongestionAlgorithm::Bbr,
        _ => options.congestion,
    };
}
