use std::collections::VecDeque;

/// Positions from `start` up to, not including, `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl Range {
    pub(crate) const fn new(start: u64, end: u64) -> Self {
        Self { start, end }
    }

    /// Number of positions in the range.
    pub(crate) const fn len(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.end <= self.start
    }

    pub(crate) const fn contains(self, position: u64) -> bool {
        self.start <= position && position < self.end
    }
}

/// A set of positions, stored as disjoint ranges in ascending order.
#[derive(Clone, Debug, Default)]
pub(crate) struct RangeSet {
    ranges: VecDeque<Range>,
    /// Number of positions in all ranges.
    total: u64,
}

impl RangeSet {
    pub(crate) const fn new() -> Self {
        Self {
            ranges: VecDeque::new(),
            total: 0,
        }
    }

    /// Adds a range; returns how many of its positions are new.
    pub(crate) fn insert(&mut self, range: Range) -> u64 {
        if range.is_empty() {
            return 0;
        }
        // Ranges that touch the new one are merged into it.
        let first = self.ranges.partition_point(|r| r.end < range.start);
        let mut merged = range;
        let mut held = 0;
        let mut last = first;
        while let Some(old) = self.ranges.get(last).filter(|r| r.start <= range.end) {
            merged.start = merged.start.min(old.start);
            merged.end = merged.end.max(old.end);
            held += old.len();
            last += 1;
        }
        match self.ranges.get_mut(first).filter(|_| last > first) {
            Some(slot) => {
                *slot = merged;
                if last > first + 1 {
                    self.ranges.drain(first + 1..last);
                }
            }
            None => self.ranges.insert(first, merged),
        }
        let new = merged.len() - held;
        self.total += new;
        new
    }

    /// Removes all positions below `position`.
    pub(crate) fn trim_below(&mut self, position: u64) {
        while let Some(front) = self.ranges.front_mut() {
            if front.end <= position {
                self.total -= front.len();
                self.ranges.pop_front();
            } else {
                if front.start < position {
                    self.total -= position - front.start;
                    front.start = position;
                }
                break;
            }
        }
    }

    /// Number of positions in the set.
    pub(crate) const fn total(&self) -> u64 {
        self.total
    }

    /// Number of positions in the set below `position`.
    pub(crate) fn covered_below(&self, position: u64) -> u64 {
        if self.ranges.back().is_none_or(|r| r.end <= position) {
            return self.total;
        }
        self.ranges
            .iter()
            .take_while(|r| r.start < position)
            .map(|r| r.end.min(position) - r.start)
            .sum()
    }

    /// The range that contains `position`.
    pub(crate) fn containing(&self, position: u64) -> Option<Range> {
        let at = self.ranges.partition_point(|r| r.end <= position);
        self.ranges
            .get(at)
            .copied()
            .filter(|r| r.contains(position))
    }

    /// The first range that starts at or after `position`.
    pub(crate) fn first_from(&self, position: u64) -> Option<Range> {
        let at = self.ranges.partition_point(|r| r.start < position);
        self.ranges.get(at).copied()
    }

    /// The first position at or after `position` that is not in the set.
    pub(crate) fn gap_from(&self, position: u64) -> u64 {
        self.containing(position).map_or(position, |r| r.end)
    }

    /// The highest range.
    pub(crate) fn last(&self) -> Option<Range> {
        self.ranges.back().copied()
    }

    /// Iterates over all ranges, the highest first.
    pub(crate) fn highest_first(&self) -> impl Iterator<Item = Range> {
        self.ranges.iter().rev().copied()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }
}

#[cfg(test)]
mod tests;
