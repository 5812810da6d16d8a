use alloc::collections::VecDeque;
use core::time::Duration;

use crate::{Bbr, Excess, Limit, Time};

/// Departures closer together than the round trip divided by this are merged.
const RESOLUTION: u32 = 256;
/// Most departures remembered; dropping the oldest loses samples.
const MOST: usize = 8192;

/// The state of a path when a group of chunks left at about the same time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Departure {
    /// Time when the first chunk of the group left.
    pub(super) at: Time,
    /// Bytes delivered by then.
    pub(super) delivered: u64,
    /// Time of the last increase of `delivered`.
    pub(super) delivered_at: Time,
    /// Bytes found lost by then.
    pub(super) lost: u64,
    /// Send time of the most recently sent chunk delivered by then.
    pub(super) first_sent_at: Time,
    /// Bytes in flight after the last chunk of the group left.
    pub(super) flight: u64,
    /// Bytes of the group still in flight.
    pub(super) left: u64,
    pub(super) limit: Limit,
}

impl Departure {
    /// The excessive flight size, if this loss of `bytes` exceeded the tolerated share: the flight
    /// up to which losses stayed within it (draft-ietf-ccwg-bbr-06 §5.5.10.2).
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

/// The departures of data in flight on a path, in order.
///
/// A chunk's departure is looked up by its send time, so that chunks need no other field.
#[derive(Clone, Debug, Default)]
pub(super) struct Departures {
    row: VecDeque<Departure>,
}

impl Departures {
    /// Adds a departure, merging it with the last one if they are less than a small part of the
    /// `least` round trip apart.
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

    /// The departure of a chunk sent at `sent_at`, if remembered.
    pub(super) fn of(&self, sent_at: Time) -> Option<Departure> {
        self.row.get(self.place(sent_at)?).copied()
    }

    /// `bytes` sent at `sent_at` are no longer in flight.
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

    /// Frees memory; nothing is in flight.
    pub(super) fn trim(&mut self) {
        self.row = VecDeque::new();
    }
}
