//! The effect of a SACK on the association and on a path.

use core::time::Duration;

use super::sent::{ChunkState, Sent};
use crate::Time;
use crate::congestion::{Cumulative, Recovery};

/// The effect of a SACK on the association as a whole, or from the view of one of several paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digest {
    pub(crate) cumulative: Cumulative,
    /// Whether the association was in Fast Recovery when the SACK came.
    pub(crate) recovery: Recovery,
    /// Whether this SACK started Fast Recovery.
    pub(crate) entered_recovery: bool,
    pub(crate) reports: Reports,
}

/// Whether the gap reports of a SACK were applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reports {
    Taken,
    /// Not applied, because a block was invalid or there were none; earlier reports stay in force.
    Passed,
}

/// The effect of a SACK on a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathShare {
    pub(crate) flight_before: u64,
    /// Bytes newly acknowledged.
    pub(crate) acked: u64,
    /// The oldest chunk among them; `u64::MAX` if none.
    pub(crate) oldest: u64,
    /// The strongest evidence that the path works among these chunks.
    pub(crate) sign: SignOfLife,
    /// A round trip completed by this SACK.
    pub(crate) round_trip: Option<Duration>,
    /// Send time of the latest of these chunks that was sent only once.
    pub(crate) sent_at: Option<Time>,
    /// Whether the oldest chunk in flight on the path was acknowledged (RFC 9260 §6.3.2 R3).
    pub(crate) earliest_moved: bool,
    /// The chunk after the newest one that gap reports found lost; 0 if none.
    pub(crate) lost_below: u64,
}

/// Evidence from an acknowledgement that the path on which its chunk was last sent works (RFC 9260
/// §8.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SignOfLife {
    /// No evidence: the chunk timed out there, and may have arrived before the path failed.
    None,
    /// The chunk was sent before, perhaps elsewhere; that transmission may be the one that arrived.
    Ambiguous,
    /// The chunk was sent only on this path.
    Sure,
}

impl PathShare {
    pub(crate) const fn new(flight_before: u64) -> Self {
        Self {
            flight_before,
            acked: 0,
            oldest: u64::MAX,
            sign: SignOfLife::None,
            round_trip: None,
            sent_at: None,
            earliest_moved: false,
            lost_below: 0,
        }
    }

    /// A chunk last sent on the path was newly acknowledged.
    #[inline]
    pub(crate) fn on_acked(&mut self, chunk: &Sent, seq: u64, round_trip: Option<Duration>) {
        self.acked += chunk.wire_len();
        self.oldest = self.oldest.min(seq);
        self.round_trip = round_trip.or(self.round_trip);
        self.sign = self.sign.max(SignOfLife::of(chunk));
        if chunk.is_first_transmission() {
            self.sent_at = self.sent_at.max(Some(chunk.sent_at));
        }
    }

    pub(crate) fn on_loss_reported(&mut self, seq: u64) {
        self.lost_below = self.lost_below.max(seq + 1);
    }
}

impl SignOfLife {
    // RFC 9260 §8.2 leaves open which path an ambiguous acknowledgement credits.
    const fn of(chunk: &Sent) -> Self {
        match chunk.state {
            ChunkState::InFlight if chunk.is_first_transmission() => Self::Sure,
            ChunkState::InFlight | ChunkState::MarkedFast => Self::Ambiguous,
            _ => Self::None,
        }
    }
}
