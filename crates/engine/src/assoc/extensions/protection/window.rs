use alloc::boxed::Box;
use alloc::vec;

/// Replay protection for record numbers (RFC 9147 §4.5.1). One window serves all paths, so it must
/// span their difference in delay.
#[derive(Clone, Debug)]
pub(super) struct ReplayWindow {
    /// The number after the highest one received.
    next: u64,
    /// A bit per recent number, at the number modulo the width; empty if all were received.
    seen: Box<[u64]>,
    width: u16,
}

impl ReplayWindow {
    /// Creates a window of `width` numbers, a multiple of 64.
    pub(super) fn new(width: u16) -> Self {
        Self {
            next: 0,
            seen: Box::default(),
            width,
        }
    }

    fn width(&self) -> u64 {
        u64::from(self.width).next_multiple_of(64)
    }

    /// Frees the bits if no recent number is missing.
    pub(super) fn rest(&mut self) {
        let oldest = self.next.saturating_sub(self.width());
        if !(oldest..self.next).any(|number| self.admits(number)) {
            self.seen = Box::default();
        }
    }

    pub(super) const fn footprint(&self) -> usize {
        size_of_val(&*self.seen)
    }

    /// The full number of a record from its lower 16 bits: the candidate closest to the next
    /// expected number (RFC 9147 §4.2.2).
    pub(super) fn whole(&self, low: u16) -> u64 {
        const TURN: u64 = 1 << 16;
        let near = self.next & !(TURN - 1) | u64::from(low);
        if near + TURN / 2 < self.next {
            near + TURN
        } else if near > self.next + TURN / 2 && near >= TURN {
            near - TURN
        } else {
            near
        }
    }

    /// Whether the record may be new: not received before, and not older than the window.
    pub(super) fn admits(&self, number: u64) -> bool {
        if number >= self.next {
            return true;
        }
        let (word, bit) = self.place(number);
        let is_missing = self.seen.get(word).is_some_and(|seen| seen & bit == 0);
        self.next - number <= self.width() && is_missing
    }

    /// Marks a record as received.
    pub(super) fn mark(&mut self, number: u64) {
        if self.seen.is_empty() {
            self.seen = vec![u64::MAX; usize::from(self.width).div_ceil(64)].into();
        }
        if number >= self.next {
            let skipped = (number - self.next).min(self.width());
            for passed in number - skipped..number {
                let (word, bit) = self.place(passed);
                self.seen[word] &= !bit;
            }
            self.next = number + 1;
        }
        let (word, bit) = self.place(number);
        self.seen[word] |= bit;
    }

    fn place(&self, number: u64) -> (usize, u64) {
        let at = number % self.width();
        ((at / 64) as usize, 1 << (at % 64))
    }
}

#[cfg(test)]
mod tests;
