mod repeats;

use alloc::vec::Vec;
use core::mem;
use core::ops::Range;

use sheave_wire::{GapBlock, List};

use self::repeats::Repeats;
use crate::on_demand::Blank;
use crate::value::error::PeerFault;

/// TSNs that gap blocks have acknowledged beyond the Cumulative TSN Ack Point, as sorted, disjoint
/// ranges; and, from one SACK to the next, what is new and what is gone.
///
/// The work for a SACK is in its gap blocks and those of the one before, not in the window; that for
/// the chunks that they cover is bounded by [`Repeats`].
#[derive(Clone, Debug, Default)]
pub(crate) struct AckedRanges {
    ranges: Vec<Range<u64>>,
    changes: Vec<Change>,
    before: Vec<Range<u64>>,
    /// Nothing is known of the chunks from here on if the last SACK may have had no room for more.
    horizon: Option<u64>,
    repeats: Repeats,
    repeats_before: Repeats,
}

/// Gap blocks from which on a SACK may have left out others, which are the highest ones: it holds as
/// many as fit a packet (RFC 9260 §6.2.1), and those of Linux hold 16.
const FULL: usize = 16;

/// Ranges beyond a full SACK that are remembered at most, ours: each costs
/// the next SACK a step.
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
    /// Whether the last SACK had no gap blocks, nor the one before it: then one that has none
    /// either changes nothing here.
    pub(crate) fn is_quiet(&self) -> bool {
        self.ranges.is_empty() && self.changes.is_empty()
    }

    /// Takes in the gap blocks of a SACK whose Cumulative TSN Ack is the chunk before `base`.
    /// `next` is the first chunk that was never sent. Nothing changes unless all blocks hold;
    /// `false` if a block is backwards, or begins where the Cumulative TSN Ack would have moved on:
    /// nothing would be in flight then, and yet not all acknowledged; or if too much
    /// is acknowledged that was taken back.
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

    /// Ranges acknowledged by the last SACK that were not before it.
    pub(crate) fn newly(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        self.changes.iter().filter_map(|change| match change {
            Change::Newly(range) => Some(range.clone()),
            Change::Reneged(_) => None,
        })
    }

    /// The first of the chunks of which the last SACK may have told nothing for want of room.
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

    /// Puts back what stood before the last SACK.
    pub(crate) fn forget_last(&mut self) {
        mem::swap(&mut self.ranges, &mut self.before);
        self.repeats = self.repeats_before;
        self.changes.clear();
    }

    /// The highest chunk that the last SACK reports in a gap block, or does not take back.
    pub(crate) fn highest(&self) -> Option<u64> {
        self.ranges.last().map(|range| range.end - 1)
    }

    /// Everything below `base` is cumulatively acknowledged. A range that begins there was taken
    /// back: who still had it would have acknowledged it as well.
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

/// Whether `at` lies in `range`, and where that changes next.
fn edge(range: Option<&Range<u64>>, at: u64) -> (bool, u64) {
    match range {
        None => (false, u64::MAX),
        Some(range) if range.start > at => (false, range.start),
        Some(range) => (true, range.end),
    }
}

/// Adds to the ranges of a full SACK those `before` it that lie beyond them: it does not take them back.
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
