use core::net::IpAddr;
use core::time::Duration;

use crate::ProtectionStats;

/// The state of an association (RFC 9260 §4). A closed one does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// INIT sent, INIT ACK awaited.
    CookieWait,
    /// COOKIE ECHO sent, COOKIE ACK awaited.
    CookieEchoed,
    /// Data flows both ways.
    Established,
    /// Shutdown requested here; outstanding data must be acknowledged first.
    ShutdownPending,
    /// SHUTDOWN sent, SHUTDOWN ACK awaited.
    ShutdownSent,
    /// SHUTDOWN received; our outstanding data must be acknowledged first.
    ShutdownReceived,
    /// SHUTDOWN ACK sent, SHUTDOWN COMPLETE awaited.
    ShutdownAckSent,
}

/// Whether a path can carry data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathState {
    /// The peer has not yet proved that it owns the address (RFC 9260 §5.4).
    Unconfirmed,
    /// Reachable.
    Active,
    /// Several sends went unanswered: new data goes elsewhere while the path is probed (RFC 7829
    /// §3).
    PotentiallyFailed,
    /// Path.Max.Retrans was exceeded (RFC 9260 §8.2).
    Inactive,
}

/// Counters and state of one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathStats {
    /// The local address that packets leave from.
    pub local: IpAddr,
    /// The peer address.
    pub remote: IpAddr,
    /// The UDP encapsulation port now in use towards the peer, if any.
    pub encapsulation: Option<u16>,
    /// Whether it can carry data.
    pub state: PathState,
    /// Whether new data goes here first.
    pub primary: bool,
    /// Congestion window, bytes.
    pub cwnd: u64,
    /// Slow-start threshold, bytes.
    pub ssthresh: u64,
    /// User data and chunk headers in flight, bytes.
    pub flight: u64,
    /// Path MTU, bytes of IP packet.
    pub pmtu: u16,
    /// The last round trip that was measured, as it was; `None` before the first.
    pub rtt: Option<Duration>,
    /// Round trips measured (RFC 9260 §6.3.1), modulo 2^32: it tells whether [`rtt`](Self::rtt) is
    /// a new one.
    pub round_trips: u32,
    /// Smoothed round-trip time; `None` before the first measurement.
    pub srtt: Option<Duration>,
    /// Round-trip time variation; `None` before the first measurement.
    pub rttvar: Option<Duration>,
    /// Retransmission timeout.
    pub rto: Duration,
    /// Consecutive unanswered sends (RFC 9260 §8.2).
    pub errors: u32,
    /// Packets sent.
    pub packets_sent: u64,
    /// Packets received, but for those that begin with a chunk that lacks the proof it needs (RFC 4895).
    pub packets_received: u64,
    /// DATA chunks sent, first transmissions and retransmissions together.
    pub chunks_sent: u64,
    /// DATA chunks retransmitted.
    pub retransmissions: u64,
    /// DATA chunks retransmitted because of gap reports (RFC 9260 §7.2.4).
    pub fast_retransmissions: u64,
    /// T3-rtx expirations (RFC 9260 §6.3.3).
    pub timeouts: u64,
    /// Heartbeats sent.
    pub heartbeats_sent: u64,
    /// Heartbeat acknowledgements received.
    pub heartbeats_acked: u64,
}

/// Counters and state of an association.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssocStats {
    /// The state of the association.
    pub phase: Phase,
    /// The local SCTP port.
    pub local_port: u16,
    /// The peer's SCTP port.
    pub remote_port: u16,
    /// Streams that we may send on.
    pub outbound_streams: u16,
    /// Streams that the peer may send on.
    pub inbound_streams: u16,
    /// Bytes accepted by `send` and not yet acknowledged.
    pub send_buffered: usize,
    /// Bytes charged to the receive buffer.
    pub receive_buffered: usize,
    /// The peer's last advertised receiver window, less what is in flight, bytes.
    pub peer_rwnd: u32,
    /// The receiver window that we would advertise now, bytes.
    pub rwnd: u32,
    /// User messages sent (first transmission of their last chunk).
    pub messages_sent: u64,
    /// User messages handed to the user.
    pub messages_received: u64,
    /// User bytes sent, retransmissions not counted.
    pub bytes_sent: u64,
    /// User bytes sent again, as often as they were.
    pub bytes_retransmitted: u64,
    /// User bytes handed to the user.
    pub bytes_received: u64,
    /// Packets sent on all paths.
    pub packets_sent: u64,
    /// Packets received on all paths, counted like those of one.
    pub packets_received: u64,
    /// DATA chunks received more than once.
    pub duplicates_received: u64,
    /// DATA chunks dropped for want of receive buffer.
    pub dropped_for_memory: u64,
    /// DATA chunks of which the header arrived whole and the packet did not
    /// ([`ChunkChecksum`](crate::ChunkChecksum)).
    pub damaged_received: u64,
    /// DATA chunks sent again because the peer reported them damaged, or a node on the way warned
    /// that they were ([`ErrorWarning`](crate::ErrorWarning)).
    pub damage_retransmissions: u64,
    /// Reports sent of packets that arrived with a wrong checksum.
    pub drop_reports_sent: u64,
    /// Packets with new DATA that arrived with the mark Congestion Experienced
    /// ([`ExplicitCongestion`](crate::ExplicitCongestion)).
    pub marks_received: u64,
    /// Cuts of a window because the peer reported a mark.
    pub mark_cuts: u64,
    /// Chunks dropped since they came without the AUTH chunk that we ask for
    /// ([`Authentication`](crate::Authentication)).
    pub unauthenticated: u64,
    /// AUTH chunks with an unknown key or algorithm, or a wrong HMAC.
    pub failed_authentications: u64,
    /// Packets in DTLS chunks, and what was dropped ([`Protection`](crate::Protection)).
    pub protection: ProtectionStats,
    /// Messages of ours that were given up ([`Reliability`](crate::Reliability)).
    pub messages_abandoned: u64,
    /// FORWARD TSN chunks sent (RFC 3758).
    pub skips_sent: u64,
    /// FORWARD TSN chunks received that made us skip something.
    pub skips_received: u64,
    /// SACK chunks sent, modulo 2^32.
    pub sacks_sent: u64,
    /// SACK chunks received, modulo 2^32.
    pub sacks_received: u64,
    /// DATA chunks sent, retransmissions not counted.
    pub chunks_sent: u64,
    /// DATA chunks of unordered messages sent, retransmissions not counted.
    pub unordered_chunks_sent: u64,
    /// DATA chunks received, those that had arrived before not counted, modulo 2^32.
    pub chunks_received: u64,
    /// DATA chunks of unordered messages received, those that had arrived before not counted.
    pub unordered_chunks_received: u64,
    /// DATA chunks received beyond the TSN that was expected next.
    pub early_chunks_received: u64,
    /// Chunks without data sent, each kind modulo 2^32.
    pub control_chunks_sent: u64,
    /// Chunks without data received, INIT and COOKIE ECHO not counted, modulo 2^32.
    pub control_chunks_received: u64,
    /// Gap reports received.
    pub gaps_received: u64,
    /// DATA chunks retransmitted, for whatever reason.
    pub retransmissions: u64,
    /// T3-rtx expirations on all paths.
    pub timeouts: u64,
    /// Probes of a tail sent ([`LossDetection::Rack`](crate::LossDetection::Rack)).
    pub tail_probes: u64,
    /// Retransmissions of what [`LossDetection::Rack`](crate::LossDetection::Rack) took for lost
    /// and the peer then reported to have got twice.
    pub spurious_retransmissions: u64,
    /// Elementary steps that packets of the peer have caused, not counting DATA in order: chunks
    /// and list entries that were read, chunks and messages that waited and were looked at. Stays
    /// in proportion to the bytes received.
    pub work: u64,
}

/// Counters of an endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EndpointStats {
    /// Associations that exist now.
    pub associations: usize,
    /// Packets dropped because their bytes are not SCTP.
    pub malformed: u64,
    /// Packets dropped for a wrong checksum.
    pub bad_checksum: u64,
    /// Packets dropped for a wrong verification tag (RFC 9260 §8.5).
    pub bad_tag: u64,
    /// Packets that belong to no association (RFC 9260 §8.4).
    pub out_of_the_blue: u64,
    /// COOKIE ECHO chunks whose cookie was not ours or was altered.
    pub bad_cookie: u64,
    /// COOKIE ECHO chunks that were not authenticated as we ask for, or wrongly.
    pub unauthenticated_cookie: u64,
    /// Cookies that had outlived their time.
    pub stale_cookie: u64,
    /// Bytes of user data held by all associations.
    pub buffered: usize,
}
