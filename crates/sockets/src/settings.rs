//! Option values in the form that programs use.

use core::time::Duration;

use sheave_engine::{
    AddressChanges, Authentication, AuthenticationOptions, BufferSizes, ChunkSet, Coalescing,
    ExplicitCongestion, Heartbeats, HmacAlgorithm, Interleaving, KeyId, MessageParts, MtuProbes,
    Options, PacketDropReports, PartialReliability, PathMtuDiscovery, PathTuning, Reconfiguration,
    SelectiveAcks, SharedKey, StreamScheduler, Unauthenticated,
};
use sheave_wire::ChunkType;

use crate::kept::Kept;
use crate::timestamps::TimestampForm;

/// Default message attributes (RFC 6458 §8.1.13, §8.1.31).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DefaultSend {
    pub(crate) stream: u16,
    pub(crate) flags: u16,
    /// In memory order, which is network byte order.
    pub(crate) ppid: [u8; 4],
    pub(crate) context: u32,
    pub(crate) time_to_live: u32,
}

/// Handshake parameters (RFC 6458 §5.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InitMsg {
    pub(crate) outbound_streams: u16,
    pub(crate) inbound_streams: u16,
    pub(crate) attempts: u16,
    /// Milliseconds.
    pub(crate) timeout: u16,
}

impl InitMsg {
    /// Overrides each value that is not 0 in `given` (RFC 6458 §5.3.1).
    pub(crate) const fn merged(self, given: Self) -> Self {
        const fn pick(before: u16, given: u16) -> u16 {
            if given == 0 { before } else { given }
        }
        Self {
            outbound_streams: pick(self.outbound_streams, given.outbound_streams),
            inbound_streams: pick(self.inbound_streams, given.inbound_streams),
            attempts: pick(self.attempts, given.attempts),
            timeout: pick(self.timeout, given.timeout),
        }
    }
}

/// Path parameters (RFC 6458 §8.1.12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PathSettings {
    /// Milliseconds.
    pub(crate) interval: u32,
    pub(crate) max_retrans: u16,
    pub(crate) pmtu: u32,
    /// Header bytes that the engine's path MTU includes beyond `pmtu`.
    pub(crate) uncounted: u16,
    /// Milliseconds.
    pub(crate) sack_delay: u32,
    pub(crate) flags: u32,
    pub(crate) flow_label: u32,
    pub(crate) dscp: u8,
    pub(crate) potentially_failed: u16,
    pub(crate) switchover: u16,
    /// Interval of path MTU probes, milliseconds, 0 to disable; `None` unless set.
    pub(crate) probe_interval: Option<u32>,
    /// Whether the program has asked for path MTU discovery.
    pub(crate) discovery: Discovery,
}

/// Whether a program has asked for path MTU discovery, independent of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Discovery {
    AsHost,
    Asked,
}

impl PathSettings {
    /// Engine parameters of a path that has its own.
    pub(crate) fn tuning(&self) -> PathTuning {
        let heartbeats = if self.flags & path_flags::HB_DISABLE != 0 {
            Heartbeats::Off
        } else {
            Heartbeats::Every(span(self.interval, 10, 86_400_000))
        };
        PathTuning {
            heartbeats: Some(heartbeats),
            max_retrans: Some(self.max_retrans.into()),
            potentially_failed_max_retrans: Some(bound(self.potentially_failed)),
            primary_switchover_max_retrans: Some(bound(self.switchover)),
            pmtu: self.fixed_pmtu(),
            mtu_probes: self.mtu_probes(),
            dscp: self.dscp(),
            flow_label: self.flow_label(),
        }
    }

    /// Engine parameters of a path without its own, beyond the association's options.
    pub(crate) fn usual_tuning(&self) -> PathTuning {
        PathTuning {
            pmtu: self.fixed_pmtu(),
            mtu_probes: self.mtu_probes(),
            ..PathTuning::default()
        }
    }

    /// Sets the flag for path MTU discovery.
    pub(crate) const fn shows_discovery(&mut self) {
        self.flags = self.flags & !path_flags::PMTUD_DISABLE | path_flags::PMTUD_ENABLE;
    }

    fn mtu_probes(&self) -> Option<MtuProbes> {
        if self.flags & path_flags::PMTUD_DISABLE != 0 {
            return Some(MtuProbes::Off);
        }
        self.probe_interval.map(|interval| match interval {
            0 => MtuProbes::Off,
            millis => MtuProbes::Timed(Duration::from_millis(millis.into())),
        })
    }

    /// The DSCP, if set, shifted down from its place in the IP header.
    fn dscp(&self) -> Option<u8> {
        (self.flags & path_flags::DSCP != 0).then_some(self.dscp >> 2)
    }

    fn flow_label(&self) -> Option<u32> {
        (self.flags & path_flags::FLOW_LABEL != 0).then_some(self.flow_label)
    }

    /// The fixed path MTU that replaces discovery, if set; 0 keeps the discovered one (RFC 6458
    /// §8.1.12).
    pub(crate) fn fixed_pmtu(&self) -> Option<u16> {
        let fixed = self.flags & path_flags::PMTUD_DISABLE != 0 && self.pmtu != 0;
        fixed.then(|| {
            u16::try_from(self.pmtu)
                .unwrap_or(u16::MAX)
                .saturating_add(self.uncounted)
        })
    }
}

/// A retransmission limit; [`NEVER`] means none.
fn bound(limit: u16) -> u32 {
    match limit {
        NEVER => u32::MAX,
        limit => limit.into(),
    }
}

/// Flags of path parameters.
pub(crate) mod path_flags {
    pub(crate) const HB_ENABLE: u32 = 1;
    pub(crate) const HB_DISABLE: u32 = 2;
    pub(crate) const HB_DEMAND: u32 = 4;
    pub(crate) const PMTUD_ENABLE: u32 = 8;
    pub(crate) const PMTUD_DISABLE: u32 = 16;
    pub(crate) const SACK_ENABLE: u32 = 32;
    pub(crate) const SACK_DISABLE: u32 = 64;
    pub(crate) const HB_TIME_IS_ZERO: u32 = 128;
    pub(crate) const FLOW_LABEL: u32 = 256;
    pub(crate) const DSCP: u32 = 512;
}

/// Settings of an association, or of a socket for future associations.
#[derive(Clone, Debug)]
pub(crate) struct AssocSettings {
    /// Milliseconds each.
    pub(crate) rto_initial: u32,
    pub(crate) rto_max: u32,
    pub(crate) rto_min: u32,
    pub(crate) max_retrans: u16,
    /// Milliseconds.
    pub(crate) cookie_life: u32,
    pub(crate) init: InitMsg,
    pub(crate) path: PathSettings,
    pub(crate) sack_frequency: u32,
    pub(crate) send: DefaultSend,
    pub(crate) pr_policy: u16,
    pub(crate) pr_value: u32,
    pub(crate) context: u32,
    pub(crate) max_burst: u32,
    pub(crate) max_seg: u32,
    pub(crate) adaptation: u32,
    pub(crate) expose_potentially_failed: u32,
    /// A bit per notification type, from the lowest.
    pub(crate) events: u32,
    pub(crate) stream_reset: u32,
    pub(crate) pr_supported: u32,
    pub(crate) reconfig_supported: u32,
    pub(crate) asconf_supported: u32,
    pub(crate) nrsack_supported: u32,
    pub(crate) pktdrop_supported: u32,
    pub(crate) auth_supported: u32,
    /// Authentication settings, if any were changed.
    pub(crate) auth: Option<Box<AuthSettings>>,
    pub(crate) ecn_supported: u32,
    pub(crate) interleaving: u32,
    pub(crate) scheduler: StreamScheduler,
    /// The scheduler number that the program set.
    pub(crate) scheduler_number: u32,
    pub(crate) encapsulation: u16,
}

fn millis(span: Duration) -> u32 {
    u32::try_from(span.as_millis()).unwrap_or(u32::MAX)
}

fn span(millis: u32, least: u64, most: u64) -> Duration {
    Duration::from_millis(u64::from(millis).clamp(least, most))
}

/// Authentication settings (RFC 6458 §8.1.17, §8.1.18, §8.3.2 to §8.3.5).
#[derive(Clone, Debug)]
pub(crate) struct AuthSettings {
    /// Chunk types that the peer must authenticate.
    pub(crate) chunks: Vec<u8>,
    pub(crate) algorithms: Vec<HmacAlgorithm>,
    pub(crate) keys: Vec<SharedKey>,
    pub(crate) active: KeyId,
    others: Unauthenticated,
}

impl AuthSettings {
    /// Linux's defaults: key 0 is empty.
    fn new() -> Self {
        Self {
            chunks: Vec::new(),
            algorithms: vec![HmacAlgorithm::Sha1, HmacAlgorithm::Sha256],
            keys: vec![SharedKey::new(KeyId(0), [])],
            active: KeyId(0),
            others: Unauthenticated::Accepted,
        }
    }

    fn of(option: &Authentication) -> Option<Self> {
        let Authentication::On(options) = option else {
            return None;
        };
        let mut keys = options.keys.clone();
        if keys.iter().all(|key| key.id() != KeyId(0)) {
            keys.push(SharedKey::new(KeyId(0), []));
        }
        let chunks = (0..=u8::MAX).filter(|number| options.chunks.contains(ChunkType(*number)));
        Some(Self {
            chunks: chunks.collect(),
            algorithms: options.algorithms.clone(),
            keys,
            active: options.active,
            others: options.others,
        })
    }

    /// Sets whether the peer must authenticate its address changes.
    pub(crate) fn protect_address_changes(&mut self, is_wanted: bool) {
        let of_changes = [ChunkType::ASCONF.0, ChunkType::ASCONF_ACK.0];
        self.chunks.retain(|number| !of_changes.contains(number));
        if is_wanted {
            self.chunks.extend(of_changes);
        }
    }

    fn option(&self) -> Authentication {
        let chunks = self.chunks.iter().map(|number| ChunkType(*number));
        Authentication::On(Box::new(AuthenticationOptions {
            chunks: ChunkSet::of(chunks),
            algorithms: self.algorithms.clone(),
            keys: self.keys.clone(),
            active: self.active,
            others: self.others,
        }))
    }
}

/// The threshold that means "no limit" (RFC 7829 §7).
const NEVER: u16 = u16::MAX;

impl AssocSettings {
    /// The settings that correspond to engine options.
    pub(crate) fn of(options: &Options, encapsulation: Option<u16>) -> Self {
        let narrow = |number: u32| u16::try_from(number).unwrap_or(u16::MAX);
        let (interval, heartbeats) = match options.heartbeats {
            Heartbeats::Every(interval) => (millis(interval), path_flags::HB_ENABLE),
            Heartbeats::Off => (30_000, path_flags::HB_DISABLE),
        };
        let discovery = match options.path_mtu_discovery {
            PathMtuDiscovery::Off => path_flags::PMTUD_DISABLE,
            _ => path_flags::PMTUD_ENABLE,
        };
        let sacks = if options.sack_delay.is_zero() {
            path_flags::SACK_DISABLE
        } else {
            path_flags::SACK_ENABLE
        };
        Self {
            rto_initial: millis(options.rto_initial),
            rto_max: millis(options.rto_max),
            rto_min: millis(options.rto_min),
            max_retrans: narrow(options.association_max_retrans),
            cookie_life: millis(options.valid_cookie_life),
            init: InitMsg {
                outbound_streams: options.outbound_streams,
                inbound_streams: options.max_inbound_streams,
                attempts: narrow(options.max_init_retransmits),
                timeout: narrow(millis(options.rto_max)),
            },
            path: PathSettings {
                interval,
                max_retrans: narrow(options.path_max_retrans),
                pmtu: 0,
                uncounted: 0,
                sack_delay: millis(options.sack_delay),
                flags: heartbeats | discovery | sacks,
                flow_label: 0,
                dscp: 0,
                potentially_failed: options.potentially_failed_max_retrans.map_or(NEVER, narrow),
                switchover: options.primary_switchover_max_retrans.map_or(NEVER, narrow),
                probe_interval: None,
                discovery: Discovery::AsHost,
            },
            sack_frequency: options.sack_frequency.into(),
            send: DefaultSend::default(),
            pr_policy: 0,
            pr_value: 0,
            context: 0,
            max_burst: options.max_burst.map_or(0, u32::from),
            max_seg: 0,
            adaptation: options.adaptation_indication.unwrap_or(0),
            expose_potentially_failed: 0,
            events: 0,
            stream_reset: 0,
            pr_supported: (options.partial_reliability == PartialReliability::On).into(),
            reconfig_supported: (options.reconfiguration != Reconfiguration::Off).into(),
            asconf_supported: (options.address_changes != AddressChanges::Off).into(),
            nrsack_supported: (options.selective_acks == SelectiveAcks::NonRenegable).into(),
            pktdrop_supported: (options.packet_drop_reports == PacketDropReports::On).into(),
            auth_supported: (options.authentication != Authentication::Off).into(),
            auth: AuthSettings::of(&options.authentication).map(Box::new),
            ecn_supported: (options.ecn == ExplicitCongestion::On).into(),
            interleaving: (options.interleaving == Interleaving::On).into(),
            scheduler: options.scheduler,
            scheduler_number: 0,
            encapsulation: encapsulation.unwrap_or(0),
        }
    }

    /// Engine options for these settings, clamped to the engine's ranges.
    pub(crate) fn options(&self, base: &Options, own: &SocketSettings) -> Options {
        let mut options = base.clone();
        options.rto_min = span(self.rto_min, 10, 600_000);
        options.rto_max = span(self.rto_max, 10, 600_000).max(options.rto_min);
        options.rto_initial = span(self.rto_initial, 10, 120_000);
        options.association_max_retrans = u32::from(self.max_retrans).clamp(1, 1000);
        options.valid_cookie_life = span(self.cookie_life, 10, 3_600_000);
        options.outbound_streams = self.init.outbound_streams.max(1);
        options.max_inbound_streams = self.init.inbound_streams.max(1);
        options.max_init_retransmits = u32::from(self.init.attempts).min(1000);
        options.heartbeats = if self.path.flags & path_flags::HB_DISABLE != 0 {
            Heartbeats::Off
        } else {
            Heartbeats::Every(span(self.path.interval, 10, 86_400_000))
        };
        // With heartbeats rarer than the limit, only retransmissions detect a dead peer, as in
        // kernels.
        let fits = |limit: &Duration| options.heartbeats.come_within(*limit);
        options.dead_peer_timeout = options.dead_peer_timeout.filter(fits);
        if let Some(pmtu) = self.path.fixed_pmtu() {
            options.initial_pmtu = pmtu.max(576);
        }
        if options.path_mtu_discovery == PathMtuDiscovery::Off
            && self.path.discovery == Discovery::Asked
        {
            options.path_mtu_discovery = PathMtuDiscovery::Plpmtud {
                max: PathMtuDiscovery::USUAL_MAX,
            };
        }
        if let Some(dscp) = self.path.dscp().or(own.kept.dscp()) {
            options.dscp = dscp;
        }
        if let Some(label) = self.path.flow_label() {
            options.flow_label = label;
        }
        options.path_max_retrans = u32::from(self.path.max_retrans).min(1000);
        options.sack_delay = if self.path.flags & path_flags::SACK_DISABLE != 0 {
            Duration::ZERO
        } else {
            span(self.path.sack_delay, 0, 500)
        };
        options.sack_frequency = u8::try_from(self.sack_frequency.clamp(1, 64)).unwrap_or(2);
        options.max_burst = u16::try_from(self.max_burst.min(1000))
            .ok()
            .filter(|most| *most > 0);
        options.potentially_failed_max_retrans = threshold(self.path.potentially_failed);
        options.primary_switchover_max_retrans = threshold(self.path.switchover)
            .map(|limit| limit.max(options.potentially_failed_max_retrans.unwrap_or(0)));
        options.partial_reliability = pick(
            self.pr_supported,
            [PartialReliability::Off, PartialReliability::On],
        );
        if self.reconfig_supported == 0 {
            options.reconfiguration = Reconfiguration::Off;
        } else if options.reconfiguration == Reconfiguration::Off {
            options.reconfiguration = Reconfiguration::On(sheave_engine::PeerRequests::ALL);
        }
        // RFC 5061 §4.1.1: address changes must be authenticated.
        options.authentication = match (self.auth_supported, self.asconf_supported) {
            (0, 0) => Authentication::Off,
            _ => self.auth().option(),
        };
        options.address_changes = match (self.asconf_supported, options.address_changes) {
            (0, _) => AddressChanges::Off,
            // RFC 5061 §4.1.1: the peer would discard them.
            (_, AddressChanges::Off | AddressChanges::On) if self.auth_supported == 0 => {
                AddressChanges::Off
            }
            (_, AddressChanges::Off) => AddressChanges::On,
            (_, other) => other,
        };
        options.selective_acks = pick(
            self.nrsack_supported,
            [SelectiveAcks::Renegable, SelectiveAcks::NonRenegable],
        );
        options.packet_drop_reports = pick(
            self.pktdrop_supported,
            [PacketDropReports::Off, PacketDropReports::On],
        );
        options.ecn = pick(
            self.ecn_supported,
            [ExplicitCongestion::Off, ExplicitCongestion::On],
        );
        // Without fragment interleaving, the program could not tell apart parts of different
        // messages.
        options.interleaving = match (self.interleaving, own.fragment_interleave) {
            (0, _) | (_, 0) => Interleaving::Off,
            _ => Interleaving::On,
        };
        options.message_parts = match own.fragment_interleave {
            0 | 1 => MessageParts::Together,
            _ => MessageParts::Mixed,
        };
        options.scheduler = self.scheduler;
        if self.adaptation != 0 {
            options.adaptation_indication = Some(self.adaptation);
        }
        options.coalescing = match own.no_delay {
            None => options.coalescing,
            Some(0) => Coalescing::Nagle,
            Some(_) => Coalescing::NoDelay,
        };
        if own.send_buffer.is_some() || own.receive_buffer.is_some() {
            // Buffer sizes that a program sets stay fixed, as with TCP sockets.
            options.buffers = BufferSizes::Fixed;
        }
        if let Some(bytes) = own.send_buffer {
            options.send_buffer = usize::try_from(bytes).unwrap_or(usize::MAX).max(4608);
        }
        if let Some(bytes) = own.receive_buffer {
            // Half is Linux's overhead; the engine accounts for its own.
            let bytes = usize::try_from(bytes / 2).unwrap_or(usize::MAX);
            options.receive_buffer = bytes.clamp(4096, 1 << 30);
            options.partial_delivery_point = options.receive_buffer / 2;
        }
        if own.partial_delivery_point > 0 {
            let point = usize::try_from(own.partial_delivery_point).unwrap_or(usize::MAX);
            options.partial_delivery_point = point.min(options.receive_buffer / 2).max(1);
        }
        options
    }

    pub(crate) fn auth(&self) -> AuthSettings {
        self.auth
            .as_deref()
            .cloned()
            .unwrap_or_else(AuthSettings::new)
    }

    pub(crate) fn auth_mut(&mut self) -> &mut AuthSettings {
        self.auth
            .get_or_insert_with(|| Box::new(AuthSettings::new()))
    }

    /// Unsubscribes from everything except message descriptions.
    pub(crate) const fn stop_events(&mut self) {
        self.events &= 1 << EventType::DataIo as u32;
    }

    /// Whether the program subscribes to this notification type.
    pub(crate) const fn wants(&self, event: EventType) -> bool {
        self.events & (1 << event as u32) != 0
    }
}

/// The value for a flag that is unset or set.
fn pick<T>(flag: u32, [off, on]: [T; 2]) -> T {
    if flag == 0 { off } else { on }
}

const fn threshold(limit: u16) -> Option<u32> {
    match limit {
        NEVER => None,
        1001.. => Some(1000),
        limit => Some(limit as u32),
    }
}

/// Notification types, in the order of Linux's numbers (RFC 6458 §6.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum EventType {
    DataIo,
    AssocChange,
    PeerAddrChange,
    SendFailed,
    RemoteError,
    Shutdown,
    PartialDelivery,
    Adaptation,
    Authentication,
    SenderDry,
    StreamReset,
    AssocReset,
    StreamChange,
    SendFailedEvent,
    /// The last notification of a flood, for each subscriber (RFC 6458 §6.1.10).
    NotificationsStopped,
}

/// Number of notification types in Linux's `sctp_event_subscribe`.
pub(crate) const EVENT_TYPES: usize = 14;

/// Settings of the socket itself.
#[derive(Clone, Debug)]
pub(crate) struct SocketSettings {
    /// `None` until the program sets it.
    pub(crate) no_delay: Option<u32>,
    pub(crate) auto_close: u32,
    pub(crate) disable_fragments: u32,
    pub(crate) mapped_v4: u32,
    pub(crate) fragment_interleave: u32,
    pub(crate) explicit_eor: u32,
    pub(crate) partial_delivery_point: u32,
    pub(crate) recv_rcv_info: u32,
    pub(crate) recv_nxt_info: u32,
    pub(crate) reuse_port: u32,
    pub(crate) auto_asconf: u32,
    pub(crate) reuse_address: u32,
    /// Flag and seconds of `SO_LINGER`.
    pub(crate) linger: (u32, u32),
    pub(crate) send_buffer: Option<u32>,
    pub(crate) receive_buffer: Option<u32>,
    pub(crate) receive_timeout: Duration,
    pub(crate) send_timeout: Duration,
    pub(crate) v6_only: u32,
    /// The timestamp form that the program asked for.
    pub(crate) timestamps: Option<TimestampForm>,
    pub(crate) kept: Kept,
}

impl SocketSettings {
    pub(crate) fn new() -> Self {
        Self {
            no_delay: None,
            auto_close: 0,
            disable_fragments: 0,
            mapped_v4: 1,
            fragment_interleave: 0,
            explicit_eor: 0,
            partial_delivery_point: 0,
            recv_rcv_info: 0,
            recv_nxt_info: 0,
            reuse_port: 0,
            auto_asconf: 0,
            reuse_address: 0,
            linger: (0, 0),
            send_buffer: None,
            receive_buffer: None,
            receive_timeout: Duration::ZERO,
            send_timeout: Duration::ZERO,
            v6_only: 0,
            timestamps: None,
            kept: Kept::default(),
        }
    }
}

#[cfg(test)]
mod tests;
