use bytes::{Buf, BufMut, Bytes, BytesMut};

use super::framing::{self, TooLong};
use super::range_set::{Range, RangeSet};

/// Bytes that have arrived: those in order wait to be read, those ahead for what is missing.
#[derive(Clone, Debug)]
pub(crate) struct ReceiveBuffer {
    /// The bytes that are kept, and then everything from position `start` on; holes hold zeros.
    bytes: BytesMut,
    /// Bytes that were read, and are kept until all of their message has come.
    kept: usize,
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
    pub(crate) fn new() -> Self {
        Self {
            bytes: BytesMut::new(),
            kept: 0,
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
        let at = self.kept + at;
        if at == self.bytes.len() {
            return self.bytes.extend_from_slice(payload);
        }
        let end = at + payload.len();
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        self.bytes[at..end].copy_from_slice(payload);
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
        out.put_slice(&self.bytes[self.kept..self.kept + count]);
        self.discard(count)
    }

    /// Reads all that can be read, and hands out the first message that is complete, without copying
    /// it; the rest is kept.
    ///
    /// # Errors
    /// [`TooLong`] where it is longer than `max`.
    pub(crate) fn read_message(&mut self, max: usize) -> Result<Option<Bytes>, TooLong> {
        let count = self.readable();
        self.kept += count;
        self.start += count as u64;
        let message = framing::take_message(&mut self.bytes, self.kept, max)?;
        if let Some(message) = &message {
            self.kept -= framing::LENGTH_LEN + message.len();
        }
        Ok(message)
    }

    /// Drops at most `max` bytes that can be read and tells how many.
    pub(crate) fn discard(&mut self, max: usize) -> usize {
        let count = self.readable().min(max);
        if self.kept == 0 {
            self.bytes.advance(count);
        } else {
            let rest = self.bytes.split_off(self.kept + count);
            self.bytes.truncate(self.kept);
            self.bytes.unsplit(rest);
        }
        self.start += count as u64;
        count
    }
}

#[cfg(test)]
mod tests;
