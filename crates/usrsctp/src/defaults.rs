//! The options of new sockets, as the program's settings have them.
//!
//! A setting counts as usrsctp has it: buffers, streams, timers and retries begin with usrsctp's values.
//! What usrsctp has no setting for, loss detection above all, is Sheave's.

use std::time::Duration;

use sheave_engine::{
    ConcurrentTransfer, ExplicitCongestion, Heartbeats, Multipath, Options, PacketDropReports,
    PartialReliability, PeerRequests, Reconfiguration, SelectiveAcks, StreamScheduler,
};

use crate::sysctl;

/// Each value within the range that the engine knows.
pub(crate) fn options() -> Options {
    let rto_min = span(sysctl::RTO_MIN_DEFAULT.get(), 10, 600_000);
    let receive_buffer = size(sysctl::RECVSPACE.get(), 4096);
    Options {
        rto_min,
        rto_max: span(sysctl::RTO_MAX_DEFAULT.get(), 10, 600_000).max(rto_min),
        rto_initial: span(sysctl::RTO_INITIAL_DEFAULT.get(), 10, 120_000),
        valid_cookie_life: span(sysctl::VALID_COOKIE_LIFE_DEFAULT.get(), 10, 3_600_000),
        heartbeats: match sysctl::HEARTBEAT_INTERVAL_DEFAULT.get() {
            0 => Heartbeats::Off,
            millis => Heartbeats::Every(span(millis, 10, 86_400_000)),
        },
        association_max_retrans: sysctl::ASSOC_RTX_MAX_DEFAULT.get().clamp(1, 1000),
        path_max_retrans: sysctl::PATH_RTX_MAX_DEFAULT.get().min(1000),
        max_init_retransmits: sysctl::INIT_RTX_MAX_DEFAULT.get().min(1000),
        potentially_failed_max_retrans: potentially_failed(),
        sack_delay: span(sysctl::DELAYED_SACK_TIME_DEFAULT.get(), 0, 500),
        sack_frequency: u8::try_from(sysctl::SACK_FREQ_DEFAULT.get().clamp(1, 64)).unwrap_or(2),
        max_burst: u16::try_from(sysctl::MAX_BURST_DEFAULT.get().min(1000))
            .ok()
            .filter(|most| *most > 0),
        outbound_streams: narrow(sysctl::NR_OUTGOING_STREAMS_DEFAULT.get()),
        max_inbound_streams: narrow(sysctl::NR_INCOMING_STREAMS_DEFAULT.get()),
        send_buffer: size(sysctl::SENDSPACE.get(), 4608),
        receive_buffer,
        partial_delivery_point: receive_buffer / 2,
        ecn: match sysctl::ECN_ENABLE.get() {
            0 => ExplicitCongestion::Off,
            _ => ExplicitCongestion::On,
        },
        partial_reliability: match sysctl::PR_ENABLE.get() {
            0 => PartialReliability::Off,
            _ => PartialReliability::On,
        },
        reconfiguration: match sysctl::RECONFIG_ENABLE.get() {
            0 => Reconfiguration::Off,
            _ => Reconfiguration::On(PeerRequests::ALL),
        },
        selective_acks: match sysctl::NRSACK_ENABLE.get() {
            0 => SelectiveAcks::Renegable,
            _ => SelectiveAcks::NonRenegable,
        },
        packet_drop_reports: match sysctl::PKTDROP_ENABLE.get() {
            0 => PacketDropReports::Off,
            _ => PacketDropReports::On,
        },
        multipath: match sysctl::CMT_ON_OFF.get() {
            0 => Multipath::Off,
            _ => Multipath::Concurrent(ConcurrentTransfer::default()),
        },
        scheduler: match sysctl::DEFAULT_SS_MODULE.get() {
            2 => StreamScheduler::RoundRobinPerPacket,
            3 => StreamScheduler::Priority,
            4 => StreamScheduler::FairBandwidth,
            5 => StreamScheduler::FirstCome,
            _ => StreamScheduler::RoundRobin,
        },
        // The retries alone say when a peer is given up, as programs of usrsctp expect.
        dead_peer_timeout: None,
        ..Options::default()
    }
}

/// The number that stands for "never" is Sheave's own default, too, as long as the program has not
/// chosen it.
fn potentially_failed() -> Option<u32> {
    if sysctl::PATH_PF_THRESHOLD.is_set() {
        Some(sysctl::PATH_PF_THRESHOLD.get().min(1000))
    } else {
        Options::default().potentially_failed_max_retrans
    }
}

fn span(millis: u32, least: u64, most: u64) -> Duration {
    Duration::from_millis(u64::from(millis).clamp(least, most))
}

fn size(bytes: u32, least: usize) -> usize {
    usize::try_from(bytes)
        .unwrap_or(usize::MAX)
        .clamp(least, 1 << 30)
}

fn narrow(number: u32) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX).max(1)
}
