use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::fmt;
use core::mem;

use crate::Time;
use crate::assoc::Tcb;

/// Associations ordered by their next deadline.
///
/// An entry may be too early but never too late, so postponing a deadline costs nothing.
///
/// With 100,000 associations, most deadlines are seconds away, and one ordered set of all would not
/// fit the processor's cache. So only near deadlines are kept in order; later ones are bucketed by
/// time span, and a bucket is sorted when its span comes.
#[derive(Clone, Default)]
pub(super) struct Deadlines {
    /// Deadline of each association; [`Time::MAX`] if none. Most calls are answered by this table
    /// alone.
    noted: Vec<Time>,
    /// Entries before the horizon, in order. Empty only if there are no deadlines.
    near: BTreeSet<(Time, usize)>,
    horizon: Time,
    /// Size of `near` at which entries of later spans are moved out.
    crowd: usize,
    /// Associations with a deadline at or after the horizon, by span; some entries are outdated.
    far: BTreeMap<u64, Vec<u32>>,
    /// Number of entries in `far`.
    far_len: usize,
}

/// Number of entries that are always kept in order.
const FEW: usize = 256;

/// Right shift from nanoseconds to spans of 17 ms.
const SPAN_BITS: u32 = 24;

impl Deadlines {
    /// Records the deadline of an association.
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

    /// Removes the deadline of an ended association.
    pub(super) fn forget(&mut self, index: usize) {
        if let Some(noted) = self.noted.get_mut(index) {
            let given_up = mem::replace(noted, Time::MAX);
            self.remove(given_up, index);
        }
    }

    /// The earliest deadline.
    pub(super) fn next_due(&self) -> Option<Time> {
        self.near.first().map(|(due, _)| *due)
    }

    /// Removes one expired deadline; returns its association.
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
            // Each association has one valid entry.
            if self.far_len > 2 * self.noted.len() + FEW {
                self.sweep();
            }
        }
    }

    /// Removes an entry; beyond the horizon, the entry stays and becomes invalid.
    fn remove(&mut self, due: Time, index: usize) {
        if due < self.horizon {
            self.near.remove(&(due, index));
            self.refill();
        }
    }

    fn put_far(&mut self, due: Time, index: usize) {
        // Memory cannot hold more than 2^32 associations.
        let place = u32::try_from(index).unwrap_or(u32::MAX);
        self.far.entry(span(due)).or_default().push(place);
        self.far_len += 1;
    }

    /// Sorts the next span once nothing is left before the horizon.
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

    /// Moves entries of all spans but the first out of `near`.
    fn spill(&mut self) {
        if let Some(first) = self.next_due() {
            self.horizon = self.horizon.min(end(span(first)));
            for (due, index) in self.near.split_off(&(self.horizon, 0)) {
                self.put_far(due, index);
            }
        }
        self.crowd = 2 * self.near.len();
    }

    /// Drops invalid entries.
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

/// Prints deadlines only, since the other fields do not affect the order.
impl fmt::Debug for Deadlines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noted = self.noted.iter().enumerate();
        let noted = noted.filter(|(_, due)| **due != Time::MAX);
        f.debug_map().entries(noted).finish()
    }
}

/// The entry of an association in a span; `None` if it is outdated.
fn holds(noted: &[Time], of: u64, place: u32) -> Option<(Time, usize)> {
    let index = usize::try_from(place).ok()?;
    let due = *noted.get(index)?;
    (due != Time::MAX && span(due) == of).then_some((due, index))
}

/// The span that contains a time.
const fn span(due: Time) -> u64 {
    due.as_nanos() >> SPAN_BITS
}

/// The end of a span, which is the start of the next.
const fn end(span: u64) -> Time {
    match (span + 1).checked_mul(1 << SPAN_BITS) {
        Some(nanos) => Time::from_nanos(nanos),
        None => Time::MAX,
    }
}

#[cfg(test)]
mod tests;
