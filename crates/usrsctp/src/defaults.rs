//! Options of new sockets, from the program's settings.
//!
//! Settings have usrsctp's meaning and initial values for buffers, streams, timers and retries.
//! Behaviour without a usrsctp setting, above all loss detection, is Sheave's.

use std::env;
use std::time::Duration;

use sheave_engine::{
    AddressChanges, Authentication, ConcurrentTransfer, ExplicitCongestion, Heartbeats, Multipath,
    Options, PacketDropReports, PartialReliability, PeerRequests, Reconfiguration, SelectiveAcks,
    StreamScheduler,
};

use crate::sysctl::{self, Sysctl};

/// The environment variable with options for all sockets: `profile=rfc9260,early_data=off`.
const VARIABLE: &str = "SHEAVE_OPTIONS";

/// Options of new sockets: with the variable, its options plus the settings that the program has
/// changed; otherwise usrsctp's values and, where usrsctp has none, Sheave's.
pub(crate) fn options() -> Options {
    match chosen() {
        Some(chosen) => set(chosen, Sysctl::is_set),
        None => set(usual(), |_| true),
    }
}

/// The warning about an invalid variable, which is ignored.
pub(crate) fn complaint() -> Option<String> {
    let text = env::var(VARIABLE).ok()?;
    let error = text.parse::<Options>().err()?;
    Some(format!("{VARIABLE}: {error}"))
}

fn chosen() -> Option<Options> {
    env::var(VARIABLE).ok()?.parse().ok()
}

fn usual() -> Options {
    Options {
        // As programs of usrsctp expect, only retries detect a dead peer.
        dead_peer_timeout: None,
        ..Options::default()
    }
}

/// Applies the settings that count, clamped to the engine's ranges.
fn set(mut options: Options, counts: impl Fn(&Sysctl) -> bool) -> Options {
    let mut by = |setting: &Sysctl, set: fn(&mut Options, u32)| {
        if counts(setting) {
            set(&mut options, setting.get());
        }
    };
    by(&sysctl::RTO_MIN_DEFAULT, |o, millis| {
        o.rto_min = span(millis, 10, 600_000);
    });
    by(&sysctl::RTO_MAX_DEFAULT, |o, millis| {
        o.rto_max = span(millis, 10, 600_000);
    });
    by(&sysctl::RTO_INITIAL_DEFAULT, |o, millis| {
        o.rto_initial = span(millis, 10, 120_000);
    });
    by(&sysctl::VALID_COOKIE_LIFE_DEFAULT, |o, millis| {
        o.valid_cookie_life = span(millis, 10, 3_600_000);
    });
    by(&sysctl::HEARTBEAT_INTERVAL_DEFAULT, |o, millis| {
        o.heartbeats = match millis {
            0 => Heartbeats::Off,
            millis => Heartbeats::Every(span(millis, 10, 86_400_000)),
        };
    });
    by(&sysctl::ASSOC_RTX_MAX_DEFAULT, |o, most| {
        o.association_max_retrans = most.clamp(1, 1000);
    });
    by(&sysctl::PATH_RTX_MAX_DEFAULT, |o, most| {
        o.path_max_retrans = most.min(1000);
    });
    by(&sysctl::INIT_RTX_MAX_DEFAULT, |o, most| {
        o.max_init_retransmits = most.min(1000);
    });
    by(&sysctl::DELAYED_SACK_TIME_DEFAULT, |o, millis| {
        o.sack_delay = span(millis, 0, 500);
    });
    by(&sysctl::SACK_FREQ_DEFAULT, |o, packets| {
        o.sack_frequency = u8::try_from(packets.clamp(1, 64)).unwrap_or(2);
    });
    by(&sysctl::MAX_BURST_DEFAULT, |o, most| {
        let most = u16::try_from(most.min(1000)).ok();
        o.max_burst = most.filter(|most| *most > 0);
    });
    by(&sysctl::NR_OUTGOING_STREAMS_DEFAULT, |o, count| {
        o.outbound_streams = narrow(count);
    });
    by(&sysctl::NR_INCOMING_STREAMS_DEFAULT, |o, count| {
        o.max_inbound_streams = narrow(count);
    });
    by(&sysctl::SENDSPACE, |o, bytes| {
        o.send_buffer = size(bytes, 4608);
    });
    by(&sysctl::RECVSPACE, |o, bytes| {
        o.receive_buffer = size(bytes, 4096);
        o.partial_delivery_point = o.receive_buffer / 2;
    });
    set_extensions(&mut by);
    // Sheave's own default also is "never", unless the program changes it.
    if sysctl::PATH_PF_THRESHOLD.is_set() {
        options.potentially_failed_max_retrans = Some(sysctl::PATH_PF_THRESHOLD.get().min(1000));
    }
    options.rto_max = options.rto_max.max(options.rto_min);
    options
}

fn set_extensions(by: &mut impl FnMut(&Sysctl, fn(&mut Options, u32))) {
    by(&sysctl::ECN_ENABLE, |o, on| {
        o.ecn = either(on, ExplicitCongestion::Off, ExplicitCongestion::On);
    });
    by(&sysctl::PR_ENABLE, |o, on| {
        o.partial_reliability = either(on, PartialReliability::Off, PartialReliability::On);
    });
    by(&sysctl::AUTH_ENABLE, |o, on| {
        o.authentication = either(on, Authentication::Off, Authentication::on());
    });
    by(&sysctl::ASCONF_ENABLE, |o, on| {
        // RFC 5061 §4.1.1: address changes must be authenticated.
        let has = u32::from(on != 0 && o.authentication != Authentication::Off);
        o.address_changes = either(has, AddressChanges::Off, AddressChanges::On);
    });
    by(&sysctl::RECONFIG_ENABLE, |o, on| {
        let all = Reconfiguration::On(PeerRequests::ALL);
        o.reconfiguration = either(on, Reconfiguration::Off, all);
    });
    by(&sysctl::NRSACK_ENABLE, |o, on| {
        o.selective_acks = either(on, SelectiveAcks::Renegable, SelectiveAcks::NonRenegable);
    });
    by(&sysctl::PKTDROP_ENABLE, |o, on| {
        o.packet_drop_reports = either(on, PacketDropReports::Off, PacketDropReports::On);
    });
    by(&sysctl::CMT_ON_OFF, |o, on| {
        let concurrent = Multipath::Concurrent(ConcurrentTransfer::default());
        o.multipath = either(on, Multipath::Off, concurrent);
    });
    by(&sysctl::DEFAULT_SS_MODULE, |o, module| {
        o.scheduler = match module {
            2 => StreamScheduler::RoundRobinPerPacket,
            3 => StreamScheduler::Priority,
            4 => StreamScheduler::FairBandwidth,
            5 => StreamScheduler::FirstCome,
            _ => StreamScheduler::RoundRobin,
        };
    });
}

fn either<T>(number: u32, off: T, on: T) -> T {
    if number == 0 { off } else { on }
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
