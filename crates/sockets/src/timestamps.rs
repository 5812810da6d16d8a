//! Times at which messages arrived, for programs (`SO_TIMESTAMP`, `SO_TIMESTAMPNS`).

use core::time::Duration;
use std::collections::VecDeque;

use sheave_engine::Time;

/// The form of times that one of the four options asks for.
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

/// The generation of an option. On a 64-bit machine the layouts are the same.
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

    /// Whether the option of this form reads as 1 where `set` is what a program has set. In Linux
    /// `SO_TIMESTAMP_NEW` does so for either resolution.
    pub(crate) fn is_shown_for(self, set: Option<Self>) -> bool {
        set.is_some_and(|set| {
            let is_new = set.generation == Generation::New;
            set == self || self == Self::NEW_MICROS && is_new
        })
    }

    /// The body of the ancillary data: seconds since the Unix epoch and a fraction, 64 bits each.
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

/// Messages of an association that the engine still has and that a socket was told of, and when
/// those that came last arrived.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unread {
    count: usize,
    /// Messages in front of those whose time is known.
    untimed: usize,
    /// Times of arrival, and the number of messages of each.
    timed: VecDeque<(Time, usize)>,
}

impl Unread {
    pub(crate) const fn count(&self) -> usize {
        self.count
    }

    /// Adds messages that have come; `arrived` where a program asks for times.
    pub(crate) fn add(&mut self, more: usize, arrived: Option<Time>) {
        self.count += more;
        // Behind a message with a time there is none without.
        let last = self.timed.back_mut();
        match (arrived.or(last.as_ref().map(|last| last.0)), last) {
            (None, _) => self.untimed += more,
            (Some(time), Some((last, count))) if *last == time => *count += more,
            (Some(time), _) => self.timed.push_back((time, more)),
        }
    }

    /// Removes the first message; when it arrived, if that is known.
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
