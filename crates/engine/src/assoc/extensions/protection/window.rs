use alloc::boxed::Box;
use alloc::vec;

/// Replay protection for record numbers (RFC 9147 §4.5.1). One window serves all paths, so it must
/// span their difference in delay.
#[derive(Clone, Debug)]
pub(super) struct ReplayWindow {
    /// The number after the highest one received.
    next: u64,
    /// A bit per recent number, at the number modulo the width.
    seen: Box<[u64]>,
}

impl ReplayWindow {
    /// Creates a window of `width` numbers, a multiple of 64.
    pub(super) fn new(width: u16) -> Self {
        Self {
            next: 0,
            seen: vec![0; usize::from(width).div_ceil(64)].into(),
        }
    }

    fn width(&self) -> u64 {
        self.seen.len() as u64 * 64
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
        self.next - number <= self.width() && self.seen[word] & bit == 0
    }

    /// Marks a record as received.
    pub(super) fn mark(&mut self, number: u64) {
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
