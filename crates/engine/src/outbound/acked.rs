mod repeats;

use alloc::vec::Vec;
use core::mem;
use core::ops::Range;

use sheave_wire::{GapBlock, List};

use self::repeats::Repeats;
use crate::on_demand::Blank;
use crate::value::error::PeerFault;

/// TSNs that gap blocks acknowledged beyond the Cumulative TSN Ack Point, as sorted, disjoint
/// ranges, and the differences between the last two SACKs.
///
/// The cost of a SACK depends on the gap blocks of the last two SACKs, not on the window;
/// [`Repeats`] bounds the cost of the chunks that the blocks cover.
#[derive(Clone, Debug, Default)]
pub(crate) struct AckedRanges {
    ranges: Vec<Range<u64>>,
    changes: Vec<Change>,
    before: Vec<Range<u64>>,
    /// If set, the last SACK may have been full: the state of chunks from here on is unknown.
    horizon: Option<u64>,
    repeats: Repeats,
    repeats_before: Repeats,
}

/// A SACK with at least this many gap blocks may have omitted the highest ones: a SACK holds only
/// as many as fit a packet (RFC 9260 §6.2.1), and Linux sends at most 16.
const FULL: usize = 16;

/// Most ranges remembered beyond a full SACK (our choice); each costs the next SACK one step.
const MOST_KEPT: usize = 128;

#[derive(Debug, Clone)]
enum Change {
    Newly(Range<u64>),
    Reneged(Range<u64>),
}

impl Change {
    const fn len(&self) -> u64 {
        match self {
            Self::Newly(range) | Self::Reneged(range) => range.end - range.start,
        }
    }
}

impl Blank for AckedRanges {
    fn blank() -> &'static Self {
        const NONE: &AckedRanges = &AckedRanges {
            ranges: Vec::new(),
            changes: Vec::new(),
            before: Vec::new(),
            horizon: None,
            repeats: Repeats::NONE,
            repeats_before: Repeats::NONE,
        };
        NONE
    }

    fn fresh() -> Self {
        Self::default()
    }
}

impl AckedRanges {
    /// Whether neither of the last two SACKs had gap blocks; another one without gap blocks then
    /// changes nothing here.
    pub(crate) fn is_quiet(&self) -> bool {
        self.ranges.is_empty() && self.changes.is_empty()
    }

    /// Applies the gap blocks of a SACK whose Cumulative TSN Ack is the chunk before `base`; `next`
    /// is the first chunk never sent. Returns `false` and changes nothing if a block ends before it
    /// begins, if a block begins right behind the Cumulative TSN Ack, which should then have
    /// advanced, or if the SACK acknowledges again too many chunks that the peer had reneged on.
    pub(crate) fn classify(
        &mut self,
        base: u64,
        next: u64,
        blocks: &List<'_, GapBlock>,
    ) -> Result<bool, PeerFault> {
        let mut ranges = mem::take(&mut self.before);
        ranges.clear();
        for block in blocks {
            if block.start <= 1 || block.start > block.end {
                self.before = ranges;
                return Ok(false);
            }
            let range = base + u64::from(block.start) - 1..base + u64::from(block.end);
            if range.end > next {
                self.before = ranges;
                return Err(PeerFault::violation("reported a TSN that was never sent"));
            }
            ranges.push(range);
        }
        normalise(&mut ranges);
        self.horizon = None;
        if blocks.len() >= FULL {
            self.horizon = ranges.last().map(|range| range.end);
            keep_beyond(&mut ranges, &self.ranges);
        }
        self.before = mem::replace(&mut self.ranges, ranges);
        self.compare(base);
        self.repeats_before = self.repeats;
        if self.repeats.allow(base, &self.changes) {
            return Ok(true);
        }
        let repeats = self.repeats;
        self.forget_last();
        self.repeats = repeats;
        Ok(false)
    }

    /// Ranges that the last SACK acknowledged and the one before it did not.
    pub(crate) fn newly(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        self.changes.iter().filter_map(|change| match change {
            Change::Newly(range) => Some(range.clone()),
            Change::Reneged(_) => None,
        })
    }

    /// The first chunk that a full last SACK may have omitted.
    pub(crate) fn horizon(&self) -> Option<u64> {
        self.horizon
    }

    /// Ranges acknowledged before the last SACK and not by it, beyond the Cumulative TSN Ack.
    pub(crate) fn reneged(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        self.changes.iter().filter_map(|change| match change {
            Change::Reneged(range) => Some(range.clone()),
            Change::Newly(_) => None,
        })
    }

    /// Restores the state from before the last SACK.
    pub(crate) fn forget_last(&mut self) {
        mem::swap(&mut self.ranges, &mut self.before);
        self.repeats = self.repeats_before;
        self.changes.clear();
    }

    /// The highest chunk acknowledged by a gap block, in the last SACK or kept from an earlier one.
    pub(crate) fn highest(&self) -> Option<u64> {
        self.ranges.last().map(|range| range.end - 1)
    }

    /// Forgets everything below `base`, which is cumulatively acknowledged. The peer reneged on a
    /// range that begins at `base`: otherwise its Cumulative TSN Ack would cover that range.
    pub(crate) fn forget_below(&mut self, base: u64) {
        self.changes.clear();
        self.ranges.retain_mut(|range| {
            range.start = range.start.max(base);
            range.start < range.end
        });
        if self.ranges.is_empty() {
            self.horizon = None;
        }
        if self.ranges.first().is_some_and(|range| range.start == base) {
            let range = self.ranges.remove(0);
            self.changes.push(Change::Reneged(range));
        }
    }

    /// Walks the old and the new ranges side by side.
    fn compare(&mut self, base: u64) {
        self.changes.clear();
        let mut old = self
            .before
            .iter()
            .map(|range| range.start.max(base)..range.end)
            .peekable();
        let mut new = self.ranges.iter().cloned().peekable();
        let mut at = base;
        loop {
            while old.next_if(|range| range.end <= at).is_some() {}
            while new.next_if(|range| range.end <= at).is_some() {}
            let (in_old, old_edge) = edge(old.peek(), at);
            let (in_new, new_edge) = edge(new.peek(), at);
            let to = old_edge.min(new_edge);
            if to == u64::MAX {
                return;
            }
            match (in_old, in_new) {
                (false, true) => self.changes.push(Change::Newly(at..to)),
                (true, false) => self.changes.push(Change::Reneged(at..to)),
                (true, true) | (false, false) => {}
            }
            at = to;
        }
    }
}

/// Whether `at` lies in `range`, and the next position at which that changes.
fn edge(range: Option<&Range<u64>>, at: u64) -> (bool, u64) {
    match range {
        None => (false, u64::MAX),
        Some(range) if range.start > at => (false, range.start),
        Some(range) => (true, range.end),
    }
}

/// Keeps the ranges of `before` that lie beyond a full SACK, which did not take them back.
fn keep_beyond(ranges: &mut Vec<Range<u64>>, before: &[Range<u64>]) {
    let Some(end) = ranges.last().map(|range| range.end) else {
        return;
    };
    let first = before.partition_point(|range| range.end <= end);
    let beyond = before.iter().skip(first).take(MOST_KEPT);
    ranges.extend(beyond.map(|range| range.start.max(end)..range.end));
    normalise(ranges);
}

/// Sorts and merges.
fn normalise(ranges: &mut Vec<Range<u64>>) {
    if ranges
        .windows(2)
        .all(|pair| matches!(pair, [a, b] if a.end < b.start))
    {
        return;
    }
    ranges.sort_unstable_by_key(|range| range.start);
    ranges.dedup_by(|next, kept| {
        let touches = next.start <= kept.end;
        if touches {
            kept.end = kept.end.max(next.end);
        }
        touches
    });
}

#[cfg(test)]
mod tests;
