//! The report of a SACK to a path.

use core::time::Duration;

use super::sent::{ChunkState, Sent};
use crate::Time;
use crate::congestion::{Cumulative, Recovery};

/// The effect of a SACK on the association as a whole, or as one of several paths sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digest {
    pub(crate) cumulative: Cumulative,
    /// Whether the association was in Fast Recovery when the SACK came.
    pub(crate) recovery: Recovery,
    /// Fast Recovery began with this SACK.
    pub(crate) entered_recovery: bool,
    pub(crate) reports: Reports,
}

/// Whether the gap reports of a SACK counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reports {
    Taken,
    /// A block made no sense, or there were none to be had: earlier reports stand.
    Passed,
}

/// The effect of a SACK on a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathShare {
    pub(crate) flight_before: u64,
    /// Bytes newly acknowledged.
    pub(crate) acked: u64,
    /// The best sign of life among these.
    pub(crate) sign: SignOfLife,
    /// A round trip that ended with this SACK.
    pub(crate) round_trip: Option<Duration>,
    /// When the last of these left that were sent once.
    pub(crate) sent_at: Option<Time>,
    /// The oldest chunk in flight on the path was acknowledged (RFC 9260 §6.3.2 R3).
    pub(crate) earliest_moved: bool,
    /// The chunk after the newest of those that were found lost by gap reports; 0 if none was.
    pub(crate) lost_below: u64,
}

/// Evidence in an acknowledgement that the path works on which its chunk was last sent (RFC 9260
/// §8.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SignOfLife {
    /// Nothing: the chunk timed out there, and may have arrived before the path died.
    None,
    /// The chunk was sent before, perhaps elsewhere, and that may be what arrived.
    Ambiguous,
    /// The chunk was sent there and nowhere else.
    Sure,
}

impl PathShare {
    pub(crate) const fn new(flight_before: u64) -> Self {
        Self {
            flight_before,
            acked: 0,
            sign: SignOfLife::None,
            round_trip: None,
            sent_at: None,
            earliest_moved: false,
            lost_below: 0,
        }
    }

    /// A chunk that was last sent on the path was acknowledged for the first time.
    #[inline]
    pub(crate) fn on_acked(&mut self, chunk: &Sent, round_trip: Option<Duration>) {
        self.acked += chunk.wire_len();
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
    // RFC 9260 §8.2 leaves it to us to whom an ambiguous acknowledgement is credited.
    const fn of(chunk: &Sent) -> Self {
        match chunk.state {
            ChunkState::InFlight if chunk.is_first_transmission() => Self::Sure,
            ChunkState::InFlight | ChunkState::MarkedFast => Self::Ambiguous,
            _ => Self::None,
        }
    }
}
