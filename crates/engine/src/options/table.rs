//! The table of options: one entry per option, from which everything about the option derives.

use core::time::Duration;

use super::Profile;
use super::declaration::{Field, OptionDeclaration, OptionGroup, Rule};
use super::declare::declare_options;
use super::form::choice::{OrOff, Words};
use super::form::number::{Attempts, CodePoint, Count, Size, Span};
use super::form::special::{
    Acknowledgements, AuthenticatedChunks, BUFFERS, Congestion, MTU_DISCOVERY, Methods,
    ProbeInterval, Requests, Scheduler, Transfer,
};
use crate::{
    AcknowledgementPolicy, AddressChanges, Admission, Authentication, BufferSizes, Bundling,
    ChunkChecksum, Coalescing, Coupling, DeliverySacks, EarlyData, ExplicitCongestion, Failover,
    FastRecoveryAtTimeout, FastRetransmissions, FirstHeartbeat, Heartbeats, Interleaving,
    KeyMethods, KeyRoles, LearnedAddresses, LossDetection, LossRecovery, MessageParts, Multipath,
    Pacing, PacketDropReports, PartialReliability, PathMtuDiscovery, ProtectedRestart, Protection,
    Reconfiguration, RestartPorts, RtoGains, SackStart, SelectiveAcks, SpuriousTimeouts,
    StreamScheduler, ZeroChecksum,
};
use crate::{CongestionAlgorithm, WindowRules};

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

const DAY: Duration = secs(86_400);
const KIB: u64 = 1 << 10;
const GIB: u64 = 1 << 30;

declare_options! {
    /// The protocol parameters of an association (RFC 9260 §16) and the optional behaviours.
    ///
    /// `Options::default()` is [`Profile::Modern`]; [`Profile::Rfc9260`] follows the RFC to the
    /// letter. Each option has a text form: see [`set`](Self::set), [`get`](Self::get) and
    /// [`declarations`](Self::declarations). `docs/options.md` lists them all.

    group Timers;

    /// RTO.Initial: first retransmission timeout of a path.
    rto_initial: Duration {
        form: Span(ms(10), secs(120));
        rfc: "RFC 9260 §6.3.1";
        Rfc9260: secs(1), Linux: secs(3), Telecom: ms(200), Datacenter: ms(100), Rfc2960: secs(3);
    }

    /// RTO.Min: shortest retransmission timeout.
    rto_min: Duration {
        form: Span(ms(10), secs(600));
        rfc: "RFC 9260 §6.3.1";
        Rfc9260: secs(1), Telecom: ms(120), Datacenter: ms(20), Modern: ms(200);
        needs "must not exceed rto_max": |o| o.rto_min <= o.rto_max;
    }

    /// RTO.Max: longest retransmission timeout.
    rto_max: Duration {
        form: Span(ms(10), secs(600));
        rfc: "RFC 9260 §6.3.1";
        Rfc9260: secs(60), Telecom: ms(400), Datacenter: secs(5);
    }

    /// RTO.Alpha as a right shift of the gain: 1/2^n.
    rto_alpha_shift: u8 {
        form: Count(1, 8);
        rfc: "RFC 9260 §6.3.1";
        Rfc9260: 3;
    }

    /// RTO.Beta as a right shift of the gain: 1/2^n.
    rto_beta_shift: u8 {
        form: Count(1, 8);
        rfc: "RFC 9260 §6.3.1";
        Rfc9260: 2;
    }

    /// Whether RTO.Alpha and RTO.Beta adapt to unexpected round trips.
    rto_gains: RtoGains {
        form: Words(&[("fixed", RtoGains::Fixed), ("adaptive", RtoGains::Adaptive)]);
        rfc: "RFC 9260 §6.3.1; adaptive gains are ours";
        Rfc9260: RtoGains::Fixed;
    }

    /// Valid.Cookie.Life: lifetime of a cookie.
    valid_cookie_life: Duration {
        form: Span(ms(10), secs(3600));
        rfc: "RFC 9260 §5.1.3";
        Rfc9260: secs(60);
    }

    /// HB.interval: time between heartbeats on an idle path. With dead_peer_timeout, a path is
    /// probed within this time after its last use.
    heartbeats: Heartbeats {
        form: ProbeInterval(OrOff(Span(ms(10), DAY)));
        rfc: "RFC 9260 §8.3";
        // Many NATs forget a UDP port after 30 s; RFC 8085 §3.5 asks for 15 s between keep-alives.
        Rfc9260: Heartbeats::Every(secs(30)), Telecom: Heartbeats::Every(secs(5)),
            Datacenter: Heartbeats::Every(secs(5)), Modern: Heartbeats::Every(secs(15));
    }

    /// When the regular heartbeats of a path start. A random start keeps associations that are set
    /// up together from sending their heartbeats together.
    first_heartbeat: FirstHeartbeat {
        form: Words(&[
            ("after-interval", FirstHeartbeat::AfterInterval),
            ("at-random", FirstHeartbeat::AtRandom),
        ]);
        rfc: "RFC 9260 §8.3; the second is ours";
        Rfc9260: FirstHeartbeat::AfterInterval, Datacenter: FirstHeartbeat::AtRandom,
            Modern: FirstHeartbeat::AtRandom;
    }

    /// HB.Max.Burst: heartbeats sent per timer expiry.
    hb_max_burst: u8 {
        form: Count(1, 8);
        rfc: "RFC 9260 §8.3";
        Rfc9260: 1;
    }

    group Failover;

    /// Association.Max.Retrans: consecutive unanswered sends after which the association ends; with
    /// dead_peer_timeout, the limit applies per path.
    association_max_retrans: u32 {
        form: Attempts(1);
        rfc: "RFC 9260 §8.1";
        Rfc9260: 10, Telecom: 6;
    }

    /// Path.Max.Retrans: consecutive unanswered sends after which a path becomes inactive.
    path_max_retrans: u32 {
        form: Attempts(0);
        rfc: "RFC 9260 §8.2";
        // With Modern's RTO, a path is reported down after about 3 s.
        Rfc9260: 5, Telecom: 2, Modern: 3;
    }

    /// PotentiallyFailed.Max.Retrans: consecutive unanswered sends after which a path is
    /// potentially failed and new data uses another path. No effect at or above path_max_retrans,
    /// or with a single path.
    potentially_failed_max_retrans: Option<u32> {
        form: OrOff(Count(0, 1000));
        rfc: "RFC 7829 §3";
        // RFC 7829 §3 recommends 0, as Linux uses.
        Rfc9260: None, Linux: Some(0), Telecom: Some(0), Datacenter: Some(0), Modern: Some(0);
    }

    /// Evidence that a path has failed: timeouts alone, or two round trips without an
    /// acknowledgement. In the latter case the oldest data is sent on another active path as well,
    /// which shows whether only the first path fails; a path that is down is then probed every few
    /// seconds, and SACKs and replies leave on the path that the data came on.
    failover: Failover {
        form: Words(&[("timeouts", Failover::Timeouts), ("round-trips", Failover::RoundTrips)]);
        rfc: "RFC 9260 §6.4, §8.2, §8.3; the second is ours";
        // DEVIATION RFC 9260 §8.2: a path has failed once another path has brought an answer that
        // this one did not, whether or not T3-rtx has expired.
        Rfc9260: Failover::Timeouts, Linux: Failover::RoundTrips, Telecom: Failover::RoundTrips,
            Datacenter: Failover::RoundTrips, Modern: Failover::RoundTrips;
    }

    /// Primary.Switchover.Max.Retrans: consecutive unanswered sends after which another active path
    /// becomes the primary path permanently.
    primary_switchover_max_retrans: Option<u32> {
        form: OrOff(Count(0, 1000));
        rfc: "RFC 7829 §4";
        Rfc9260: None;
        needs "must not be less than potentially_failed_max_retrans": |o| {
            let least = o.potentially_failed_max_retrans.unwrap_or(0);
            o.primary_switchover_max_retrans.is_none_or(|limit| limit >= least)
        };
    }

    /// Dead-peer time: the association ends if nothing has come from the peer for this long while
    /// data, a request or a heartbeat awaits an answer. The time starts when the first timeout
    /// shows the silence. Between heartbeats an idle association awaits nothing. If off,
    /// association_max_retrans alone decides.
    dead_peer_timeout: Option<Duration> {
        form: OrOff(Span(ms(100), DAY));
        rfc: "RFC 9260 §8.1; the time is ours";
        Rfc9260: None, Datacenter: Some(secs(20)), Modern: Some(secs(20));
        needs "must exceed heartbeats by a third of them or more: if a NAT gives the peer another port, \
               the peer's next heartbeat is the first to show it": |o| {
            o.dead_peer_timeout.is_none_or(|limit| o.heartbeats.come_within(limit))
        };
    }

    /// Max.Init.Retransmits: unanswered INITs after which connecting fails.
    max_init_retransmits: u32 {
        form: Attempts(0);
        rfc: "RFC 9260 §5.1";
        Rfc9260: 8;
    }

    /// The UDP ports from which a peer may restart an association that it has lost.
    restart_ports: RestartPorts {
        form: Words(&[("current", RestartPorts::Current), ("any", RestartPorts::Any)]);
        rfc: "draft-tuexen-tsvwg-sctp-udp-encaps-cons-03 §4";
        Rfc9260: RestartPorts::Current;
    }

    group Acknowledgement;

    /// SACK.Delay: longest delay before received DATA is acknowledged.
    sack_delay: Duration {
        form: Span(ms(0), ms(500));
        rfc: "RFC 9260 §6.2";
        Rfc9260: ms(200), Telecom: ms(40), Datacenter: ms(10), Modern: ms(40);
    }

    /// Number of packets with DATA per SACK.
    sack_frequency: u8 {
        form: Count(1, 64);
        rfc: "RFC 9260 §6.2";
        // DEVIATION RFC 9260 §6.2: one SACK per seven packets in a data centre, where queues are
        // short and known and CPU time is the limit.
        Rfc9260: 2, Datacenter: 7;
    }

    /// Whether the first packets of an association, and those after a gap or an expired SACK delay,
    /// are acknowledged one by one.
    sack_start: SackStart {
        form: Words(&[("delayed", SackStart::Delayed), ("quick", SackStart::Quick)]);
        rfc: "RFC 9260 §6.2, which allows it";
        Rfc9260: SackStart::Delayed, Modern: SackStart::Quick;
    }

    /// The rule by which received DATA is acknowledged. A program can supply one, which then
    /// replaces sack_delay and sack_frequency.
    acknowledgement_policy: AcknowledgementPolicy {
        form: Acknowledgements;
        rfc: "RFC 9260 §6.2";
        Rfc9260: AcknowledgementPolicy::Standard;
    }

    /// Whether reading, as well as arrival, triggers SACKs.
    delivery_sacks: DeliverySacks {
        form: Words(&[
            ("when-window-opens", DeliverySacks::WhenWindowOpens),
            ("always", DeliverySacks::Always),
        ]);
        rfc: "RFC 9260 §6.2";
        Rfc9260: DeliverySacks::WhenWindowOpens;
    }

    /// Whether a receiver may drop data that it acknowledged beyond a gap; non-renegable
    /// acknowledgements (NR-SACK) need both ends.
    selective_acks: SelectiveAcks {
        form: Words(&[
            ("renegable", SelectiveAcks::Renegable),
            ("non-renegable", SelectiveAcks::NonRenegable),
        ]);
        rfc: "draft-natarajan-tsvwg-sctp-nrsack";
        Rfc9260: SelectiveAcks::Renegable;
    }

    /// Whether small messages wait to be bundled.
    coalescing: Coalescing {
        form: Words(&[("no-delay", Coalescing::NoDelay), ("nagle", Coalescing::Nagle)]);
        rfc: "RFC 9260 §6.1";
        Rfc9260: Coalescing::NoDelay;
    }

    /// Whether a chunk that fills a packet may be bundled with others.
    bundling: Bundling {
        form: Words(&[
            ("always", Bundling::Always),
            ("spare-full-chunks", Bundling::SpareFullChunks),
        ]);
        rfc: "RFC 9260 §6.10";
        Rfc9260: Bundling::Always;
    }

    /// User data sent before the association is up: as much as fits the packet with the COOKIE
    /// ECHO, or an initial window if the peer accepts that. Either saves a round trip.
    early_data: EarlyData {
        form: Words(&[
            ("off", EarlyData::Off),
            ("with-cookie", EarlyData::WithCookie),
            ("first-window", EarlyData::FirstWindow),
        ]);
        rfc: "RFC 9260 §5.1 D";
        Rfc9260: EarlyData::Off, Linux: EarlyData::WithCookie, Modern: EarlyData::FirstWindow;
    }

    group Congestion;

    /// The congestion control. Early decrease is New Reno that also cuts its window, by the given
    /// number of thousandths, before a loss: while a heartbeat is unanswered, or always.
    congestion: CongestionAlgorithm {
        form: Congestion;
        rfc: "RFC 9260 §7.2, RFC 9438, RFC 3649, RFC 8257, draft-ietf-ccwg-bbr-06";
        Rfc9260: CongestionAlgorithm::NewReno, Modern: CongestionAlgorithm::Cubic;
        needs "needs ecn = on": |o| o.ecn == ExplicitCongestion::On || !o.congestion.needs_ecn();
    }

    /// Whether new data is sent evenly spread over the round trip.
    pacing: Pacing {
        form: Words(&[("off", Pacing::Off), ("on", Pacing::On)]);
        rfc: "RFC 9260 §6.1";
        Rfc9260: Pacing::Off;
    }

    /// Most queueing delay that new data may add to the least round trip; excess data waits above
    /// the scheduler, where more urgent data overtakes it. If off, only the congestion and receive
    /// windows limit the queue. If other flows fill the same queue, little is sent.
    standing_queue: Option<Duration> {
        form: OrOff(Span(Duration::from_micros(10), secs(10)));
        rfc: "RFC 6817 in its aim; the rule is ours";
        Rfc9260: None;
    }

    /// Initial and minimum congestion window, and slow-start growth: as in RFC 9260, RFC 2960 or
    /// RFC 6928; stretched, which allows up to eight packets of growth per SACK; or hystart, which
    /// is stretched with the initial window of RFC 6928 and ends the first slow start when round
    /// trips grow.
    window_rules: WindowRules {
        form: Words(&[
            ("rfc9260", WindowRules::Rfc9260),
            ("rfc2960", WindowRules::Rfc2960),
            ("rfc6928", WindowRules::Rfc6928),
            ("stretched", WindowRules::SlowStartL8),
            ("hystart", WindowRules::HyStart),
        ]);
        rfc: "RFC 9260 §7.2.1, RFC 6928, RFC 9406";
        Rfc9260: WindowRules::Rfc9260, Modern: WindowRules::HyStart,
            Rfc2960: WindowRules::Rfc2960;
    }

    /// Max.Burst: full packets of new data that one SACK may release. A SACK for more than two
    /// packets counts as the several SACKs that RFC 9260 §6.2 would have required.
    max_burst: Option<u16> {
        form: OrOff(Count(1, 1000));
        rfc: "RFC 9260 §6.1 D";
        // DEVIATION RFC 9260 §6.1 D: no burst limit in a data centre, for the same reason as its
        // few SACKs; and, with windows larger than those of 2007, as many packets as RFC 6928 §2
        // allows TCP initially.
        Rfc9260: Some(4), Datacenter: None, Modern: Some(10);
    }

    /// Detection of losses: by miss indications, or by time (RACK-TLP).
    loss_detection: LossDetection {
        form: Words(&[
            ("missing-reports", LossDetection::MissingReports),
            ("rack", LossDetection::Rack),
        ]);
        rfc: "RFC 9260 §7.2.4, RFC 8985";
        Rfc9260: LossDetection::MissingReports, Modern: LossDetection::Rack;
    }

    /// Whether a spurious retransmission timeout is undone, with time-based loss detection: data
    /// not yet retransmitted counts as in flight again, and CUBIC restores its window.
    spurious_timeouts: SpuriousTimeouts {
        form: Words(&[("kept", SpuriousTimeouts::Kept), ("undone", SpuriousTimeouts::Undone)]);
        rfc: "RFC 5682 §3.1, RFC 4015, RFC 9438 §4.9.1";
        Rfc9260: SpuriousTimeouts::Kept, Modern: SpuriousTimeouts::Undone;
    }

    /// Miss indications that trigger a fast retransmission.
    missing_reports: u8 {
        form: Count(1, 4);
        rfc: "RFC 9260 §7.2.4";
        Rfc9260: 3, Rfc2960: 4;
    }

    /// The path of fast retransmissions if the peer has several addresses.
    fast_retransmissions: FastRetransmissions {
        form: Words(&[
            ("same-path", FastRetransmissions::SamePath),
            ("other-path", FastRetransmissions::OtherPath),
        ]);
        rfc: "RFC 9260 §6.4";
        Rfc9260: FastRetransmissions::SamePath, Rfc2960: FastRetransmissions::OtherPath;
    }

    /// Whether Fast Recovery ends when T3-rtx expires. If not, as in ns-2, the window stays at one
    /// packet until everything outstanding at the start of the recovery is acknowledged.
    fast_recovery_at_timeout: FastRecoveryAtTimeout {
        form: Words(&[
            ("ends", FastRecoveryAtTimeout::Ends),
            ("lasts", FastRecoveryAtTimeout::Lasts),
        ]);
        rfc: "RFC 9260 §7.2.3, §7.2.4; the second is ns-2's";
        Rfc9260: FastRecoveryAtTimeout::Ends;
    }

    /// Whether data beyond a gap is stored and reported; go-back-n needs both ends.
    loss_recovery: LossRecovery {
        form: Words(&[
            ("selective", LossRecovery::Selective),
            ("go-back-n", LossRecovery::GoBackN),
        ]);
        rfc: "RFC 9260 §6.2.1; go-back-n is a private extension";
        Rfc9260: LossRecovery::Selective;
    }

    group Extensions;

    /// Explicit congestion notification: lets routers mark packets instead of dropping them, if the
    /// peer agrees.
    ecn: ExplicitCongestion {
        form: Words(&[("off", ExplicitCongestion::Off), ("on", ExplicitCongestion::On)]);
        rfc: "RFC 3168, RFC 4960 Appendix A";
        Rfc9260: ExplicitCongestion::Off;
    }

    /// Whether fragments of messages on different streams may be interleaved, if the peer agrees.
    interleaving: Interleaving {
        form: Words(&[("off", Interleaving::Off), ("on", Interleaving::On)]);
        rfc: "RFC 8260";
        Rfc9260: Interleaving::Off;
        needs "needs chunk_checksum = off": |o| {
            o.interleaving == Interleaving::Off || o.chunk_checksum == ChunkChecksum::Off
        };
    }

    /// Whether messages may be abandoned (partial reliability), if the peer agrees.
    partial_reliability: PartialReliability {
        form: Words(&[("off", PartialReliability::Off), ("on", PartialReliability::On)]);
        rfc: "RFC 3758, RFC 7496";
        Rfc9260: PartialReliability::Off;
    }

    /// Whether streams may be reset and added, if the peer agrees, and which requests of the peer
    /// are granted: all or some.
    reconfiguration: Reconfiguration {
        form: Requests;
        rfc: "RFC 6525";
        Rfc9260: Reconfiguration::Off;
    }

    /// The chunk types that the peer must authenticate, if both ends authenticate: ASCONF and
    /// ASCONF ACK, all possible ones, or a list.
    authentication: Authentication {
        form: AuthenticatedChunks;
        rfc: "RFC 4895";
        Rfc9260: Authentication::Off;
        needs "SHA-1 must be among the algorithms, and each there once (RFC 4895 §3.3); each key \
               id must be there once, and the active one among them": |o| {
            o.authentication.fault().is_none()
        };
    }

    /// Whether addresses may change during an association, if the peer agrees; accept changes
    /// without authentication only from peers that offer nothing better.
    address_changes: AddressChanges {
        form: Words(&[
            ("off", AddressChanges::Off),
            ("on", AddressChanges::On),
            ("unauthenticated", AddressChanges::Unauthenticated),
        ]);
        rfc: "RFC 5061";
        Rfc9260: AddressChanges::Off;
        needs "needs authentication (RFC 5061 §4.1.1) or protection = strict": |o| {
            o.address_changes != AddressChanges::On
                || o.authentication.options().is_some()
                || o.protection == Protection::Strict
        };
    }

    /// Whether packets are encrypted in DTLS chunks, once a key manager has given the keys: with peers
    /// that can (loose), or with no others (strict). Experimental: the draft and its numbers may change.
    protection: Protection {
        form: Words(&[
            ("off", Protection::Off),
            ("loose", Protection::Loose),
            ("strict", Protection::Strict),
        ]);
        rfc: "draft-ietf-tsvwg-sctp-dtls-chunk-04";
        Rfc9260: Protection::Off;
        needs "cannot be used beside authentication (draft-ietf-tsvwg-sctp-dtls-chunk-04 §3.2)": |o| {
            o.protection == Protection::Off || o.authentication.options().is_none()
        };
    }

    /// The roles in which keys for DTLS chunks are agreed on.
    key_roles: KeyRoles {
        form: Words(&[
            ("client", KeyRoles::Client),
            ("server", KeyRoles::Server),
            ("either", KeyRoles::Either),
        ]);
        rfc: "draft-ietf-tsvwg-sctp-dtls-chunk-04 §4.1";
        Rfc9260: KeyRoles::Either;
    }

    /// The methods by which keys for DTLS chunks are agreed on, the best in front: 0 for keys that the
    /// user gives.
    key_methods: KeyMethods {
        form: Methods;
        rfc: "draft-ietf-tsvwg-sctp-dtls-chunk-04 §9.1";
        Rfc9260: KeyMethods::default();
    }

    /// Whether an end that has lost its state, but not its restart keys, may set a protected association
    /// up again.
    protected_restart: ProtectedRestart {
        form: Words(&[("off", ProtectedRestart::Off), ("on", ProtectedRestart::On)]);
        rfc: "draft-ietf-tsvwg-sctp-dtls-chunk-04 §5.4";
        Rfc9260: ProtectedRestart::Off;
    }

    /// Records of DTLS chunks that are remembered, so that none is taken twice: at least the packets by
    /// which a fast path overtakes a slow one.
    replay_window: u16 {
        form: Count(64, 16_384);
        rfc: "draft-ietf-tsvwg-sctp-dtls-chunk-04 §3.1";
        Rfc9260: 2048;
    }

    /// Adaptation indication: the user's protocol above SCTP, a number that users agree on, which
    /// the peer's user is told.
    adaptation_indication: Option<u32> {
        form: OrOff(Count(0, u32::MAX));
        rfc: "RFC 5061 §4.2.6";
        Rfc9260: None;
    }

    /// Whether packets omit the CRC32c, if the peer wants that, too, because DTLS or the memory of
    /// one machine protects them.
    zero_checksum: ZeroChecksum {
        form: Words(&[
            ("off", ZeroChecksum::Off),
            ("dtls", ZeroChecksum::Dtls),
            ("memory", ZeroChecksum::Memory),
        ]);
        rfc: "RFC 9653";
        Rfc9260: ZeroChecksum::Off;
    }

    /// Whether each DATA chunk header has a checksum of its own, if the peer agrees, so that
    /// damaged data can be distinguished from lost data.
    chunk_checksum: ChunkChecksum {
        form: Words(&[("off", ChunkChecksum::Off), ("on", ChunkChecksum::On)]);
        rfc: "docs/chunk-checksum.md";
        Rfc9260: ChunkChecksum::Off;
    }

    /// Whether the receiver of a damaged packet reports it to the sender, if the peer agrees.
    packet_drop_reports: PacketDropReports {
        form: Words(&[("off", PacketDropReports::Off), ("on", PacketDropReports::On)]);
        rfc: "draft-stewart-sctp-pktdrprep";
        Rfc9260: PacketDropReports::Off;
    }

    group Multipath;

    /// Whether the peer may be heard at addresses that it did not list: those that translators and changes of
    /// networks give it. A HEARTBEAT with the tag of the association shows such an address, which gets data
    /// once it has proved to be the peer's.
    learned_addresses: LearnedAddresses {
        form: Words(&[("off", LearnedAddresses::Off), ("over-udp", LearnedAddresses::OverUdp)]);
        rfc: "RFC 9260 §5.4, §8.4; ours";
        Rfc9260: LearnedAddresses::Off, Linux: LearnedAddresses::OverUdp,
            Telecom: LearnedAddresses::OverUdp, Datacenter: LearnedAddresses::OverUdp,
            Modern: LearnedAddresses::OverUdp;
    }

    /// Messages up to this length leave on every active path at once, each under one TSN, and the first
    /// copy to arrive counts.
    redundancy: Option<u32> {
        form: OrOff(Size(1, GIB));
        rfc: "RFC 9260 §6.2, §7.2; ours";
        Rfc9260: None;
    }

    /// Whether new data leaves on several paths at a time.
    multipath: Multipath {
        form: Transfer;
        rfc: "draft-tuexen-tsvwg-sctp-multipath";
        Rfc9260: Multipath::Off;
        needs "concurrent transfer needs loss_recovery = selective": |o| {
            o.multipath == Multipath::Off || o.loss_recovery == LossRecovery::Selective
        };
        needs "coupled windows need congestion = new-reno": |o| {
            o.multipath.coupling() == Coupling::Uncoupled
                || o.congestion == CongestionAlgorithm::NewReno
        };
    }

    group Sizes;

    /// Outbound streams requested.
    outbound_streams: u16 {
        form: Count(1, u16::MAX);
        rfc: "RFC 9260 §5.1.1";
        Rfc9260: 10;
    }

    /// Most inbound streams granted.
    max_inbound_streams: u16 {
        form: Count(1, u16::MAX);
        rfc: "RFC 9260 §5.1.1";
        Rfc9260: u16::MAX;
    }

    /// The scheduler, which selects the stream that sends next.
    scheduler: StreamScheduler {
        form: Scheduler;
        rfc: "RFC 8260 §3";
        Rfc9260: StreamScheduler::FirstCome;
    }

    /// Bytes that may be queued or unacknowledged. A larger message is accepted once half of the
    /// buffer is free; an eighth more is reserved for small messages beside larger ones. With
    /// `buffers = auto`, the minimum.
    send_buffer: usize {
        form: Size(1500, u64::MAX);
        rfc: "RFC 9260 §6.1";
        Rfc9260: 1 << 20, Linux: 212_992, Datacenter: 4 << 20;
    }

    /// Whether a message must fit the free part of the send buffer.
    admission: Admission {
        form: Words(&[
            ("when-it-fits", Admission::WhenItFits),
            ("while-not-full", Admission::WhileNotFull),
        ]);
        rfc: "RFC 9260 §6.1";
        Rfc9260: Admission::WhenItFits;
    }

    /// Bytes that may wait to be read; determines the advertised window. With `buffers = auto`, the
    /// minimum.
    receive_buffer: usize {
        form: Size(4 * KIB, GIB);
        rfc: "RFC 9260 §6.1 A";
        Rfc9260: 1 << 20, Linux: 212_992, Datacenter: 4 << 20, Rfc2960: 65_536;
    }

    /// Whether send and receive buffer follow the bandwidth-delay product, up to a maximum (default
    /// 64 MiB).
    buffers: BufferSizes {
        form: BUFFERS;
        rfc: "Fisk and Feng 2001";
        Rfc9260: BufferSizes::Fixed, Modern: BufferSizes::AUTO;
    }

    /// Longest message that may be sent.
    max_message_size: usize {
        form: Size(1, 4 * GIB - 1);
        rfc: "RFC 9260 §6.9";
        Rfc9260: 1 << 30;
    }

    /// Whether other messages may come between the parts of a partially delivered message.
    message_parts: MessageParts {
        form: Words(&[
            ("mixed", MessageParts::Mixed),
            ("together", MessageParts::Together),
        ]);
        rfc: "RFC 6458 §8.1.20";
        Rfc9260: MessageParts::Mixed;
    }

    /// Bytes of an incomplete message at which partial delivery begins.
    partial_delivery_point: usize {
        form: Size(1, u64::MAX);
        rfc: "RFC 9260 §6.9";
        // Half of the receive buffer.
        Rfc9260: 512 << 10, Linux: 106_496, Datacenter: 2 << 20, Rfc2960: 32_768;
    }

    /// Initial path MTU, bytes of IP packet. Values below 576 are for carriers that wrap packets,
    /// such as DTLS, whose own packets may be limited to 576 bytes.
    initial_pmtu: u16 {
        form: Size(512, 65_535);
        rfc: "RFC 9260 §7.3";
        Rfc9260: 1500;
    }

    /// Whether path MTUs are discovered by probing, up to a maximum (default 9000 bytes); automatic
    /// leaves the choice to the carrier.
    path_mtu_discovery: PathMtuDiscovery {
        form: MTU_DISCOVERY;
        rfc: "RFC 8899, RFC 4820";
        Rfc9260: PathMtuDiscovery::Automatic, Rfc2960: PathMtuDiscovery::Off;
    }

    group Marking;

    /// The Differentiated Services code point of packets.
    dscp: u8 {
        form: CodePoint;
        rfc: "RFC 2474 §3";
        Rfc9260: 0;
    }

    /// The IPv6 flow label of packets; 0 lets the system choose.
    flow_label: u32 {
        form: Count(0, 0xf_ffff);
        rfc: "RFC 6437 §3";
        Rfc9260: 0;
    }
}
