use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::fmt;
use core::mem;

use crate::Time;
use crate::assoc::Tcb;

/// Associations by the time of their next work.
///
/// An entry may be early, never late: moving a deadline back costs nothing.
///
/// Most of a hundred thousand associations wait for something seconds away, and an order of them all
/// is too large for the processor's cache. So only what is due soon is kept in order; the rest is
/// sorted by the span of time that it falls into, which is put in order when its turn comes.
#[derive(Clone, Default)]
pub(super) struct Deadlines {
    /// The deadline of each association; [`Time::MAX`] if there is none. Most calls find here that
    /// there is nothing to do.
    noted: Vec<Time>,
    /// Entries before the horizon, all of them and in order. Empty only if there is none at all.
    near: BTreeSet<(Time, usize)>,
    horizon: Time,
    /// Entries in `near` at which those of later spans leave it.
    crowd: usize,
    /// Associations with a deadline from the horizon on by its span, and some that have another now.
    far: BTreeMap<u64, Vec<u32>>,
    /// Entries in `far`.
    far_len: usize,
}

/// Entries that are kept in order whenever they are due.
const FEW: usize = 256;

/// Bits of the nanoseconds of a span: 17 ms.
const SPAN_BITS: u32 = 24;

impl Deadlines {
    /// Notes the deadline of an association.
    #[inline(always)] // Seldom news, and asked for after each packet.
    pub(super) fn note(&mut self, index: usize, tcb: &Tcb) {
        if let Some(wanted) = tcb.deadline() {
            self.note_time(index, wanted);
        }
    }

    #[inline(always)]
    fn note_time(&mut self, index: usize, wanted: Time) {
        if wanted < self.noted.get(index).copied().unwrap_or(Time::MAX) {
            self.bring_forward(index, wanted);
        }
    }

    #[inline(never)]
    fn bring_forward(&mut self, index: usize, wanted: Time) {
        if index >= self.noted.len() {
            self.noted.resize(index + 1, Time::MAX);
        }
        let noted = self.noted.get_mut(index);
        let given_up = noted.map_or(Time::MAX, |noted| mem::replace(noted, wanted));
        self.insert(wanted, index);
        self.remove(given_up, index);
    }

    /// Forgets the deadline of an association that is no more.
    pub(super) fn forget(&mut self, index: usize) {
        if let Some(noted) = self.noted.get_mut(index) {
            let given_up = mem::replace(noted, Time::MAX);
            self.remove(given_up, index);
        }
    }

    /// When the next association is due.
    pub(super) fn next_due(&self) -> Option<Time> {
        self.near.first().map(|(due, _)| *due)
    }

    /// Takes out the deadline of an association that is due.
    pub(super) fn pop_due(&mut self, now: Time) -> Option<usize> {
        if self.next_due()? > now {
            return None;
        }
        let (_, index) = self.near.pop_first()?;
        if let Some(noted) = self.noted.get_mut(index) {
            *noted = Time::MAX;
        }
        self.refill();
        Some(index)
    }

    fn insert(&mut self, due: Time, index: usize) {
        if self.far_len == 0 && self.near.len() < FEW {
            self.horizon = self.horizon.max(end(span(due)));
        }
        if due < self.horizon {
            self.near.insert((due, index));
            if self.near.len() > self.crowd.max(FEW) {
                self.spill();
            }
        } else {
            self.put_far(due, index);
            // Each association has one entry that holds.
            if self.far_len > 2 * self.noted.len() + FEW {
                self.sweep();
            }
        }
    }

    /// Takes an entry out; one beyond the horizon is given up where it is.
    fn remove(&mut self, due: Time, index: usize) {
        if due < self.horizon {
            self.near.remove(&(due, index));
            self.refill();
        }
    }

    fn put_far(&mut self, due: Time, index: usize) {
        // More associations than that fit no memory.
        let place = u32::try_from(index).unwrap_or(u32::MAX);
        self.far.entry(span(due)).or_default().push(place);
        self.far_len += 1;
    }

    /// Puts the next span in order once nothing is left before the horizon.
    fn refill(&mut self) {
        while self.near.is_empty()
            && let Some((span, entries)) = self.far.pop_first()
        {
            self.far_len -= entries.len();
            let noted = &self.noted;
            let entries = entries
                .iter()
                .filter_map(|place| holds(noted, span, *place));
            self.near = entries.collect();
            self.horizon = end(span);
            self.crowd = 2 * self.near.len();
        }
    }

    /// Takes those of later spans than the first out of the order.
    fn spill(&mut self) {
        if let Some(first) = self.next_due() {
            self.horizon = self.horizon.min(end(span(first)));
            for (due, index) in self.near.split_off(&(self.horizon, 0)) {
                self.put_far(due, index);
            }
        }
        self.crowd = 2 * self.near.len();
    }

    /// Drops the entries that were given up.
    fn sweep(&mut self) {
        let noted = &self.noted;
        self.far.retain(|span, entries| {
            entries.retain(|place| holds(noted, *span, *place).is_some());
            entries.sort_unstable();
            entries.dedup();
            !entries.is_empty()
        });
        self.far_len = self.far.values().map(Vec::len).sum();
    }
}

/// Deadlines alone, which decide the order in which associations are due; the rest only finds it sooner.
impl fmt::Debug for Deadlines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noted = self.noted.iter().enumerate();
        let noted = noted.filter(|(_, due)| **due != Time::MAX);
        f.debug_map().entries(noted).finish()
    }
}

/// The entry of a place in a span, unless it was given up.
fn holds(noted: &[Time], of: u64, place: u32) -> Option<(Time, usize)> {
    let index = usize::try_from(place).ok()?;
    let due = *noted.get(index)?;
    (due != Time::MAX && span(due) == of).then_some((due, index))
}

/// The span of a time.
const fn span(due: Time) -> u64 {
    due.as_nanos() >> SPAN_BITS
}

/// The end of a span: the first time of the next.
const fn end(span: u64) -> Time {
    match (span + 1).checked_mul(1 << SPAN_BITS) {
        Some(nanos) => Time::from_nanos(nanos),
        None => Time::MAX,
    }
}

#[cfg(test)]
mod tests;
