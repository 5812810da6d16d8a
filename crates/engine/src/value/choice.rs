use core::time::Duration;

use super::extension::ExtensionSet;

/// The number of attempts that never ends, for options that count attempts: `unlimited` as text.
pub const UNLIMITED: u32 = u32::MAX;

/// When small messages wait for company (RFC 9260 §6.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Coalescing {
    /// A message is sent as soon as the windows allow it.
    #[default]
    NoDelay,
    /// Nagle's rule: less than a full packet waits while data is outstanding.
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

/// Whether user data leaves before the association is up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EarlyData {
    /// No user data: COOKIE ECHO leaves without DATA.
    #[default]
    Off,
    /// Data handed over before the peer's INIT ACK came fills up the packet with the COOKIE ECHO (RFC
    /// 9260 §5.1 D), no other. If that is not answered the COOKIE ECHO leaves again alone, and the data
    /// once the association is up: the path may carry no packet of that length. Not where the peer
    /// wants chunks authenticated, nor with concurrent multipath transfer.
    WithCookie,
    /// A first congestion window of data, in packets that all begin with the COOKIE ECHO, so that any of
    /// them sets the association up: what TCP sends with its first ACK. RFC 9260 §5.1
    /// allows one packet before COOKIE ACK; more, up to twelve, leave where the peer's INIT ACK says
    /// that it takes them, by a parameter of the private type 0x9E04. Other peers get
    /// [`WithCookie`](Self::WithCookie). Each packet has less room by the cookie, some 100 bytes of
    /// ours.
    FirstWindow,
}

/// Acknowledgement of the first packets of an association, and of those after a gap or a SACK that
/// waited in vain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SackStart {
    /// Acknowledged like any others, but for the very first packet, which is acknowledged at once.
    #[default]
    Delayed,
    /// Each of 16 is acknowledged at once, so that a small window grows without waiting for the SACK
    /// of an odd packet.
    Quick,
}

/// Whether other messages may come between the parts of one that is handed over in parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MessageParts {
    /// Messages of other streams may: each part names its stream.
    #[default]
    Mixed,
    /// None may, for programs that know messages by their ends alone: levels 0 and 1 of
    /// `SCTP_FRAGMENT_INTERLEAVE` (RFC 6458 §8.1.20). Interleaved data (RFC 8260) comes mixed all the
    /// same.
    Together,
}

/// Whether a message has to fit what is free of the send buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Admission {
    /// A message enters that fits; one that is larger than the buffer, once half of it is free.
    #[default]
    WhenItFits,
    /// Any message enters while the buffer is not full, as with Linux's sockets: whoever finds room
    /// for one byte may send as much as a message can have.
    WhileNotFull,
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

/// Whether idle paths are probed (RFC 9260 §8.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Heartbeats {
    /// Each idle path is probed every HB.interval plus RTO, with jitter of half an RTO each way.
    Every(Duration),
    /// Only unconfirmed addresses are probed.
    Off,
}

impl Heartbeats {
    /// Whether the heartbeat of an idle end reaches its peer before the peer's dead-peer time is over,
    /// with a quarter of that time left for repetitions. Without heartbeats nothing is promised.
    #[must_use]
    pub fn come_within(self, dead_peer_timeout: Duration) -> bool {
        match self {
            Self::Every(interval) => interval <= dead_peer_timeout / 4 * 3,
            Self::Off => true,
        }
    }
}

/// The beginning of the periods after each of which a path is probed if it was not used in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FirstHeartbeat {
    /// When the association is up, or the path was last probed for another reason: the first
    /// heartbeat leaves HB.interval plus RTO after that, if the path is idle from then on.
    #[default]
    AfterInterval,
    /// At a random moment of the HB.interval that follows, so that many associations that are set up,
    /// or come back, at once do not beat together. The first heartbeat of an idle path leaves up to
    /// one HB.interval later; the following ones keep their distance.
    AtRandom,
}

/// Whether the header of each DATA chunk has a checksum of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ChunkChecksum {
    /// DATA headers have no checksum (RFC 9260).
    #[default]
    Off,
    /// DATA headers have a checksum, if the peer agrees: a chunk whose payload alone was damaged on
    /// the way is told from one that was lost, and sent again at once without a change to the
    /// window. See `docs/chunk-checksum.md`.
    On,
}

/// Whether routers may mark packets instead of dropping them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ExplicitCongestion {
    /// Routers may not mark: all packets leave as not ECN-capable (RFC 9260).
    #[default]
    Off,
    /// Routers may mark, if the peer agrees (RFC 3168, RFC 4960 Appendix A): new DATA leaves as
    /// ECT(0), the receiver echoes marks in ECNE until it hears CWR, and the sender cuts its window
    /// once per window of data as if a packet had been lost.
    On,
}

/// Whether fragments of messages on different streams may alternate, so that a large message does
/// not hold up the others (RFC 8260).
///
/// Both ends must have chosen it; then user data travels in I-DATA, and the
/// [scheduler](crate::StreamScheduler) chooses a stream for each chunk instead of each message. One
/// that fills the receiver's buffer is handed over in parts, and so may be several at once, one of
/// each stream. Cannot be combined with [`ChunkChecksum::On`](crate::ChunkChecksum), which has a
/// chunk format of its own. Towards Linux leave it off: its fragments are numbered otherwise than
/// RFC 8260 §2.1 says (seen with 6.1), so that only messages of one chunk pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Interleaving {
    /// Fragments may not alternate: a message that was begun is sent to its end (RFC 9260 §6.9).
    #[default]
    Off,
    /// Fragments may alternate, if the peer agrees.
    On,
}

impl Interleaving {
    pub(crate) const fn extension(self) -> ExtensionSet {
        match self {
            Self::Off => ExtensionSet::NONE,
            Self::On => ExtensionSet::INTERLEAVING.union(ExtensionSet::I_FORWARD_TSN),
        }
    }
}

/// Whether a receiver may drop what it has acknowledged beyond a gap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SelectiveAcks {
    /// The receiver may drop acknowledged data when memory runs short, and so the sender keeps all
    /// of it (RFC 9260 §6.2).
    #[default]
    Renegable,
    /// The receiver says that it drops nothing, if the peer does, too: NR-SACK in place of SACK
    /// (draft-natarajan-tsvwg-sctp-nrsack). The sender frees what is acknowledged so, and has room
    /// for new messages while a loss is being repaired. The receiver keeps an eighth of its buffer
    /// for what comes in order, and drops nothing. Without effect where both ends have
    /// [`LossRecovery::GoBackN`](crate::LossRecovery::GoBackN).
    NonRenegable,
}

impl SelectiveAcks {
    pub(crate) const fn extension(self) -> ExtensionSet {
        match self {
            Self::Renegable => ExtensionSet::NONE,
            Self::NonRenegable => ExtensionSet::NR_SACK,
        }
    }
}

/// Whether each end tells the other of packets that arrive with a wrong checksum
/// (draft-stewart-sctp-pktdrprep, which the SCTP of the BSDs has).
///
/// The sender then repeats what was in them at once, and leaves its windows as they are: the packet
/// was damaged, not dropped by a full queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PacketDropReports {
    /// Neither tells.
    #[default]
    Off,
    /// Both do, if the peer has it, too.
    On,
}

impl PacketDropReports {
    pub(crate) const fn extension(self) -> ExtensionSet {
        match self {
            Self::Off => ExtensionSet::NONE,
            Self::On => ExtensionSet::PACKET_DROP_REPORTS,
        }
    }
}

/// Whether packets go without a CRC32c where the peer takes them so, since something else finds
/// damage (RFC 9653).
///
/// Both ends must have chosen the same. INIT, INIT ACK and COOKIE ECHO have their CRC32c all the
/// same, and so has whatever belongs to no association, or may to the peer: what is sent while the
/// association closes, and while the peer does not answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ZeroChecksum {
    /// Every packet has one (RFC 9260 §6.8).
    #[default]
    Off,
    /// The packets travel in DTLS records, which are authenticated (error detection method 1,
    /// RFC 9653 §6; RFC 8261). The carrier must see to it.
    Dtls,
    /// The packets never leave the memory of this machine, or a network card checks them (error
    /// detection method 0xFFFF9E03, which is not registered: for measurements between endpoints of
    /// ours).
    Memory,
}

impl ZeroChecksum {
    pub(crate) const fn extension(self) -> ExtensionSet {
        match self {
            Self::Off => ExtensionSet::NONE,
            Self::Dtls => ExtensionSet::ZERO_CHECKSUM_DTLS,
            Self::Memory => ExtensionSet::ZERO_CHECKSUM_MEMORY,
        }
    }
}

/// The UDP port through which an INIT must come to be answered where its sender has an association
/// already (draft-tuexen-tsvwg-sctp-udp-encaps-cons-03 §4).
///
/// Such an INIT proves nothing: behind an address translator it may be of another host that has
/// chosen the same SCTP port, and would take the association over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RestartPorts {
    /// The one through which that address of the peer is reached, or none if it is reached without
    /// UDP; any other gets an ABORT with the cause Restart of an Association with New Encapsulation
    /// Port, and the association goes on. A peer that lost its state and its UDP port waits until
    /// the association has ended.
    #[default]
    Current,
    /// Any: the INIT begins a restart as RFC 9260 §5.2.2 has it.
    Any,
}

/// Whether an association finds out how long the packets are that its paths carry (RFC 8899).
///
/// It probes with packets that hold a HEARTBEAT and padding (RFC 4820) and nothing that would be
/// missed, so that no data waits for a probe that is lost, and no peer needs to know of it. All
/// other packets must then not be fragmented on their way: the carrier heeds
/// [`Transmit::fragmentation`](crate::Transmit::fragmentation).
///
/// Over IPv6, where no router fragments, packets have 1280 bytes until a probe of
/// [`initial_pmtu`](crate::Options::initial_pmtu) was answered. A path that narrows later and does
/// not say so loses what was cut before; over IPv4 that is sent in fragments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PathMtuDiscovery {
    /// The carrier of the packets decides: Sheave's own sockets do discovery, up to
    /// [`USUAL_MAX`](Self::USUAL_MAX) and what the interface takes; where nobody says, as in
    /// simulations, it is `Off`.
    #[default]
    Automatic,
    /// No discovery: packets may be fragmented, and are as long as
    /// [`initial_pmtu`](crate::Options::initial_pmtu) says unless an ICMP message lowers that.
    Off,
    /// Discovery by probes, from data's first packet on.
    Plpmtud {
        /// The longest packet to look for, bytes of IP packet; 576 to 65535.
        max: u16,
    },
}

impl PathMtuDiscovery {
    /// The longest packet that is looked for unless the user says otherwise, bytes of IP packet:
    /// an Ethernet jumbo frame. Ours.
    pub const USUAL_MAX: u16 = 9000;

    /// The longest packet to look for, if any are looked for.
    pub(crate) const fn max(self) -> Option<u16> {
        match self {
            Self::Automatic | Self::Off => None,
            Self::Plpmtud { max } => Some(max),
        }
    }
}

/// Whether new data leaves evenly spread over the round trip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pacing {
    /// Data leaves as soon as the windows allow it (RFC 9260 §6.1).
    #[default]
    Off,
    /// Data leaves at the rate that the congestion control asks for, else at 5/4 of the congestion
    /// window per round trip and at twice that window in slow start: in bursts of a millisecond, or
    /// of two packets if that is more, so that trains stay worth a system call. Bursts whose turn a
    /// busy machine let pass, by up to 10 ms, follow at once. Retransmissions do not wait, except
    /// for [`CongestionAlgorithm::Bbr`](crate::CongestionAlgorithm::Bbr).
    On,
}

/// Limit on what the associations with one source may hold together of
/// [`max_memory`](crate::EndpointOptions::max_memory): data that was not read, that waits beyond a gap, or
/// that was sent and not acknowledged.
///
/// A source is an IPv4 address, or the 64 bits of an IPv6 address that a network is given: the one
/// that took part in the handshake. Peers behind one address translator are one source. Beyond its
/// share a source is treated as if all memory were in use: what arrives out of order is dropped and
/// comes again, what is sent is refused until there is room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SourceShare {
    /// No more than is free: one source holds half of the memory, two that fill it together a third
    /// each; of sources that come one after the other each leaves half of what was free.
    #[default]
    AsMuchAsIsFree,
    /// So many bytes.
    Bytes(usize),
    /// The whole of it: for an endpoint whose peers trust each other.
    All,
}
