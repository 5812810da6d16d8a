use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use sheave_wire::{GapBlock, Tsn};

/// Most duplicate TSNs recorded between two SACKs; the rest is not reported.
const MAX_DUPLICATES: usize = 32;

/// Memory cost of a run of TSNs beyond a gap, bytes: its map entry.
pub(super) const RUN_COST: usize = 48;

/// The TSNs that have arrived (RFC 9260 §6.2, §6.7).
///
/// TSNs are unwrapped to 64 bits, the low half being the TSN, so that they compare as integers.
#[derive(Clone, Debug)]
pub(super) struct TsnTracker {
    cumulative: u64,
    /// Allocated by the first gap or duplicate.
    extras: Option<Box<Extras>>,
}

#[derive(Clone, Debug, Default)]
struct Extras {
    /// First and last TSN of each run beyond the cumulative TSN; runs never touch.
    blocks: BTreeMap<u64, u64>,
    duplicates: Vec<Tsn>,
    report: Vec<GapBlock>,
    /// TSNs of the last run that no SACK has reported yet, up to 255.
    untold: u8,
    /// SACKs that reported the last run, up to [`INDICATIONS`].
    indications: u8,
}

/// Miss indications that trigger a fast retransmission (RFC 9260 §7.2.4).
const INDICATIONS: u8 = 3;

/// The lists of a SACK.
#[derive(Debug, Default)]
pub(crate) struct Report<'a> {
    pub(crate) gap_blocks: &'a [GapBlock],
    pub(crate) duplicates: &'a [Tsn],
    /// Whether another SACK must follow at once to report the rest.
    pub(crate) continues: bool,
}

/// Position of a TSN relative to the received ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TsnPosition {
    /// Directly after the cumulative TSN.
    Next(u64),
    /// New; an earlier TSN is missing.
    Beyond(u64),
    /// Received before.
    Received,
    /// Too far ahead for a gap block.
    TooFar,
}

impl TsnTracker {
    pub(super) fn new(initial: Tsn) -> Self {
        Self {
            cumulative: u64::from(initial.prev().0),
            extras: None,
        }
    }

    #[inline]
    pub(super) fn place(&self, tsn: Tsn) -> TsnPosition {
        let ahead = tsn.distance_from(self.cumulative_tsn());
        if ahead == 1 {
            return TsnPosition::Next(self.cumulative + 1);
        }
        if ahead == 0 || ahead > u32::MAX / 2 {
            return TsnPosition::Received;
        }
        if ahead > u32::from(u16::MAX) {
            return TsnPosition::TooFar;
        }
        let at = self.cumulative + u64::from(ahead);
        match self.block_at(at) {
            Some(_) => TsnPosition::Received,
            None => TsnPosition::Beyond(at),
        }
    }

    /// Marks a TSN as received; [`place`](Self::place) must have called it new.
    #[inline]
    pub(super) fn receive(&mut self, at: u64) {
        if at == self.cumulative + 1 && self.extras.is_none() {
            self.cumulative = at;
        } else {
            self.receive_beside_blocks(at);
        }
    }

    /// Marks a TSN as received while gaps exist or the gap state is still allocated.
    #[inline(never)]
    fn receive_beside_blocks(&mut self, at: u64) {
        let extras = self.extras.get_or_insert_default();
        if at != self.cumulative + 1 {
            extras.insert(at);
            return;
        }
        self.cumulative = at;
        if let Some(first) = extras.blocks.first_entry()
            && *first.key() == at + 1
        {
            self.cumulative = first.remove();
        }
    }

    /// Marks all TSNs up to `tsn`, and those that follow without a gap, as received; returns
    /// whether the cumulative TSN advanced.
    pub(super) fn skip_to(&mut self, tsn: Tsn) -> bool {
        let ahead = tsn.distance_from(self.cumulative_tsn());
        if ahead == 0 || ahead > u32::MAX / 2 {
            return false;
        }
        self.cumulative += u64::from(ahead);
        let Some(extras) = &mut self.extras else {
            return true;
        };
        while let Some(first) = extras.blocks.first_entry()
            && *first.key() <= self.cumulative + 1
        {
            self.cumulative = self.cumulative.max(first.remove());
        }
        true
    }

    /// Marks a TSN beyond the cumulative TSN as not received (reneging, RFC 9260 §6.2).
    pub(super) fn renege(&mut self, at: u64) {
        let Some((first, last)) = self.block_at(at) else {
            return;
        };
        let Some(extras) = &mut self.extras else {
            return;
        };
        if first < at {
            extras.blocks.insert(first, at - 1);
        } else {
            extras.blocks.remove(&first);
        }
        if at < last {
            extras.blocks.insert(at + 1, last);
        }
    }

    #[inline]
    pub(super) fn cumulative(&self) -> u64 {
        self.cumulative
    }

    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the low half of an unwrapped TSN is the TSN"
    )]
    pub(super) fn cumulative_tsn(&self) -> Tsn {
        Tsn(self.cumulative as u32)
    }

    #[inline]
    pub(super) fn has_gaps(&self) -> bool {
        self.extras
            .as_ref()
            .is_some_and(|extras| !extras.blocks.is_empty())
    }

    /// Memory for the runs beyond the gap, bytes, whether or not their chunks are stored (A42).
    #[inline]
    pub(super) fn memory(&self) -> usize {
        let extras = self.extras.as_ref();
        extras.map_or(0, |extras| extras.blocks.len() * RUN_COST)
    }

    /// The lowest gap blocks, at most `max` (RFC 9260 §3.3.4).
    pub(super) fn gap_blocks(&mut self, max: usize) -> &[GapBlock] {
        let Some(extras) = &mut self.extras else {
            return &[];
        };
        let cumulative = self.cumulative;
        let offset = |at: u64| u16::try_from(at - cumulative).unwrap_or(u16::MAX);
        extras.report.clear();
        let blocks = extras.blocks.iter().take(max);
        extras.report.extend(blocks.map(|(&first, &last)| GapBlock {
            start: offset(first),
            end: offset(last),
        }));
        &extras.report
    }

    pub(super) fn note_duplicate(&mut self, tsn: Tsn) {
        let duplicates = &mut self.extras.get_or_insert_default().duplicates;
        if duplicates.len() < MAX_DUPLICATES {
            duplicates.push(tsn);
        }
    }

    pub(super) fn duplicates(&self) -> &[Tsn] {
        self.extras.as_ref().map_or(&[], |e| &e.duplicates)
    }

    /// Gap blocks and duplicates, at most `max` together, after this many packets.
    ///
    /// A sender counts SACKs that report TSNs beyond a missing one. If many packets are read at
    /// once, the first SACKs leave the newest TSNs to the following ones, so the sender gets as
    /// many miss indications for a new gap as if each packet had been acknowledged separately.
    pub(super) fn report(&mut self, max: usize, packets: u8) -> Report<'_> {
        self.gap_blocks(max);
        let Some(extras) = &mut self.extras else {
            return Report::default();
        };
        let later = extras.leave_for_later(packets);
        let spare = max.saturating_sub(extras.report.len());
        let duplicates = match later {
            0 => extras.duplicates.get(..spare).unwrap_or(&extras.duplicates),
            _ => &[],
        };
        Report {
            gap_blocks: &extras.report,
            duplicates,
            continues: later > 0,
        }
    }

    /// Bytes on the heap.
    pub(super) fn footprint(&self) -> usize {
        self.extras.as_ref().map_or(0, |extras| {
            size_of::<Extras>()
                + extras.report.capacity() * size_of::<GapBlock>()
                + extras.duplicates.capacity() * size_of::<Tsn>()
        })
    }

    pub(super) fn clear_duplicates(&mut self) {
        if let Some(extras) = &mut self.extras {
            extras.duplicates.clear();
        }
    }

    /// Frees memory that only gaps and duplicates need.
    pub(super) fn trim(&mut self) {
        if !self.has_gaps() && self.duplicates().is_empty() {
            self.extras = None;
        }
    }

    fn block_at(&self, at: u64) -> Option<(u64, u64)> {
        let extras = self.extras.as_ref()?;
        let (&first, &last) = extras.blocks.range(..=at).next_back()?;
        (at <= last).then_some((first, last))
    }
}

impl Extras {
    fn insert(&mut self, at: u64) {
        let last = self.blocks.remove(&(at + 1)).unwrap_or(at);
        let begins = match self.blocks.range_mut(..at).next_back() {
            Some((_, end)) if *end + 1 == at => {
                *end = last;
                false
            }
            _ => {
                self.blocks.insert(at, last);
                true
            }
        };
        let highest = self.blocks.last_key_value();
        if highest.is_some_and(|(_, &last)| last == at) {
            if begins {
                (self.untold, self.indications) = (0, 0);
            }
            self.untold = self.untold.saturating_add(1);
        }
    }

    /// Shortens the report by one TSN for each SACK that must follow; returns that number.
    fn leave_for_later(&mut self, packets: u8) -> u8 {
        let is_whole = self.report.len() == self.blocks.len();
        let Some(last) = self.report.last_mut().filter(|_| is_whole) else {
            return 0;
        };
        let missing = INDICATIONS - self.indications;
        let sacks = missing.min(self.untold).min(packets);
        let spare = u8::try_from(last.end - last.start).unwrap_or(u8::MAX);
        let later = sacks.saturating_sub(1).min(spare);
        last.end -= u16::from(later);
        self.indications += sacks.min(1);
        self.untold = later;
        later
    }
}

#[cfg(test)]
mod tests;
