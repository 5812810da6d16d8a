use alloc::collections::VecDeque;
use core::time::Duration;

use crate::{Bbr, Excess, Limit, Time};

/// Departures are told apart that lie a round trip divided by this apart.
const RESOLUTION: u32 = 256;
/// And no more of them than this are remembered; without the oldest there are fewer samples.
const MOST: usize = 8192;

/// The state of a path when some chunks left that left at about the same time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Departure {
    /// When the first of them left.
    pub(super) at: Time,
    /// Bytes that had been delivered.
    pub(super) delivered: u64,
    /// When that had last grown.
    pub(super) delivered_at: Time,
    /// Bytes that had been found to be lost.
    pub(super) lost: u64,
    /// When that chunk had left that was the newest of those delivered.
    pub(super) first_sent_at: Time,
    /// Bytes in flight with the last of them.
    pub(super) flight: u64,
    /// Bytes of them that are still in flight.
    pub(super) left: u64,
    pub(super) limit: Limit,
}

impl Departure {
    /// The flight that was too much, if the loss of `bytes` of this was one too many: as far into
    /// what was in flight as losses stayed within what is tolerated (draft-ietf-ccwg-bbr-06
    /// §5.5.10.2).
    pub(super) fn excess(&self, lost: u64, bytes: u64) -> Option<Excess> {
        let lost = lost - self.lost;
        if !Bbr::is_too_lossy(lost, self.flight) {
            return None;
        }
        let before = self.flight.saturating_sub(bytes);
        let (tolerated, of) = Bbr::TOLERATED_LOSS;
        let lost_before = (lost - bytes).saturating_mul(of);
        let spare = before.saturating_mul(tolerated).saturating_sub(lost_before);
        Some(Excess {
            flight: before + spare / (of - tolerated),
            limit: self.limit,
        })
    }
}

/// The departures of what is in flight on a path, in their order.
///
/// A chunk finds its own by the time at which it left, so that chunks need not remember more than
/// that.
#[derive(Clone, Debug, Default)]
pub(super) struct Departures {
    row: VecDeque<Departure>,
}

impl Departures {
    /// Notes one, with others that left at about the same time: that is a small part of the
    /// `least` round trip.
    pub(super) fn add(&mut self, departure: Departure, least: Option<Duration>) {
        let apart = least.unwrap_or_default() / RESOLUTION;
        if let Some(last) = self.row.back_mut()
            && departure.at.since(last.at) <= apart
        {
            last.left += departure.left;
            last.flight = departure.flight;
            return;
        }
        if self.row.len() >= MOST {
            self.row.pop_front();
        }
        self.row.push_back(departure);
    }

    fn place(&self, sent_at: Time) -> Option<usize> {
        let after = self.row.partition_point(|other| other.at <= sent_at);
        after.checked_sub(1)
    }

    /// That of a chunk that left at that time, if it is remembered.
    pub(super) fn of(&self, sent_at: Time) -> Option<Departure> {
        self.row.get(self.place(sent_at)?).copied()
    }

    /// So many bytes that left at that time are in flight no longer.
    pub(super) fn on_gone(&mut self, sent_at: Time, bytes: u64) {
        let place = self.place(sent_at);
        if let Some(departure) = place.and_then(|place| self.row.get_mut(place)) {
            departure.left = departure.left.saturating_sub(bytes);
        }
        while self.row.front().is_some_and(|oldest| oldest.left == 0) {
            self.row.pop_front();
        }
    }

    pub(super) fn clear(&mut self) {
        self.row.clear();
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.row.len()
    }

    /// Bytes on the heap.
    pub(super) fn footprint(&self) -> usize {
        self.row.capacity() * size_of::<Departure>()
    }

    /// Gives back room; nothing is in flight.
    pub(super) fn trim(&mut self) {
        self.row = VecDeque::new();
    }
}
