use core::time::Duration;

use crate::Time;
use crate::on_demand::{Blank, OnDemand};

/// What is in flight on one path, and what the SACK at hand says of it.
#[derive(Debug)]
pub(crate) struct Flow {
    /// Bytes of DATA chunks in flight, headers and padding included.
    flight: u64,
    /// The oldest chunk in flight, or one that was it lately; or [`NO_CHUNK`].
    earliest: u64,
    /// The chunk whose round trip is being measured, and when it left (RFC 9260 §6.3.1 C4); or
    /// [`NO_CHUNK`].
    measured: (u64, Time),
    pub(crate) tally: OnDemand<Tally>,
}

/// In place of the number of a chunk: none.
const NO_CHUNK: u64 = u64::MAX;

/// What one SACK did on one path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tally {
    pub(crate) flight_before: u64,
    /// Bytes newly acknowledged.
    pub(crate) acked: u64,
    /// A round trip that ended with this SACK.
    pub(crate) round_trip: Option<Duration>,
    /// The oldest chunk in flight on the path was acknowledged (RFC 9260 §6.3.2 R3).
    pub(crate) earliest_moved: bool,
    /// The chunk after the newest of those that were found lost by gap reports; 0 if none was.
    pub(crate) lost_below: u64,
}

impl Tally {
    const fn new(flight_before: u64) -> Self {
        Self {
            flight_before,
            acked: 0,
            round_trip: None,
            earliest_moved: false,
            lost_below: 0,
        }
    }
}

impl Blank for Tally {
    #[inline]
    fn blank() -> &'static Self {
        const NONE: &Tally = &Tally::new(0);
        NONE
    }

    fn fresh() -> Self {
        Self::new(0)
    }
}

impl Default for Flow {
    fn default() -> Self {
        Self {
            flight: 0,
            earliest: NO_CHUNK,
            measured: (NO_CHUNK, Time::ZERO),
            tally: OnDemand::NONE,
        }
    }
}

impl Flow {
    pub(crate) const fn flight(&self) -> u64 {
        self.flight
    }

    pub(crate) fn earliest(&self) -> Option<u64> {
        (self.earliest != NO_CHUNK).then_some(self.earliest)
    }

    pub(crate) fn begin_tally(&mut self) {
        *self.tally = Tally::new(self.flight);
    }

    /// A chunk was sent for the first time.
    pub(crate) fn on_sent(&mut self, seq: u64, bytes: u64, now: Time) {
        self.flight += bytes;
        self.earliest = self.earliest.min(seq);
        if self.measured.0 == NO_CHUNK {
            self.measured = (seq, now);
        }
    }

    /// A chunk was sent again, perhaps after having been sent elsewhere.
    pub(crate) fn on_retransmitted(&mut self, seq: u64, bytes: u64) {
        self.flight += bytes;
        self.earliest = self.earliest.min(seq);
    }

    /// Karn's rule: once `seq` was sent again, no chunk from it on that is being measured tells
    /// anything (RFC 9260 §6.3.1 C5).
    pub(crate) fn forget_measurement_from(&mut self, seq: u64) {
        if self.measured.0 >= seq {
            self.measured.0 = NO_CHUNK;
        }
    }

    pub(crate) fn on_acked(&mut self, seq: u64, bytes: u64, in_flight: bool, now: Time) {
        if in_flight {
            self.flight = self.flight.saturating_sub(bytes);
        }
        self.tally.acked += bytes;
        let (measured, sent_at) = self.measured;
        if measured == seq {
            self.tally.round_trip = Some(now.since(sent_at));
            self.measured.0 = NO_CHUNK;
        }
    }

    pub(crate) fn on_reneged(&mut self, seq: u64, bytes: u64) {
        self.on_retransmitted(seq, bytes);
    }

    pub(crate) fn on_marked(&mut self, bytes: u64) {
        self.flight = self.flight.saturating_sub(bytes);
    }

    pub(crate) fn on_loss_reported(&mut self, seq: u64) {
        self.tally.lost_below = self.tally.lost_below.max(seq + 1);
    }

    pub(crate) fn on_all_marked(&mut self) {
        self.flight = 0;
        self.earliest = NO_CHUNK;
        self.measured.0 = NO_CHUNK;
    }

    pub(crate) fn set_earliest(&mut self, earliest: Option<u64>) {
        let earliest = earliest.unwrap_or(NO_CHUNK);
        self.tally.earliest_moved = self.earliest != earliest && self.tally.acked > 0;
        self.earliest = earliest;
    }

    /// Gives back what only a SACK needs.
    pub(crate) fn trim(&mut self) {
        self.tally.release();
    }
}
