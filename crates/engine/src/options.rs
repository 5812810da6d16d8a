use core::time::Duration;

use crate::extensions::ExtensionSet;
use crate::{
    AddressChanges, Authentication, BufferSizes, Checksum, Coupling, Interleaving, Multipath,
    OptionError, Pacing, PacketDropReports, PartialReliability, PathMtuDiscovery, Reconfiguration,
    SelectiveAcks, Shard, StreamScheduler, ZeroChecksum,
};

/// When small messages wait for company (RFC 9260 §6.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Coalescing {
    /// A message is sent as soon as the windows allow it.
    #[default]
    NoDelay,
    /// As Nagle: less than a full packet waits while data is outstanding.
    Nagle,
}

/// The congestion control of an association's paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CongestionAlgorithm {
    /// RFC 9260 §7.2.
    #[default]
    NewReno,
    /// New Reno that cuts its window before a loss does; see
    /// [`EarlyDecrease`](crate::EarlyDecrease).
    EarlyDecrease {
        /// When it cuts.
        trigger: DecreaseTrigger,
        /// Thousandths of cwnd that each step takes away. 1 to 999; the paper has 144.
        factor: u16,
    },
    /// New Reno to which a loss without a mark in the same window is no congestion; see
    /// [`EcnDiscrimination`](crate::EcnDiscrimination), which says why it is not recommended. Needs
    /// [`ExplicitCongestion::On`].
    EcnDiscrimination,
    /// RFC 9438; see [`Cubic`](crate::Cubic).
    Cubic,
    /// RFC 3649; see [`HighSpeed`](crate::HighSpeed).
    HighSpeed,
    /// RFC 8257, for data centres whose switches mark early, and for both ends: the receiving one
    /// tells of each mark at once. See [`Dctcp`](crate::Dctcp). Needs [`ExplicitCongestion::On`].
    Dctcp,
    /// draft-ietf-ccwg-bbr-06; see [`Bbr`](crate::Bbr), which says whom it harms. Paces all that it
    /// sends, whatever [`Options::pacing`] is, and is best with [`LossDetection::Rack`].
    Bbr,
}

/// When [`EarlyDecrease`](crate::EarlyDecrease) takes a path for congested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DecreaseTrigger {
    /// From an unanswered heartbeat until one is answered or nothing is outstanding, as the
    /// paper's prose has it.
    Heartbeat,
    /// At each SACK that leaves something outstanding, as the paper's pseudo-code has it.
    Always,
}

/// How large the congestion window begins, and how small it gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WindowRules {
    /// RFC 9260 §7.2: 4404 bytes (IPv4) or 4344 (IPv6) between two and four packets; ssthresh
    /// never below four packets.
    #[default]
    Rfc9260,
    /// RFC 2960 §7.2: two packets, and ssthresh never below two packets.
    Rfc2960,
    /// A first window of 14,600 bytes between two and ten packets, as RFC 6928 §2 has it for TCP, and
    /// RFC 9260's least threshold. [`max_burst`](Options::max_burst) bounds it, too.
    Rfc6928,
}

impl WindowRules {
    /// The first window, bytes, where RFC 9260 §7.2.1 bounds `initial` bytes by multiples of
    /// `pmdcs`.
    pub(crate) fn first_window(self, pmdcs: u64, initial: u64) -> u64 {
        match self {
            Self::Rfc9260 => (4 * pmdcs).min((2 * pmdcs).max(initial)),
            Self::Rfc2960 => 2 * pmdcs,
            Self::Rfc6928 => (10 * pmdcs).min((2 * pmdcs).max(14_600)),
        }
    }

    /// The least threshold, and the least window of an idle path, bytes.
    pub(crate) const fn least(self, pmdcs: u64) -> u64 {
        match self {
            Self::Rfc9260 | Self::Rfc6928 => 4 * pmdcs,
            Self::Rfc2960 => 2 * pmdcs,
        }
    }
}

/// Where fast retransmissions go if the peer has several addresses. What timed out goes to another
/// active one in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FastRetransmissions {
    /// To the address that the chunk was sent to before (RFC 9260 §6.4).
    #[default]
    SamePath,
    /// To another active address, if there is one (RFC 2960 §6.4).
    OtherPath,
}

/// Whether a chunk that fills a packet shares one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Bundling {
    /// A packet is filled up with whatever comes next, if need be with a part of a large message
    /// (RFC 9260 §6.10).
    #[default]
    Always,
    /// The next fragment of a message that fills packets leaves in a packet of its own; only
    /// smaller chunks are bundled ("full packets" of the data centre papers).
    SpareFullChunks,
}

/// Whether reading, as well as arrival, causes SACKs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DeliverySacks {
    /// Only where reading has opened a narrow window by a quarter of the buffer: one SACK for one
    /// trigger.
    #[default]
    WhenWindowOpens,
    /// Whenever a message was read: the stacks that the data centre papers began with.
    Always,
}

/// Whether the constants of the retransmission timeout adapt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RtoGains {
    /// RTO.Alpha and RTO.Beta are as configured (RFC 9260 §6.3.1).
    #[default]
    Fixed,
    /// Both gains double with each round trip that differs from SRTT by more than twice RTTVAR,
    /// up to fourfold, and halve with each that differs by less than half of RTTVAR, down to half
    /// of the configured ones. Ours; the paper "multihoming failure avoidance" asks for such a
    /// thing without saying how.
    Adaptive,
}

/// Whether the header of each DATA chunk has a checksum of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ChunkChecksum {
    /// It has none (RFC 9260).
    #[default]
    Off,
    /// It has, if the peer agrees: a chunk whose payload alone was damaged on the way is told from
    /// one that was lost, and sent again at once without a change to the window. See
    /// `docs/chunk-checksum.md`.
    On,
}

/// Whether routers may mark packets instead of dropping them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ExplicitCongestion {
    /// They may not: all packets leave as not ECN-capable (RFC 9260).
    #[default]
    Off,
    /// They may, if the peer agrees (RFC 3168, RFC 4960 Appendix A): new DATA leaves as ECT(0), the
    /// receiver echoes marks in ECNE until it hears CWR, and the sender cuts its window once per
    /// window of data as if a packet had been lost.
    On,
}

/// What a receiver keeps and reports beyond a gap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LossRecovery {
    /// All of it, in gap blocks (RFC 9260 §6.2.1).
    #[default]
    Selective,
    /// Nothing, if the peer wants that, too; else as `Selective`. The sender goes back to the
    /// first chunk that is missing and sends all from there on again: cheaper for both ends while
    /// losses are rare. INIT and INIT ACK say so with a parameter of the private type 0x9E01
    /// without a value.
    GoBackN,
}

/// How a sender finds out that a chunk was lost, other than by T3-rtx.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LossDetection {
    /// By miss indications, [`missing_reports`](Options::missing_reports) of them, and once for each
    /// chunk (RFC 9260 §7.2.4).
    #[default]
    MissingReports,
    /// By time (RACK-TLP, RFC 8985): what was sent more than a round trip and a reordering window
    /// before something that was delivered is lost, retransmissions too; where nothing is heard for
    /// two round trips, the tail is probed. The peer need not know of it. Without effect where both
    /// ends have [`LossRecovery::GoBackN`].
    Rack,
}

/// Whether idle paths are probed (RFC 9260 §8.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Heartbeats {
    /// Each idle path is probed every HB.interval plus RTO, with jitter of half an RTO each way.
    Every(Duration),
    /// Only unconfirmed addresses are probed.
    Off,
}

/// The protocol parameters of an association (RFC 9260 §16) and the optional behaviours.
///
/// `Options::default()` is [`Profile::Rfc9260`].
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// RTO.Initial: first retransmission timeout of a path. 10 ms to 120 s; default 1 s.
    pub rto_initial: Duration,
    /// RTO.Min: 10 ms to RTO.Max; default 1 s.
    pub rto_min: Duration,
    /// RTO.Max: RTO.Min to 600 s; default 60 s.
    pub rto_max: Duration,
    /// RTO.Alpha as a right shift of the gain: 1/2^n. 1 to 8; default 3 (1/8).
    pub rto_alpha_shift: u8,
    /// RTO.Beta as a right shift of the gain: 1/2^n. 1 to 8; default 2 (1/4).
    pub rto_beta_shift: u8,
    /// Whether these two gains adapt; default `Fixed`.
    pub rto_gains: RtoGains,
    /// Max.Burst: full packets of new data that one SACK may release; a SACK that acknowledges more
    /// than two packets counts for as many SACKs as RFC 9260 §6.2 would have had sent for them.
    /// `None` for no limit. 1 to 1000; default 4.
    pub max_burst: Option<u16>,
    /// Valid.Cookie.Life: 10 ms to 1 h; default 60 s.
    pub valid_cookie_life: Duration,
    /// Association.Max.Retrans: consecutive unanswered sends before the association is given up.
    /// 1 to 1000; default 10.
    pub association_max_retrans: u32,
    /// Path.Max.Retrans: consecutive unanswered sends before a path is inactive. 0 to 1000;
    /// default 5.
    pub path_max_retrans: u32,
    /// PotentiallyFailed.Max.Retrans: consecutive unanswered sends before a path counts as
    /// potentially failed, and new data goes elsewhere (RFC 7829 §3). 0 to 1000, or `None` for
    /// never, the default; without effect from `path_max_retrans` on, and with one path only.
    pub potentially_failed_max_retrans: Option<u32>,
    /// Primary.Switchover.Max.Retrans: consecutive unanswered sends before another active path
    /// takes the place of the primary path for good (RFC 7829 §4). From
    /// `potentially_failed_max_retrans` to 1000, or `None` for never, the default.
    pub primary_switchover_max_retrans: Option<u32>,
    /// Max.Init.Retransmits: 0 to 1000; default 8.
    pub max_init_retransmits: u32,
    /// HB.interval: 10 ms to 1 day, or off; default 30 s.
    pub heartbeats: Heartbeats,
    /// HB.Max.Burst: heartbeats sent at one expiry. 1 to 8; default 1.
    pub hb_max_burst: u8,
    /// SACK.Delay: longest wait before received DATA is acknowledged. 0 to 500 ms; default
    /// 200 ms.
    pub sack_delay: Duration,
    /// One SACK for this many packets with DATA. 1 to 64; default 2 (RFC 9260 §6.2).
    pub sack_frequency: u8,
    /// When small messages wait for company; default `NoDelay`.
    pub coalescing: Coalescing,
    /// The congestion control; default `NewReno`.
    pub congestion: CongestionAlgorithm,
    /// Whether new data leaves evenly spread over the round trip; default `Off`.
    pub pacing: Pacing,
    /// First and least congestion window; default `Rfc9260`.
    pub window_rules: WindowRules,
    /// Miss indications after which a chunk is fast retransmitted. 1 to 4; default 3 (RFC 9260
    /// §7.2.4); 4 in RFC 2960.
    pub missing_reports: u8,
    /// Where fast retransmissions go if the peer has several addresses; default `SamePath`.
    pub fast_retransmissions: FastRetransmissions,
    /// How losses are found; default `MissingReports`.
    pub loss_detection: LossDetection,
    /// What is kept and reported beyond a gap; default `Selective`.
    pub loss_recovery: LossRecovery,
    /// Whether what is acknowledged beyond a gap may be dropped; default `Renegable`.
    pub selective_acks: SelectiveAcks,
    /// Whether DATA headers have a checksum of their own; default `Off`.
    pub chunk_checksum: ChunkChecksum,
    /// Explicit congestion notification; default `Off`.
    pub ecn: ExplicitCongestion,
    /// Whether packets go without a CRC32c where the peer wants that, too; default `Off`.
    pub zero_checksum: ZeroChecksum,
    /// Whether packets that arrive damaged are reported to their sender; default `Off`.
    pub packet_drop_reports: PacketDropReports,
    /// Whether streams may be reset and added, and what the peer may ask for (RFC 6525); default
    /// `Off`.
    pub reconfiguration: Reconfiguration,
    /// Whether chunks prove who sent them (RFC 4895); default `Off`.
    pub authentication: Authentication,
    /// Whether messages may be given up (RFC 3758); default `Off`.
    pub partial_reliability: PartialReliability,
    /// Whether fragments of messages on different streams may alternate (RFC 8260); default `Off`.
    /// `On` needs `chunk_checksum` to be off.
    pub interleaving: Interleaving,
    /// Whether new data leaves on several paths at a time; default `Off`.
    pub multipath: Multipath,
    /// Whether addresses may come and go while an association lives (RFC 5061); default `Off`. `On`
    /// needs `authentication`.
    pub address_changes: AddressChanges,
    /// What the user speaks above SCTP, a number that users agree on, which the peer's user is told
    /// (RFC 5061 §4.2.6); default `None`.
    pub adaptation_indication: Option<u32>,
    /// Whether chunks that fill a packet share one; default `Always`.
    pub bundling: Bundling,
    /// Which stream sends next; default `FirstCome`.
    pub scheduler: StreamScheduler,
    /// Whether reading causes SACKs; default `WhenWindowOpens`.
    pub delivery_sacks: DeliverySacks,
    /// Whether the MTUs of paths are found out; default `Automatic`.
    pub path_mtu_discovery: PathMtuDiscovery,
    /// Initial path MTU, bytes of IP packet. 576 to 65535; default 1500.
    pub initial_pmtu: u16,
    /// Outbound streams asked for. 1 to 65535; default 10.
    pub outbound_streams: u16,
    /// Inbound streams granted at most. 1 to 65535; default 65535.
    pub max_inbound_streams: u16,
    /// Bytes that `send` accepts before it refuses. 1500 up; default 1 MiB.
    pub send_buffer: usize,
    /// Receive buffer, bytes, from which the advertised window comes; 4096 to 1 GiB; default
    /// 1 MiB.
    pub receive_buffer: usize,
    /// Whether these two follow the bandwidth-delay product; default `Fixed`.
    pub buffers: BufferSizes,
    /// Largest message that `send` accepts, bytes. 1 to 4 GiB less one; default 1 GiB.
    pub max_message_size: usize,
    /// A message that fills this many bytes of the receive buffer before it is complete is handed
    /// over in parts (RFC 9260 §6.9). Default: half the default receive buffer, 512 KiB.
    pub partial_delivery_point: usize,
}

/// A named set of options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// RFC 9260 §16 to the letter.
    #[default]
    Rfc9260,
    /// The defaults of the Linux kernel's SCTP.
    Linux,
    /// Signalling over managed networks: RTO around 120 ms, quick failover.
    Telecom,
    /// Inside a data centre: short RTO, rare SACKs, no burst limit, large buffers.
    Datacenter,
    /// RFC 9260 with what has proved itself since, for networks of every kind: losses found by time
    /// (RACK-TLP, RFC 8985) and CUBIC (RFC 9438). The peer need know of neither.
    Modern,
    /// RFC 2960, which older simulators follow: RTO.Initial 3 s, a first window of two packets,
    /// fast retransmission at the fourth missing report and to another of the peer's addresses, a
    /// receive buffer of 65536 bytes.
    Rfc2960,
}

impl Profile {
    /// The options of this profile.
    #[must_use]
    pub fn options(self) -> Options {
        let rfc = Options {
            rto_initial: Duration::from_secs(1),
            rto_min: Duration::from_secs(1),
            rto_max: Duration::from_secs(60),
            rto_alpha_shift: 3,
            rto_beta_shift: 2,
            rto_gains: RtoGains::Fixed,
            max_burst: Some(4),
            valid_cookie_life: Duration::from_secs(60),
            association_max_retrans: 10,
            path_max_retrans: 5,
            potentially_failed_max_retrans: None,
            primary_switchover_max_retrans: None,
            max_init_retransmits: 8,
            heartbeats: Heartbeats::Every(Duration::from_secs(30)),
            hb_max_burst: 1,
            sack_delay: Duration::from_millis(200),
            sack_frequency: 2,
            coalescing: Coalescing::NoDelay,
            congestion: CongestionAlgorithm::NewReno,
            pacing: Pacing::Off,
            window_rules: WindowRules::Rfc9260,
            missing_reports: 3,
            fast_retransmissions: FastRetransmissions::SamePath,
            loss_detection: LossDetection::MissingReports,
            loss_recovery: LossRecovery::Selective,
            selective_acks: SelectiveAcks::Renegable,
            chunk_checksum: ChunkChecksum::Off,
            ecn: ExplicitCongestion::Off,
            zero_checksum: ZeroChecksum::Off,
            packet_drop_reports: PacketDropReports::Off,
            reconfiguration: Reconfiguration::Off,
            authentication: Authentication::Off,
            partial_reliability: PartialReliability::Off,
            interleaving: Interleaving::Off,
            multipath: Multipath::Off,
            address_changes: AddressChanges::Off,
            adaptation_indication: None,
            bundling: Bundling::Always,
            scheduler: StreamScheduler::FirstCome,
            delivery_sacks: DeliverySacks::WhenWindowOpens,
            path_mtu_discovery: PathMtuDiscovery::Automatic,
            initial_pmtu: 1500,
            outbound_streams: 10,
            max_inbound_streams: u16::MAX,
            send_buffer: 1 << 20,
            receive_buffer: 1 << 20,
            buffers: BufferSizes::Fixed,
            max_message_size: 1 << 30,
            partial_delivery_point: 512 << 10,
        };
        match self {
            Self::Rfc9260 => rfc,
            Self::Linux => Options {
                rto_initial: Duration::from_secs(3),
                send_buffer: 212_992,
                receive_buffer: 212_992,
                partial_delivery_point: 106_496,
                ..rfc
            },
            Self::Telecom => Options {
                rto_initial: Duration::from_millis(200),
                rto_min: Duration::from_millis(120),
                rto_max: Duration::from_millis(400),
                association_max_retrans: 6,
                path_max_retrans: 2,
                heartbeats: Heartbeats::Every(Duration::from_secs(5)),
                sack_delay: Duration::from_millis(40),
                ..rfc
            },
            Self::Datacenter => Options {
                rto_initial: Duration::from_millis(100),
                rto_min: Duration::from_millis(20),
                rto_max: Duration::from_secs(5),
                // DEVIATION RFC 9260 §6.1 D, §6.2: no burst limit, and a SACK for every seventh
                // packet: queues there are short and known, processors are what is scarce.
                max_burst: None,
                heartbeats: Heartbeats::Every(Duration::from_secs(5)),
                sack_delay: Duration::from_millis(10),
                sack_frequency: 7,
                send_buffer: 4 << 20,
                receive_buffer: 4 << 20,
                partial_delivery_point: 2 << 20,
                ..rfc
            },
            Self::Modern => Options {
                loss_detection: LossDetection::Rack,
                congestion: CongestionAlgorithm::Cubic,
                ..rfc
            },
            Self::Rfc2960 => Options {
                // RFC 2960 §14
                rto_initial: Duration::from_secs(3),
                window_rules: WindowRules::Rfc2960,
                missing_reports: 4,
                fast_retransmissions: FastRetransmissions::OtherPath,
                path_mtu_discovery: PathMtuDiscovery::Off,
                receive_buffer: 65_536,
                partial_delivery_point: 32_768,
                ..rfc
            },
        }
    }

    /// The profile of that name: `rfc9260`, `linux`, `telecom`, `datacenter`, `modern` or `rfc2960`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "rfc9260" => Some(Self::Rfc9260),
            "linux" => Some(Self::Linux),
            "telecom" => Some(Self::Telecom),
            "datacenter" => Some(Self::Datacenter),
            "modern" => Some(Self::Modern),
            "rfc2960" => Some(Self::Rfc2960),
            _ => None,
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Profile::Rfc9260.options()
    }
}

impl Options {
    /// The extensions that are offered to the peer.
    pub(crate) fn extensions(&self) -> ExtensionSet {
        let loss_recovery = match self.loss_recovery {
            LossRecovery::Selective => ExtensionSet::NONE,
            LossRecovery::GoBackN => ExtensionSet::GO_BACK_N,
        };
        let chunk_checksum = match self.chunk_checksum {
            ChunkChecksum::Off => ExtensionSet::NONE,
            ChunkChecksum::On => ExtensionSet::CHUNK_CHECKSUM,
        };
        let ecn = match self.ecn {
            ExplicitCongestion::Off => ExtensionSet::NONE,
            ExplicitCongestion::On => ExtensionSet::ECN,
        };
        let zero_checksum = self.zero_checksum.extension();
        let reconfiguration = match self.reconfiguration {
            Reconfiguration::Off => ExtensionSet::NONE,
            Reconfiguration::On(_) => ExtensionSet::RECONFIGURATION,
        };
        let authentication = match self.authentication {
            Authentication::Off => ExtensionSet::NONE,
            Authentication::On(_) => ExtensionSet::AUTHENTICATION,
        };
        let address_changes = match self.address_changes {
            AddressChanges::Off => ExtensionSet::NONE,
            AddressChanges::On | AddressChanges::Unauthenticated => ExtensionSet::ADDRESS_CHANGES,
        };
        let partial_reliability = match self.partial_reliability {
            PartialReliability::Off => ExtensionSet::NONE,
            PartialReliability::On => ExtensionSet::PARTIAL_RELIABILITY,
        };
        loss_recovery
            .union(address_changes)
            .union(authentication)
            .union(chunk_checksum)
            .union(ecn)
            .union(zero_checksum)
            .union(self.packet_drop_reports.extension())
            .union(reconfiguration)
            .union(partial_reliability)
            .union(self.interleaving.extension())
            .union(self.selective_acks.extension())
    }

    /// Checks every option against its range.
    ///
    /// # Errors
    /// The first option that is out of range, with what would be right.
    pub fn validate(&self) -> Result<(), OptionError> {
        let ms = Duration::from_millis;
        let secs = Duration::from_secs;
        let heartbeats = match self.heartbeats {
            Heartbeats::Every(interval) => (ms(10)..=secs(86_400)).contains(&interval),
            Heartbeats::Off => true,
        };
        let congestion = match self.congestion {
            CongestionAlgorithm::NewReno
            | CongestionAlgorithm::Cubic
            | CongestionAlgorithm::HighSpeed
            | CongestionAlgorithm::Bbr => true,
            CongestionAlgorithm::EarlyDecrease { factor, .. } => (1..=999).contains(&factor),
            CongestionAlgorithm::EcnDiscrimination | CongestionAlgorithm::Dctcp => {
                self.ecn == ExplicitCongestion::On
            }
        };
        let authentication = self.authentication.fault();
        let multipath = match self.multipath {
            Multipath::Off => true,
            Multipath::Concurrent(transfer) => {
                let coupled = transfer.coupling != Coupling::Uncoupled;
                self.loss_recovery == LossRecovery::Selective
                    && (!coupled || self.congestion == CongestionAlgorithm::NewReno)
            }
        };
        let rules = [
            (
                self.address_changes != AddressChanges::On
                    || self.authentication.options().is_some(),
                "address_changes",
                "need authentication (RFC 5061 §4.1.1)",
            ),
            (
                authentication.is_none(),
                "authentication",
                authentication.unwrap_or_default(),
            ),
            (
                (ms(10)..=secs(120)).contains(&self.rto_initial),
                "rto_initial",
                "must be 10 ms to 120 s",
            ),
            (
                (ms(10)..=self.rto_max).contains(&self.rto_min),
                "rto_min",
                "must be 10 ms to rto_max",
            ),
            (
                self.rto_max <= secs(600),
                "rto_max",
                "must be at most 600 s",
            ),
            (
                (1..=8).contains(&self.rto_alpha_shift),
                "rto_alpha_shift",
                "must be 1 to 8",
            ),
            (
                (1..=8).contains(&self.rto_beta_shift),
                "rto_beta_shift",
                "must be 1 to 8",
            ),
            (
                self.max_burst
                    .is_none_or(|burst| (1..=1000).contains(&burst)),
                "max_burst",
                "must be 1 to 1000, or none",
            ),
            (
                (ms(10)..=secs(3600)).contains(&self.valid_cookie_life),
                "valid_cookie_life",
                "must be 10 ms to 1 h",
            ),
            (
                (1..=1000).contains(&self.association_max_retrans),
                "association_max_retrans",
                "must be 1 to 1000",
            ),
            (
                self.path_max_retrans <= 1000,
                "path_max_retrans",
                "must be at most 1000",
            ),
            (
                self.potentially_failed_max_retrans
                    .is_none_or(|limit| limit <= 1000),
                "potentially_failed_max_retrans",
                "must be at most 1000, or none",
            ),
            (
                self.primary_switchover_max_retrans.is_none_or(|limit| {
                    let least = self.potentially_failed_max_retrans.unwrap_or(0);
                    (least..=1000).contains(&limit)
                }),
                "primary_switchover_max_retrans",
                "must be potentially_failed_max_retrans to 1000, or none",
            ),
            (
                self.max_init_retransmits <= 1000,
                "max_init_retransmits",
                "must be at most 1000",
            ),
            (
                heartbeats,
                "heartbeats",
                "the interval must be 10 ms to 1 day",
            ),
            (
                (1..=8).contains(&self.hb_max_burst),
                "hb_max_burst",
                "must be 1 to 8",
            ),
            (
                self.sack_delay <= ms(500),
                "sack_delay",
                "must be at most 500 ms (RFC 9260 §6.2)",
            ),
            (
                (1..=64).contains(&self.sack_frequency),
                "sack_frequency",
                "must be 1 to 64",
            ),
            (
                congestion,
                "congestion",
                "the factor of early decrease must be 1 to 999 thousandths, and ECN \
                 discrimination and DCTCP need ecn",
            ),
            (
                multipath,
                "multipath",
                "concurrent transfer needs selective acknowledgement, and coupled windows New Reno",
            ),
            (
                (1..=4).contains(&self.missing_reports),
                "missing_reports",
                "must be 1 to 4",
            ),
            (
                self.interleaving == Interleaving::Off || self.chunk_checksum == ChunkChecksum::Off,
                "interleaving",
                "must be off where chunk_checksum is on",
            ),
            (
                self.initial_pmtu >= 576,
                "initial_pmtu",
                "must be at least 576",
            ),
            (
                self.path_mtu_discovery.is_valid(),
                "path_mtu_discovery",
                "the longest packet must be 576 to 65535",
            ),
            (
                self.outbound_streams >= 1,
                "outbound_streams",
                "must be at least 1",
            ),
            (
                self.max_inbound_streams >= 1,
                "max_inbound_streams",
                "must be at least 1",
            ),
            (
                self.send_buffer >= 1500,
                "send_buffer",
                "must be at least 1500",
            ),
            (
                (4096..=1 << 30).contains(&self.receive_buffer),
                "receive_buffer",
                "must be 4096 to 1 GiB",
            ),
            (
                self.buffers.is_valid(),
                "buffers",
                "must not grow beyond 4096 to 1 GiB",
            ),
            (
                u32::try_from(self.max_message_size).is_ok_and(|size| size >= 1),
                "max_message_size",
                "must be 1 to 4 GiB less one",
            ),
            (
                self.partial_delivery_point >= 1,
                "partial_delivery_point",
                "must be at least 1",
            ),
        ];
        match rules.into_iter().find(|(holds, ..)| !holds) {
            None => Ok(()),
            Some((_, option, reason)) => Err(OptionError { option, reason }),
        }
    }
}

/// What holds for all associations of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointOptions {
    /// Associations held at most; default 100,000.
    pub max_associations: usize,
    /// User data held by all associations together at most, bytes; default 4 GiB (capped to the
    /// address space).
    pub max_memory: usize,
    /// How long a cookie secret signs new cookies before it is replaced; cookies of the one
    /// before stay valid. Default 5 min.
    pub secret_life: Duration,
    /// Who computes checksums; default `Computed`.
    pub checksum: Checksum,
    /// Which of several endpoints on the same addresses this one is; default the only one.
    pub shard: Shard,
}

impl Default for EndpointOptions {
    fn default() -> Self {
        Self {
            max_associations: 100_000,
            max_memory: usize::try_from(4_u64 << 30).unwrap_or(usize::MAX),
            secret_life: Duration::from_secs(300),
            checksum: Checksum::Computed,
            shard: Shard::ONLY,
        }
    }
}
