use core::time::Duration;

use crate::Time;

/// What is in flight on one path, and what the SACK at hand says of it.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    /// Bytes of DATA chunks in flight, headers and padding included.
    flight: u64,
    /// The oldest chunk in flight, or one that was it lately.
    earliest: Option<u64>,
    /// The chunk whose round trip is being measured, and when it left (RFC 9260 §6.3.1 C4).
    measured: Option<(u64, Time)>,
    pub(crate) tally: Tally,
}

/// What one SACK did on one path.
#[derive(Clone, Copy, Debug, Default)]
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

impl Flow {
    pub(crate) const fn flight(&self) -> u64 {
        self.flight
    }

    pub(crate) const fn earliest(&self) -> Option<u64> {
        self.earliest
    }

    pub(crate) fn begin_tally(&mut self) {
        self.tally = Tally {
            flight_before: self.flight,
            ..Tally::default()
        };
    }

    /// A chunk was sent for the first time.
    pub(crate) fn on_sent(&mut self, seq: u64, bytes: u64, now: Time) {
        self.flight += bytes;
        self.earliest.get_or_insert(seq);
        self.measured.get_or_insert((seq, now));
    }

    /// A chunk was sent again, perhaps after having been sent elsewhere.
    pub(crate) fn on_retransmitted(&mut self, seq: u64, bytes: u64) {
        self.flight += bytes;
        self.earliest = Some(self.earliest.map_or(seq, |earliest| earliest.min(seq)));
    }

    /// Karn's rule: once `seq` was sent again, no chunk from it on that is being measured tells
    /// anything (RFC 9260 §6.3.1 C5).
    pub(crate) fn forget_measurement_from(&mut self, seq: u64) {
        if self.measured.is_some_and(|(measured, _)| measured >= seq) {
            self.measured = None;
        }
    }

    pub(crate) fn on_acked(&mut self, seq: u64, bytes: u64, in_flight: bool, now: Time) {
        if in_flight {
            self.flight = self.flight.saturating_sub(bytes);
        }
        self.tally.acked += bytes;
        if let Some((measured, sent_at)) = self.measured
            && measured == seq
        {
            self.tally.round_trip = Some(now.since(sent_at));
            self.measured = None;
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
        self.earliest = None;
        self.measured = None;
    }

    pub(crate) fn set_earliest(&mut self, earliest: Option<u64>) {
        self.tally.earliest_moved = self.earliest != earliest && self.tally.acked > 0;
        self.earliest = earliest;
    }
}
