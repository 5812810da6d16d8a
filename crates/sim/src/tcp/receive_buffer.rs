use std::collections::VecDeque;

use bytes::BufMut;

use super::range_set::{Range, RangeSet};

/// Bytes that have arrived: those in order wait to be read, those ahead for what is missing.
#[derive(Clone, Debug)]
pub(crate) struct ReceiveBuffer {
    /// Everything from position `start` on; holes hold zeros.
    bytes: VecDeque<u8>,
    /// Position of the first byte that was not yet read.
    start: u64,
    /// Position of the first byte that is missing.
    nxt: u64,
    /// Ranges that have arrived beyond `nxt`.
    ahead: RangeSet,
    /// The ranges of `ahead` that changed last, the most recent first.
    recent: Vec<Range>,
}

/// Ranges remembered for SACK options; four fit into one.
const RECENT: usize = 4;

/// The effect of a segment's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrived {
    /// The bytes had all arrived before.
    Nothing,
    /// The bytes were the next ones, and nothing was missing.
    InOrder,
    /// The bytes lie beyond a hole, or filled a hole in whole or in part.
    OutOfOrder,
}

impl ReceiveBuffer {
    /// The stream begins at position 1.
    pub(crate) const fn new() -> Self {
        Self {
            bytes: VecDeque::new(),
            start: 1,
            nxt: 1,
            ahead: RangeSet::new(),
            recent: Vec::new(),
        }
    }

    /// Takes in bytes that belong at `position`.
    pub(crate) fn insert(&mut self, position: u64, payload: &[u8]) -> Arrived {
        let skip = self.nxt.saturating_sub(position);
        let Some(payload) = usize::try_from(skip).ok().and_then(|n| payload.get(n..)) else {
            return Arrived::Nothing;
        };
        if payload.is_empty() {
            return Arrived::Nothing;
        }
        let range = Range::new(position + skip, position + skip + payload.len() as u64);
        self.store(range.start, payload);
        if range.start > self.nxt {
            let new = self.ahead.insert(range);
            self.remember(range);
            return if new == 0 {
                Arrived::Nothing
            } else {
                Arrived::OutOfOrder
            };
        }
        let holes = !self.ahead.is_empty();
        self.nxt = self.ahead.gap_from(range.end).max(range.end);
        self.ahead.trim_below(self.nxt);
        if holes {
            let nxt = self.nxt;
            self.recent.retain(|r| r.start >= nxt);
            Arrived::OutOfOrder
        } else {
            Arrived::InOrder
        }
    }

    fn store(&mut self, position: u64, payload: &[u8]) {
        let at = usize::try_from(position - self.start).unwrap_or(usize::MAX);
        if at == self.bytes.len() {
            self.bytes.extend(payload);
            return;
        }
        let end = at + payload.len();
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        let (front, back) = self.bytes.as_mut_slices();
        let split = front.len();
        let in_front = split.saturating_sub(at).min(payload.len());
        if in_front > 0 {
            front[at..at + in_front].copy_from_slice(&payload[..in_front]);
        }
        let rest = &payload[in_front..];
        if !rest.is_empty() {
            let at = (at + in_front) - split;
            back[at..at + rest.len()].copy_from_slice(rest);
        }
    }

    // RFC 2018 §4: the first block holds the segment that came last.
    fn remember(&mut self, range: Range) {
        let Some(whole) = self.ahead.containing(range.start) else {
            return;
        };
        self.recent
            .retain(|r| r.end < whole.start || whole.end < r.start);
        self.recent.truncate(RECENT - 1);
        self.recent.insert(0, whole);
    }

    /// The ranges beyond the first hole, the most recent first, four at most.
    pub(crate) fn blocks(&self) -> &[Range] {
        &self.recent
    }

    /// Position of the first byte that is missing.
    pub(crate) const fn nxt(&self) -> u64 {
        self.nxt
    }

    /// Bytes that can be read.
    pub(crate) fn readable(&self) -> usize {
        usize::try_from(self.nxt - self.start).unwrap_or(usize::MAX)
    }

    /// Moves at most `max` bytes to the end of `out` and tells how many.
    pub(crate) fn read(&mut self, out: &mut impl BufMut, max: usize) -> usize {
        let count = self.readable().min(max);
        let (front, back) = self.bytes.as_slices();
        let first = front.len().min(count);
        out.put_slice(&front[..first]);
        out.put_slice(&back[..count - first]);
        self.discard(count)
    }

    /// Drops at most `max` bytes that can be read and tells how many.
    pub(crate) fn discard(&mut self, max: usize) -> usize {
        let count = self.readable().min(max);
        self.bytes.drain(..count);
        self.start += count as u64;
        count
    }
}

#[cfg(test)]
mod tests;
