use core::time::Duration;

/// An unlimited number of attempts, for options that count attempts: `unlimited` as text.
pub const UNLIMITED: u32 = u32::MAX;

/// Whether small messages wait to be bundled (RFC 9260 §6.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Coalescing {
    /// A message is sent as soon as the windows allow it.
    #[default]
    NoDelay,
    /// Nagle's algorithm: less than a full packet waits while data is outstanding.
    Nagle,
}

/// Whether a chunk that fills a packet may be bundled with others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Bundling {
    /// Packets are filled with whatever is next, including a fragment of a large message (RFC 9260
    /// §6.10).
    #[default]
    Always,
    /// A fragment of a multi-packet message is sent in a packet of its own; only smaller chunks are
    /// bundled ("full packets" in the data centre papers).
    SpareFullChunks,
}

/// Whether user data leaves before the association is up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EarlyData {
    /// No: COOKIE ECHO leaves without DATA.
    #[default]
    Off,
    /// Data queued before the INIT ACK fills the packet with the COOKIE ECHO and no other packet
    /// (RFC 9260 §5.1 D). If the packet goes unanswered, the COOKIE ECHO is repeated alone, in case
    /// the path cannot carry that length, and the data follows once the association is up. Not used
    /// if the peer requires authentication, or with concurrent multipath transfer.
    WithCookie,
    /// An initial congestion window of data, in packets that all begin with the COOKIE ECHO, so
    /// that any of them sets the association up; TCP sends as much with its first ACK. RFC 9260
    /// §5.1 allows one packet before COOKIE ACK. More, up to twelve, are sent if the INIT ACK has a
    /// parameter of the private type 0x9E04; other peers get [`WithCookie`](Self::WithCookie). The
    /// cookie, about 100 bytes if ours, reduces the room in each packet.
    FirstWindow,
}

/// Acknowledgement of the first packets of an association, and of those after a gap or an expired
/// SACK delay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SackStart {
    /// Like any other packet, except for the very first, which is acknowledged at once.
    #[default]
    Delayed,
    /// Each of 16 packets is acknowledged at once, so that a small window grows without waiting for
    /// a delayed SACK.
    Quick,
}

/// Whether other messages may come between the parts of a partially delivered message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MessageParts {
    /// Messages of other streams may come between; each part names its stream.
    #[default]
    Mixed,
    /// No other message comes between, for programs that tell messages apart only by their ends:
    /// levels 0 and 1 of `SCTP_FRAGMENT_INTERLEAVE` (RFC 6458 §8.1.20). Interleaved data (RFC 8260)
    /// is mixed regardless.
    Together,
}

/// Whether a message must fit the free part of the send buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Admission {
    /// A message is accepted if it fits; one larger than the buffer, once half of the buffer is
    /// free.
    #[default]
    WhenItFits,
    /// Any message is accepted while the buffer is not full, as with Linux sockets: one free byte
    /// admits a message of maximum size.
    WhileNotFull,
}

/// Whether reading, as well as arrival, triggers SACKs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DeliverySacks {
    /// Only when reading has opened a narrow window by a quarter of the buffer; one SACK each time.
    #[default]
    WhenWindowOpens,
    /// Whenever a message is read, as in the stacks studied by the data centre papers.
    Always,
}

/// Whether the gains of the retransmission timeout adapt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RtoGains {
    /// RTO.Alpha and RTO.Beta stay as configured (RFC 9260 §6.3.1).
    #[default]
    Fixed,
    /// Both gains double with each round trip that differs from SRTT by more than twice RTTVAR, up
    /// to fourfold, and halve with each that differs by less than half of RTTVAR, down to half of
    /// the configured gains. Own design; the paper "multihoming failure avoidance" asks for
    /// adaptation without specifying it.
    Adaptive,
}

/// Whether idle paths are probed (RFC 9260 §8.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Heartbeats {
    /// Each idle path is probed every HB.interval plus RTO, with jitter of ±50 % of the RTO.
    Every(Duration),
    /// Only unconfirmed addresses are probed.
    Off,
}

impl Heartbeats {
    /// Whether heartbeats from an idle end reach the peer within the peer's dead-peer time, with a
    /// quarter of that time left for retries. False without heartbeats.
    #[must_use]
    pub fn come_within(self, dead_peer_timeout: Duration) -> bool {
        match self {
            Self::Every(interval) => interval <= dead_peer_timeout / 4 * 3,
            Self::Off => true,
        }
    }
}

/// When the heartbeat intervals of a path start; a path not used during an interval is probed at
/// its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FirstHeartbeat {
    /// At the time when the association is established or the path was last probed for another
    /// reason: the first heartbeat of an idle path follows HB.interval plus RTO later.
    #[default]
    AfterInterval,
    /// At a random time within the next HB.interval, so that associations set up or restored
    /// together do not send heartbeats together. The first heartbeat of an idle path is up to one
    /// HB.interval later; the following ones keep their interval.
    AtRandom,
}

/// Whether the header of each DATA chunk has a checksum of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ChunkChecksum {
    /// DATA headers have no checksum (RFC 9260).
    #[default]
    Off,
    /// Each DATA header has a checksum, if the peer agrees. A chunk with damage only in its payload
    /// is then known not to be lost, and is retransmitted at once without a change to the window.
    /// See `docs/chunk-checksum.md`.
    On,
}

/// Whether routers may mark packets instead of dropping them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ExplicitCongestion {
    /// Routers may not mark: all packets are sent as not ECN-capable (RFC 9260).
    #[default]
    Off,
    /// Routers may mark, if the peer agrees (RFC 3168, RFC 4960 Appendix A): new DATA is sent as
    /// ECT(0), the receiver repeats ECNE until it gets CWR, and the sender cuts its window at most
    /// once per window of data, as for a loss.
    On,
}

/// Whether fragments of messages on different streams may be interleaved, so that a large message
/// does not block others (RFC 8260).
///
/// Both ends must enable it. User data is then sent as I-DATA, and the
/// [scheduler](crate::StreamScheduler) selects a stream per chunk instead of per message. Messages
/// that fill the receive buffer are delivered in parts, possibly several at once, one per stream.
/// Cannot be combined with [`ChunkChecksum::On`](crate::ChunkChecksum), which defines a DATA format
/// of its own. Leave it off towards Linux, whose fragment numbering deviates from RFC 8260 §2.1
/// (seen with 6.1), so that only single-chunk messages arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Interleaving {
    /// No interleaving: once begun, a message is sent to its end (RFC 9260 §6.9).
    #[default]
    Off,
    /// Fragments are interleaved, if the peer agrees.
    On,
}

/// Whether a receiver may drop data that it acknowledged beyond a gap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SelectiveAcks {
    /// The receiver may drop acknowledged data when memory runs short, so the sender must keep a
    /// copy (RFC 9260 §6.2).
    #[default]
    Renegable,
    /// If both ends agree, the receiver never drops acknowledged data and sends NR-SACK instead of
    /// SACK (draft-natarajan-tsvwg-sctp-nrsack). The sender frees data acknowledged this way and
    /// has room for new messages during loss recovery. The receiver reserves an eighth of its
    /// buffer for in-order data. No effect if both ends have
    /// [`LossRecovery::GoBackN`](crate::LossRecovery::GoBackN).
    NonRenegable,
}

/// Whether each end reports packets that arrive with a wrong checksum
/// (draft-stewart-sctp-pktdrprep, supported by the BSDs).
///
/// The sender then retransmits the content at once and keeps its windows: the packet was damaged,
/// not dropped by a full queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PacketDropReports {
    /// No reports.
    #[default]
    Off,
    /// Both ends report, if the peer agrees.
    On,
}

/// Whether packets may omit the CRC32c because another layer detects damage (RFC 9653).
///
/// Both ends must choose the same value. Some packets always have a CRC32c: INIT, INIT ACK and
/// COOKIE ECHO, and packets that may reach a peer without the association, that is, during shutdown
/// or while the peer does not answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ZeroChecksum {
    /// Every packet has a CRC32c (RFC 9260 §6.8).
    #[default]
    Off,
    /// Packets travel in DTLS records, which are authenticated (error detection method 1, RFC 9653
    /// §6; RFC 8261). The carrier must ensure this.
    Dtls,
    /// Packets stay in the memory of this machine, or a network card checks them (error detection
    /// method 0xFFFF9E03, unregistered, for measurements between Sheave endpoints).
    Memory,
}

/// The UDP port from which an INIT must arrive to be answered if its sender already has an
/// association (draft-tuexen-tsvwg-sctp-udp-encaps-cons-03 §4).
///
/// Such an INIT proves nothing: behind a NAT, it may come from another host that chose the same
/// SCTP port and would take over the association.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RestartPorts {
    /// The port in use for that peer address, or no UDP if none is in use. From any other port, the
    /// INIT gets an ABORT with the cause Restart of an Association with New Encapsulation Port, and
    /// the association continues. A peer that lost its state and its UDP port must wait until the
    /// association ends.
    #[default]
    Current,
    /// Any port: the INIT starts a restart as in RFC 9260 §5.2.2.
    Any,
}

/// Whether an association discovers its path MTUs (RFC 8899).
///
/// A probe holds only a HEARTBEAT and padding (RFC 4820), so losing one delays no data, and the
/// peer needs no support. All other packets must not be fragmented; the carrier obeys
/// [`Transmit::fragmentation`](crate::Transmit::fragmentation).
///
/// Over IPv6, where routers do not fragment, packets have at most 1280 bytes until a probe of
/// [`initial_pmtu`](crate::Options::initial_pmtu) bytes is answered. If a path narrows later
/// without an ICMP message, data sent in longer packets is lost over IPv6 and fragmented over IPv4.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PathMtuDiscovery {
    /// The carrier decides: Sheave's own sockets discover up to [`USUAL_MAX`](Self::USUAL_MAX),
    /// limited by the interface; otherwise, as in simulations, same as `Off`.
    #[default]
    Automatic,
    /// No discovery: packets may be fragmented, and have up to
    /// [`initial_pmtu`](crate::Options::initial_pmtu) bytes unless an ICMP message lowers that.
    Off,
    /// Discovery by probes, starting with the first packet of data.
    Plpmtud {
        /// Longest packet to probe for, bytes of IP packet; 576 to 65535.
        max: u16,
    },
}

impl PathMtuDiscovery {
    /// Default limit of discovery, bytes of IP packet: an Ethernet jumbo frame. Own choice.
    pub const USUAL_MAX: u16 = 9000;

    /// Longest packet to probe for, if discovery is on.
    pub(crate) const fn max(self) -> Option<u16> {
        match self {
            Self::Automatic | Self::Off => None,
            Self::Plpmtud { max } => Some(max),
        }
    }
}

/// Whether new data is sent evenly spread over the round trip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pacing {
    /// Data leaves as soon as the windows allow it (RFC 9260 §6.1).
    #[default]
    Off,
    /// Data is sent at the rate that the congestion control asks for; otherwise at 5/4 of the
    /// congestion window per round trip, or twice the window in slow start. Bursts last a
    /// millisecond, or two packets if that is more, so that sending them in one system call pays
    /// off. Bursts delayed by up to 10 ms on a busy machine are made up for at once.
    /// Retransmissions are not paced, except with
    /// [`CongestionAlgorithm::Bbr`](crate::CongestionAlgorithm::Bbr).
    On,
}

/// Share of [`max_memory`](crate::EndpointOptions::max_memory) that the associations of one source
/// may hold together: data that is unread, stored beyond a gap, or sent and unacknowledged.
///
/// A source is an IPv4 address or an IPv6 /64 prefix, taken from the handshake. Peers behind one
/// NAT count as one source. Beyond its share, a source is treated as if all memory were in use:
/// out-of-order data is dropped until retransmitted, and messages to send are refused until there
/// is room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SourceShare {
    /// Half of what is free: a single source holds half of the memory, two that fill it together hold
    /// a third each; each further source can hold half of what is free.
    #[default]
    AsMuchAsIsFree,
    /// A number of bytes.
    Bytes(usize),
    /// The whole memory, for an endpoint whose peers trust each other.
    All,
}
