use core::time::Duration;

use super::{
    Bundling, ChunkChecksum, Coalescing, CongestionAlgorithm, DeliverySacks, ExplicitCongestion,
    FastRetransmissions, Heartbeats, LossDetection, LossRecovery, Options, RtoGains, WindowRules,
};
use crate::{
    AddressChanges, Authentication, BufferSizes, Interleaving, Multipath, Pacing,
    PacketDropReports, PartialReliability, PathMtuDiscovery, Reconfiguration, RestartPorts,
    SelectiveAcks, StreamScheduler, ZeroChecksum,
};

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
    /// (RACK-TLP, RFC 8985), CUBIC (RFC 9438), and a slow start that bears a SACK for many packets.
    /// The peer need know of none.
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
            restart_ports: RestartPorts::Current,
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
                window_rules: WindowRules::Stretched,
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
