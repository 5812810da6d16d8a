use std::collections::VecDeque;

use bytes::{Buf, Bytes};

use super::range_set::Range;

/// Bytes that were written but not acknowledged, stored in the pieces in which they were written,
/// so that data is copied only when it is sent.
#[derive(Clone, Debug)]
pub(crate) struct SendBuffer {
    /// The non-empty pieces, in stream order and without gaps.
    pieces: VecDeque<Piece>,
    /// Position of the first byte held.
    start: u64,
    /// Position after the last byte held.
    end: u64,
    capacity: usize,
    /// Index in `pieces` of the last byte copied, where most copies continue.
    last_copied: usize,
}

/// Bytes written together, or the rest of them.
#[derive(Clone, Debug)]
struct Piece {
    /// Position of the first byte.
    start: u64,
    bytes: Bytes,
}

impl Piece {
    const fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }
}

impl SendBuffer {
    /// Creates a buffer of `capacity` bytes; the stream starts at position 1.
    pub(crate) const fn new(capacity: usize) -> Self {
        Self {
            pieces: VecDeque::new(),
            start: 1,
            end: 1,
            capacity,
            last_copied: 0,
        }
    }

    /// Stores as many bytes as fit; returns the number.
    pub(crate) fn write(&mut self, bytes: &Bytes) -> usize {
        let taken = bytes.len().min(self.room());
        if taken > 0 {
            let (start, bytes) = (self.end, bytes.slice(..taken));
            self.end += taken as u64;
            self.pieces.push_back(Piece { start, bytes });
        }
        taken
    }

    /// Number of bytes stored.
    fn len(&self) -> usize {
        usize::try_from(self.end - self.start).unwrap_or(usize::MAX)
    }

    /// Number of bytes that `write` would accept.
    pub(crate) fn room(&self) -> usize {
        self.capacity.saturating_sub(self.len())
    }

    /// Position after the last byte written.
    pub(crate) const fn end(&self) -> u64 {
        self.end
    }

    /// Drops all bytes below `position`.
    pub(crate) fn release(&mut self, position: u64) {
        self.start = position.min(self.end).max(self.start);
        while let Some(first) = self.pieces.front_mut() {
            if first.end() > self.start {
                let gone = self.start - first.start;
                first.bytes.advance(usize::try_from(gone).unwrap_or(0));
                first.start = self.start;
                return;
            }
            self.pieces.pop_front();
            self.last_copied = self.last_copied.saturating_sub(1);
        }
    }

    /// Index of the piece that contains a position.
    fn place(&self, position: u64) -> usize {
        let has = |piece: &Piece| piece.start <= position && position < piece.end();
        let likely = self.last_copied..self.last_copied + 2;
        let mut likely = likely.filter(|at| self.pieces.get(*at).is_some_and(has));
        let search = || self.pieces.partition_point(|piece| piece.end() <= position);
        likely.next().unwrap_or_else(search)
    }

    /// Appends the stored bytes of the range to `out`.
    pub(crate) fn copy(&mut self, range: Range, out: &mut Vec<u8>) {
        let (mut start, end) = (range.start.max(self.start), range.end.min(self.end));
        if start >= end {
            return;
        }
        let first = self.place(start);
        for (at, piece) in (first..).zip(self.pieces.range(first..)) {
            let upto = end.min(piece.end());
            let [from, to] = [start, upto].map(|at| usize::try_from(at - piece.start));
            let (from, to) = (from.unwrap_or(usize::MAX), to.unwrap_or(usize::MAX));
            out.extend_from_slice(piece.bytes.get(from..to).unwrap_or_default());
            self.last_copied = at;
            start = upto;
            if start >= end {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests;
