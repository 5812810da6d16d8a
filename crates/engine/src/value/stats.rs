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
    /// Shutdown requested locally; our outstanding data must be acknowledged first.
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
    /// The peer has not proved yet that it owns the address (RFC 9260 §5.4).
    Unconfirmed,
    /// Reachable.
    Active,
    /// Several sends went unanswered: the path is probed, and new data uses other paths (RFC 7829
    /// §3).
    PotentiallyFailed,
    /// Path.Max.Retrans was exceeded (RFC 9260 §8.2).
    Inactive,
}

/// Counters and state of one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathStats {
    /// The local address from which packets leave.
    pub local: IpAddr,
    /// The peer address.
    pub remote: IpAddr,
    /// The UDP encapsulation port currently used towards the peer, if any.
    pub encapsulation: Option<u16>,
    /// The state of the path.
    pub state: PathState,
    /// Whether this is the primary path.
    pub primary: bool,
    /// Congestion window, bytes.
    pub cwnd: u64,
    /// Slow-start threshold, bytes.
    pub ssthresh: u64,
    /// User data and chunk headers in flight, bytes.
    pub flight: u64,
    /// Path MTU, bytes of IP packet.
    pub pmtu: u16,
    /// The last measured round trip, unsmoothed; `None` before the first measurement.
    pub rtt: Option<Duration>,
    /// Number of round-trip measurements (RFC 9260 §6.3.1), modulo 2^32; a change means that
    /// [`rtt`](Self::rtt) is new.
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
    /// Packets received, except those whose first chunk lacked the required authentication (RFC
    /// 4895).
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
    /// Number of outbound streams.
    pub outbound_streams: u16,
    /// Number of inbound streams.
    pub inbound_streams: u16,
    /// Bytes accepted by `send` and not yet acknowledged.
    pub send_buffered: usize,
    /// Bytes charged to the receive buffer.
    pub receive_buffered: usize,
    /// The peer's advertised receive window less the bytes in flight.
    pub peer_rwnd: u32,
    /// The receive window that we would advertise now, bytes.
    pub rwnd: u32,
    /// User messages sent (first transmission of their last chunk).
    pub messages_sent: u64,
    /// User messages read by the user.
    pub messages_received: u64,
    /// User bytes sent, without retransmissions.
    pub bytes_sent: u64,
    /// User bytes retransmitted, counted each time.
    pub bytes_retransmitted: u64,
    /// User bytes read by the user.
    pub bytes_received: u64,
    /// Packets sent on all paths.
    pub packets_sent: u64,
    /// Packets received on all paths, counted as per path.
    pub packets_received: u64,
    /// DATA chunks received more than once.
    pub duplicates_received: u64,
    /// DATA chunks dropped for lack of receive buffer.
    pub dropped_for_memory: u64,
    /// DATA chunks with an intact header in a damaged packet
    /// ([`ChunkChecksum`](crate::ChunkChecksum)).
    pub damaged_received: u64,
    /// DATA chunks retransmitted because the peer reported them damaged, or a node on the path
    /// warned of damage ([`ErrorWarning`](crate::ErrorWarning)).
    pub damage_retransmissions: u64,
    /// Reports sent about packets with a wrong checksum.
    pub drop_reports_sent: u64,
    /// Packets with new DATA received with the Congestion Experienced mark
    /// ([`ExplicitCongestion`](crate::ExplicitCongestion)).
    pub marks_received: u64,
    /// Window cuts caused by reported marks.
    pub mark_cuts: u64,
    /// Chunks dropped because they lacked the required AUTH chunk
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
    /// FORWARD TSN chunks received that advanced the cumulative TSN.
    pub skips_received: u64,
    /// SACK chunks sent, modulo 2^32.
    pub sacks_sent: u64,
    /// SACK chunks received, modulo 2^32.
    pub sacks_received: u64,
    /// DATA chunks sent, without retransmissions.
    pub chunks_sent: u64,
    /// Unordered DATA chunks sent, without retransmissions.
    pub unordered_chunks_sent: u64,
    /// DATA chunks received, without duplicates, modulo 2^32.
    pub chunks_received: u64,
    /// Unordered DATA chunks received, without duplicates.
    pub unordered_chunks_received: u64,
    /// DATA chunks received out of order, beyond a missing TSN.
    pub early_chunks_received: u64,
    /// Control chunks sent, each type modulo 2^32.
    pub control_chunks_sent: u64,
    /// Control chunks received, without INIT and COOKIE ECHO, modulo 2^32.
    pub control_chunks_received: u64,
    /// Gap reports received.
    pub gaps_received: u64,
    /// DATA chunks retransmitted for any reason.
    pub retransmissions: u64,
    /// DATA chunks retransmitted because of gap reports, on all paths.
    pub fast_retransmissions: u64,
    /// T3-rtx expirations on all paths.
    pub timeouts: u64,
    /// Tail loss probes sent ([`LossDetection::Rack`](crate::LossDetection::Rack)).
    pub tail_probes: u64,
    /// Retransmissions triggered by [`LossDetection::Rack`](crate::LossDetection::Rack) that the
    /// peer reported as duplicates.
    pub spurious_retransmissions: u64,
    /// Elementary steps caused by the peer's packets, except in-order DATA: chunks and list entries
    /// read, waiting chunks and messages examined. Proportional to the bytes received.
    pub work: u64,
}

/// Counters of an endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EndpointStats {
    /// Number of associations at present.
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
    /// COOKIE ECHO chunks with missing or wrong authentication.
    pub unauthenticated_cookie: u64,
    /// Expired cookies received.
    pub stale_cookie: u64,
    /// User data held by all associations, bytes.
    pub buffered: usize,
    /// Traffic of the associations that have ended.
    pub ended: Traffic,
}

/// Sums of [`AssocStats`] over several associations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Control chunks sent.
    pub control_chunks_sent: u64,
    /// Control chunks received.
    pub control_chunks_received: u64,
    /// DATA chunks sent, without retransmissions.
    pub chunks_sent: u64,
    /// Unordered DATA chunks sent, without retransmissions.
    pub unordered_chunks_sent: u64,
    /// DATA chunks received, without duplicates.
    pub chunks_received: u64,
    /// Unordered DATA chunks received, without duplicates.
    pub unordered_chunks_received: u64,
    /// DATA chunks retransmitted for any reason.
    pub retransmissions: u64,
    /// DATA chunks retransmitted because of gap reports.
    pub fast_retransmissions: u64,
    /// T3-rtx expirations.
    pub timeouts: u64,
    /// DATA chunks discarded: duplicates, and those without room in the receive buffer.
    pub discarded: u64,
}

impl Traffic {
    /// Adds the counters of an association.
    pub const fn add(&mut self, stats: &AssocStats) {
        self.control_chunks_sent += stats.control_chunks_sent;
        self.control_chunks_received += stats.control_chunks_received;
        self.chunks_sent += stats.chunks_sent;
        self.unordered_chunks_sent += stats.unordered_chunks_sent;
        self.chunks_received += stats.chunks_received;
        self.unordered_chunks_received += stats.unordered_chunks_received;
        self.retransmissions += stats.retransmissions;
        self.fast_retransmissions += stats.fast_retransmissions;
        self.timeouts += stats.timeouts;
        self.discarded += stats.duplicates_received + stats.dropped_for_memory;
    }
}
