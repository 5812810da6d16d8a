//! Counters and states of associations and paths.

use std::ffi::c_char;
use std::net::IpAddr;
use std::time::Duration;

use sheave::stats::{AssocStats, PathState, PathStats};

use crate::association::Association;
use crate::border::{self, Place};
use crate::failure::Failure;
use crate::status::Status;

/// Size of a buffer for an IP address as text with its NUL, bytes.
pub const SHEAVE_ADDRESS_LENGTH: usize = 46;

/// Counters of an association.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct AssociationStats {
    /// Bytes accepted by send and not yet acknowledged.
    pub send_buffered: u64,
    /// Bytes charged to the receive buffer.
    pub receive_buffered: u64,
    /// Messages sent (first transmission of their last chunk).
    pub messages_sent: u64,
    /// Messages received.
    pub messages_received: u64,
    /// User bytes sent, without retransmissions.
    pub bytes_sent: u64,
    /// User bytes retransmitted, counted each time.
    pub bytes_retransmitted: u64,
    /// User bytes received.
    pub bytes_received: u64,
    /// Packets sent on all paths.
    pub packets_sent: u64,
    /// Packets received on all paths.
    pub packets_received: u64,
    /// DATA chunks retransmitted.
    pub retransmissions: u64,
    /// T3-rtx expirations on all paths.
    pub timeouts: u64,
    /// Messages abandoned by this end.
    pub messages_abandoned: u64,
    /// The peer's receiver window: last advertised value minus data in flight, bytes.
    pub peer_rwnd: u32,
    /// The receiver window that this end would advertise now, bytes.
    pub rwnd: u32,
    /// Local SCTP port.
    pub local_port: u16,
    /// The peer's SCTP port.
    pub remote_port: u16,
}

impl From<AssocStats> for AssociationStats {
    fn from(stats: AssocStats) -> Self {
        Self {
            send_buffered: stats.send_buffered as u64,
            receive_buffered: stats.receive_buffered as u64,
            messages_sent: stats.messages_sent,
            messages_received: stats.messages_received,
            bytes_sent: stats.bytes_sent,
            bytes_retransmitted: stats.bytes_retransmitted,
            bytes_received: stats.bytes_received,
            packets_sent: stats.packets_sent,
            packets_received: stats.packets_received,
            retransmissions: stats.retransmissions,
            timeouts: stats.timeouts,
            messages_abandoned: stats.messages_abandoned,
            peer_rwnd: stats.peer_rwnd,
            rwnd: stats.rwnd,
            local_port: stats.local_port,
            remote_port: stats.remote_port,
        }
    }
}

/// Whether a path can carry data.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathCondition {
    /// The peer has not yet proved that it owns the address.
    Unconfirmed = 0,
    /// Reachable.
    Active = 1,
    /// Several sends are unanswered: new data uses other paths while this one is probed.
    PotentiallyFailed = 2,
    /// Considered dead.
    Inactive = 3,
}

/// Counters and state of one path.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Path {
    /// Local address, as text.
    pub local: [c_char; SHEAVE_ADDRESS_LENGTH],
    /// The peer's address, as text.
    pub remote: [c_char; SHEAVE_ADDRESS_LENGTH],
    /// The peer's UDP port; 0 over plain IP.
    pub udp_port: u16,
    /// 1 if this is the primary path, else 0.
    pub is_primary: u16,
    /// Whether the path can carry data.
    pub state: PathCondition,
    /// Path MTU, bytes of IP packet.
    pub pmtu: u32,
    /// Consecutive unanswered sends.
    pub errors: u32,
    /// Congestion window, bytes.
    pub cwnd: u64,
    /// Slow-start threshold, bytes.
    pub ssthresh: u64,
    /// User data and chunk headers in flight, bytes.
    pub flight: u64,
    /// Smoothed round-trip time, microseconds; 0 before the first measurement.
    pub srtt: u64,
    /// Round-trip time variation, microseconds; 0 before the first measurement.
    pub rttvar: u64,
    /// Retransmission timeout, microseconds.
    pub rto: u64,
    /// Packets sent.
    pub packets_sent: u64,
    /// Packets received.
    pub packets_received: u64,
    /// DATA chunks retransmitted.
    pub retransmissions: u64,
    /// T3-rtx expirations.
    pub timeouts: u64,
}

impl From<&PathStats> for Path {
    fn from(stats: &PathStats) -> Self {
        Self {
            local: address_text(stats.local),
            remote: address_text(stats.remote),
            udp_port: stats.encapsulation.unwrap_or(0),
            is_primary: stats.primary.into(),
            state: match stats.state {
                PathState::Unconfirmed => PathCondition::Unconfirmed,
                PathState::Active => PathCondition::Active,
                PathState::PotentiallyFailed => PathCondition::PotentiallyFailed,
                PathState::Inactive => PathCondition::Inactive,
            },
            pmtu: stats.pmtu.into(),
            errors: stats.errors,
            cwnd: stats.cwnd,
            ssthresh: stats.ssthresh,
            flight: stats.flight,
            srtt: micros(stats.srtt.unwrap_or_default()),
            rttvar: micros(stats.rttvar.unwrap_or_default()),
            rto: micros(stats.rto),
            packets_sent: stats.packets_sent,
            packets_received: stats.packets_received,
            retransmissions: stats.retransmissions,
            timeouts: stats.timeouts,
        }
    }
}

fn micros(span: Duration) -> u64 {
    u64::try_from(span.as_micros()).unwrap_or(u64::MAX)
}

/// An address as NUL-terminated text.
pub(crate) fn address_text(ip: IpAddr) -> [c_char; SHEAVE_ADDRESS_LENGTH] {
    let mut text = [0; SHEAVE_ADDRESS_LENGTH];
    let bytes = ip.to_string().into_bytes();
    for (to, from) in text[..SHEAVE_ADDRESS_LENGTH - 1].iter_mut().zip(bytes) {
        *to = c_char::from_ne_bytes([from]);
    }
    text
}

/// Copies counters to `*stats`; `size` is sizeof(struct sheave_association_stats).
///
/// Errors: SHEAVE_STATUS_INVALID_ARGUMENT; SHEAVE_STATUS_CLOSED after the association has ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_stats(
    association: Option<&Association>,
    stats: *mut AssociationStats,
    size: usize,
) -> Status {
    border::on(association, "association", |association| {
        // SAFETY: as the top of the header asks of the caller.
        let place = unsafe { Place::sized(stats, size, "sheave_association_stats") }?;
        let stats = association.association.stats();
        let gone = || Failure::new(Status::Closed, "the association is closed");
        place.put(stats.ok_or_else(gone)?.into());
        Ok(())
    })
}

/// Copies the paths to the array `paths`, whose elements have `size` bytes, sizeof(struct
/// sheave_path). `*count` is the capacity of the array on input and the number of paths on output.
/// If the output is larger than the capacity, the array holds the first paths. `paths` may be NULL
/// if `*count` is 0. A closed association has no path.
///
/// Errors: SHEAVE_STATUS_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_paths(
    association: Option<&Association>,
    paths: *mut Path,
    size: usize,
    count: Option<&mut usize>,
) -> Status {
    border::on(association, "association", |association| {
        let count = border::given(count, "count")?;
        let room = *count;
        border::same_size::<Path>(size, "sheave_path")?;
        if paths.is_null() && room > 0 {
            return Err(Failure::argument("paths is NULL"));
        }
        let all = association.association.path_stats();
        let some: Vec<Path> = all.iter().take(room).map(Path::from).collect();
        // SAFETY: the caller has room for `room` elements, and there are no more than that.
        unsafe { border::copy(&some, paths) };
        *count = all.len();
        Ok(())
    })
}
