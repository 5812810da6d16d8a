use core::num::NonZeroU64;
use core::time::Duration;

use crate::Time;

/// Data in flight on a path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flow {
    /// Bytes of DATA chunks in flight, headers and padding included.
    flight: u64,
    /// The oldest chunk in flight, or one that recently was.
    earliest: Option<Noted>,
    /// The chunk whose round trip is being measured, and its send time (RFC 9260 §6.3.1 C4).
    measured: Option<(Noted, Time)>,
}

/// A chunk number stored so that an `Option` of it takes no extra space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Noted(NonZeroU64);

impl Noted {
    /// Sequence numbers count the chunks of an association and never reach the maximum.
    const fn new(seq: u64) -> Self {
        Self(NonZeroU64::MIN.saturating_add(seq))
    }

    const fn seq(self) -> u64 {
        self.0.get() - 1
    }
}

impl Flow {
    pub(crate) const fn flight(&self) -> u64 {
        self.flight
    }

    pub(crate) fn earliest(&self) -> Option<u64> {
        self.earliest.map(Noted::seq)
    }

    /// A chunk was sent for the first time.
    pub(crate) fn on_sent(&mut self, seq: u64, bytes: u64, now: Time) {
        self.flight += bytes;
        self.note_in_flight(seq);
        self.measured.get_or_insert((Noted::new(seq), now));
    }

    /// A chunk was retransmitted on this path, perhaps after being sent on another.
    pub(crate) fn on_retransmitted(&mut self, seq: u64, bytes: u64) {
        self.flight += bytes;
        self.note_in_flight(seq);
    }

    /// Karn's rule: after `seq` was retransmitted, a measurement of it or a later chunk is invalid
    /// (RFC 9260 §6.3.1 C5).
    pub(crate) fn forget_measurement_from(&mut self, seq: u64) {
        self.measured = self.measured.filter(|(measured, _)| measured.seq() < seq);
    }

    /// A chunk last sent on this path was acknowledged. Returns the round trip if this chunk was
    /// being measured.
    pub(crate) fn on_acked(
        &mut self,
        seq: u64,
        bytes: u64,
        in_flight: bool,
        now: Time,
    ) -> Option<Duration> {
        if in_flight {
            self.flight = self.flight.saturating_sub(bytes);
        }
        let (_, sent_at) = self
            .measured
            .take_if(|(measured, _)| measured.seq() == seq)?;
        Some(now.since(sent_at))
    }

    pub(crate) fn on_reneged(&mut self, seq: u64, bytes: u64) {
        self.on_retransmitted(seq, bytes);
    }

    pub(crate) fn on_marked(&mut self, bytes: u64) {
        self.flight = self.flight.saturating_sub(bytes);
    }

    pub(crate) fn on_all_marked(&mut self) {
        self.flight = 0;
        self.earliest = None;
        self.measured = None;
    }

    fn note_in_flight(&mut self, seq: u64) {
        let noted = Noted::new(seq);
        self.earliest = Some(self.earliest.map_or(noted, |earliest| earliest.min(noted)));
    }

    /// Sets the oldest chunk in flight. Returns whether it changed.
    pub(crate) fn set_earliest(&mut self, earliest: Option<u64>) -> bool {
        let earliest = earliest.map(Noted::new);
        core::mem::replace(&mut self.earliest, earliest) != earliest
    }
}
