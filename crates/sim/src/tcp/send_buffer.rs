use std::collections::VecDeque;

use super::range_set::Range;

/// The bytes that the application has written and the peer has not yet acknowledged.
#[derive(Clone, Debug)]
pub(crate) struct SendBuffer {
    bytes: VecDeque<u8>,
    /// Position of the first byte held.
    start: u64,
    capacity: usize,
}

impl SendBuffer {
    /// Room for `capacity` bytes; the stream begins at position 1.
    pub(crate) const fn new(capacity: usize) -> Self {
        Self {
            bytes: VecDeque::new(),
            start: 1,
            capacity,
        }
    }

    /// Takes as many bytes as there is room for and tells how many.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> usize {
        let taken = bytes.len().min(self.room());
        self.bytes.extend(&bytes[..taken]);
        taken
    }

    /// Bytes that `write` would take.
    pub(crate) fn room(&self) -> usize {
        self.capacity.saturating_sub(self.bytes.len())
    }

    /// Position after the last byte written.
    pub(crate) fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    /// Forgets what lies below `position`.
    pub(crate) fn release(&mut self, position: u64) {
        let upto = position.min(self.end()).max(self.start);
        let count = usize::try_from(upto - self.start).unwrap_or(usize::MAX);
        self.bytes.drain(..count);
        self.start = upto;
    }

    /// Puts those bytes of the range that are held at the end of `out`.
    pub(crate) fn copy(&self, range: Range, out: &mut Vec<u8>) {
        let end = range.end.min(self.end());
        let start = range.start.max(self.start);
        if start >= end {
            return;
        }
        let at = usize::try_from(start - self.start).unwrap_or(usize::MAX);
        let len = usize::try_from(end - start).unwrap_or(0);
        let (front, back) = self.bytes.as_slices();
        let from_front = front.get(at..).unwrap_or_default();
        let first = from_front.len().min(len);
        out.extend_from_slice(&from_front[..first]);
        let at = at.saturating_sub(front.len());
        out.extend_from_slice(back.get(at..at + len - first).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests;
