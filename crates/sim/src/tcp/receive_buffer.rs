use bytes::{Buf, BufMut, Bytes, BytesMut};

use super::framing::{self, TooLong};
use super::range_set::{Range, RangeSet};

/// Received bytes: in-order bytes until they are read, out-of-order bytes until gaps close.
#[derive(Clone, Debug)]
pub(crate) struct ReceiveBuffer {
    /// Retained bytes, then everything from position `start`; holes contain zeros.
    bytes: BytesMut,
    /// Bytes already read, retained until their message is complete.
    kept: usize,
    /// Position of the first unread byte.
    start: u64,
    /// Position of the first missing byte.
    nxt: u64,
    /// Ranges received beyond `nxt`.
    ahead: RangeSet,
    /// The ranges of `ahead` that changed last, the most recent first.
    recent: Vec<Range>,
}

/// Most ranges remembered for SACK options; an option holds four.
const RECENT: usize = 4;

/// Effect of a segment's payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrived {
    /// The segment contained only duplicate bytes.
    Nothing,
    /// The bytes were next in order, without gaps.
    InOrder,
    /// The bytes are beyond a gap, or filled one at least partly.
    OutOfOrder,
}

impl ReceiveBuffer {
    /// Creates an empty buffer; the stream starts at position 1.
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

    /// Stores bytes that belong at `position`.
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

    // RFC 2018 §4: the first block contains the segment that arrived last.
    fn remember(&mut self, range: Range) {
        let Some(whole) = self.ahead.containing(range.start) else {
            return;
        };
        self.recent
            .retain(|r| r.end < whole.start || whole.end < r.start);
        self.recent.truncate(RECENT - 1);
        self.recent.insert(0, whole);
    }

    /// Ranges beyond the first gap, the most recent first, at most four.
    pub(crate) fn blocks(&self) -> &[Range] {
        &self.recent
    }

    /// Position of the first byte that is missing.
    pub(crate) const fn nxt(&self) -> u64 {
        self.nxt
    }

    /// Bytes available for reading.
    pub(crate) fn readable(&self) -> usize {
        usize::try_from(self.nxt - self.start).unwrap_or(usize::MAX)
    }

    /// Appends at most `max` readable bytes to `out`; returns the number.
    pub(crate) fn read(&mut self, out: &mut impl BufMut, max: usize) -> usize {
        let count = self.readable().min(max);
        out.put_slice(&self.bytes[self.kept..self.kept + count]);
        self.discard(count)
    }

    /// Reads all readable bytes and returns the first complete message without copying; the rest is
    /// retained.
    ///
    /// # Errors
    /// [`TooLong`] if the message exceeds `max`.
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

    /// Drops at most `max` readable bytes; returns the number.
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
