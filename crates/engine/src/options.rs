mod congestion;
mod endpoint;
mod losses;
mod profile;
mod ranges;

use core::time::Duration;

pub use self::congestion::{CongestionAlgorithm, DecreaseTrigger, WindowRules};
pub use self::endpoint::EndpointOptions;
pub use self::losses::{FastRetransmissions, LossDetection, LossRecovery};
pub use self::profile::Profile;
use crate::extensions::ExtensionSet;
use crate::{
    AddressChanges, Authentication, BufferSizes, Interleaving, Multipath, Pacing,
    PacketDropReports, PartialReliability, PathMtuDiscovery, Reconfiguration, RestartPorts,
    SelectiveAcks, StreamScheduler, ZeroChecksum,
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
    /// Whether a peer may restart an association through another UDP port; default `Current`.
    pub restart_ports: RestartPorts,
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
}
