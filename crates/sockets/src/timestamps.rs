//! Arrival times of messages (`SO_TIMESTAMP`, `SO_TIMESTAMPNS`).

use core::time::Duration;
use std::collections::VecDeque;

use sheave_engine::Time;

/// The timestamp form of one of the four options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimestampForm {
    resolution: Resolution,
    generation: Generation,
}

/// The resolution of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Resolution {
    /// `struct timeval`.
    Micros,
    /// `struct timespec`.
    Nanos,
}

/// The generation of an option; both have the same layout on 64-bit machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Generation {
    Old,
    /// `SO_TIMESTAMP_NEW`, `SO_TIMESTAMPNS_NEW`: 64 bits on every machine.
    New,
}

impl TimestampForm {
    /// `SO_TIMESTAMP`.
    pub(crate) const MICROS: Self = Self::new(Resolution::Micros, Generation::Old);
    /// `SO_TIMESTAMPNS`.
    pub(crate) const NANOS: Self = Self::new(Resolution::Nanos, Generation::Old);
    /// `SO_TIMESTAMP_NEW`.
    pub(crate) const NEW_MICROS: Self = Self::new(Resolution::Micros, Generation::New);
    /// `SO_TIMESTAMPNS_NEW`.
    pub(crate) const NEW_NANOS: Self = Self::new(Resolution::Nanos, Generation::New);

    const fn new(resolution: Resolution, generation: Generation) -> Self {
        Self {
            resolution,
            generation,
        }
    }

    /// Whether this option reads as 1 when `set` is active. On Linux, `SO_TIMESTAMP_NEW` does so
    /// for both resolutions.
    pub(crate) fn is_shown_for(self, set: Option<Self>) -> bool {
        set.is_some_and(|set| {
            let is_new = set.generation == Generation::New;
            set == self || self == Self::NEW_MICROS && is_new
        })
    }

    /// The ancillary-data body: seconds since the Unix epoch and a fraction, 64 bits each.
    pub(crate) fn body(self, since_epoch: Duration) -> Vec<u8> {
        let fraction = match self.resolution {
            Resolution::Micros => since_epoch.subsec_micros(),
            Resolution::Nanos => since_epoch.subsec_nanos(),
        };
        [since_epoch.as_secs(), fraction.into()]
            .map(u64::to_ne_bytes)
            .concat()
    }
}

/// Counts readable messages that are still in the engine, with the arrival times of the latest
/// ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unread {
    count: usize,
    /// Messages before the first with a known time.
    untimed: usize,
    /// Arrival times, each with its number of messages.
    timed: VecDeque<(Time, usize)>,
}

impl Unread {
    pub(crate) const fn count(&self) -> usize {
        self.count
    }

    /// Adds new messages; `arrived` is set if a program asks for times.
    pub(crate) fn add(&mut self, more: usize, arrived: Option<Time>) {
        self.count += more;
        // After a message with a time, every message has one.
        let last = self.timed.back_mut();
        match (arrived.or(last.as_ref().map(|last| last.0)), last) {
            (None, _) => self.untimed += more,
            (Some(time), Some((last, count))) if *last == time => *count += more,
            (Some(time), _) => self.timed.push_back((time, more)),
        }
    }

    /// Removes the first message and returns its arrival time, if known.
    pub(crate) fn take(&mut self) -> Option<Time> {
        self.count = self.count.saturating_sub(1);
        if self.untimed > 0 {
            self.untimed -= 1;
            return None;
        }
        let (time, count) = self.timed.front_mut()?;
        let time = *time;
        *count -= 1;
        if *count == 0 {
            self.timed.pop_front();
        }
        Some(time)
    }
}

#[cfg(test)]
mod tests;
