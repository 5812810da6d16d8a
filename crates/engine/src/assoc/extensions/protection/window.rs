use alloc::boxed::Box;
use alloc::vec;

/// The numbers of the records that came last, so that none is taken twice (RFC 9147 §4.5.1). One window serves all
/// paths: it has to span their difference of delay.
#[derive(Clone, Debug)]
pub(super) struct ReplayWindow {
    /// The number after the highest that came.
    next: u64,
    /// A bit for each of the last numbers, at the number modulo the width.
    seen: Box<[u64]>,
}

impl ReplayWindow {
    /// A window over `width` numbers, a multiple of 64.
    pub(super) fn new(width: u16) -> Self {
        Self {
            next: 0,
            seen: vec![0; usize::from(width).div_ceil(64)].into(),
        }
    }

    fn width(&self) -> u64 {
        self.seen.len() as u64 * 64
    }

    /// The whole number of a record that shows its lower 16 bits: the one that is closest to the next (RFC 9147
    /// §4.2.2).
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

    /// Whether a record of that number has not come, as far as is known of it.
    pub(super) fn admits(&self, number: u64) -> bool {
        if number >= self.next {
            return true;
        }
        let (word, bit) = self.place(number);
        self.next - number <= self.width() && self.seen[word] & bit == 0
    }

    /// Notes that it came.
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
