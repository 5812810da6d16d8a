//! Memory that a call lends the host: what the call names, copied to where both sides see it.
//!
//! To reach into another process costs more than all the rest of a short call. The library lends only memory of
//! which it has seen that the program may read it, or write to it: other calls go without, and the host
//! finds out what is wrong with them.

use core::sync::atomic::{AtomicU64, Ordering};

/// Parts of memory that a call lends, and that the host writes to.
const SPANS: usize = 8;
/// Bytes for all of them, in each direction, as words.
pub(crate) const ROOM: usize = WORDS * WORD;
const WORDS: usize = 320;
const WORD: usize = 8;

/// The use that the host may make of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
    Both,
}

impl Access {
    fn bits(self) -> u64 {
        match self {
            Self::Read => 1,
            Self::Write => 2,
            Self::Both => 3,
        }
    }

    fn reads(bits: u64) -> bool {
        bits & 1 != 0
    }

    fn writes(bits: u64) -> bool {
        bits & 2 != 0
    }
}

/// The memory of a call.
#[repr(C, align(128))]
pub(crate) struct Lent {
    shown: Side,
    written: Side,
}

/// Parts of memory that one side has written for the other.
#[repr(C, align(128))]
struct Side {
    count: AtomicU64,
    /// The address of each part, its bytes, and the use that may be made of it.
    spans: [[AtomicU64; 3]; SPANS],
    /// The bytes of the parts that have some here, one after the other, each from a word on.
    bytes: [AtomicU64; WORDS],
}

impl Side {
    fn parts(&self) -> impl Iterator<Item = [u64; 3]> + '_ {
        let count = usize::try_from(self.count.load(Ordering::Relaxed)).unwrap_or(0);
        let spans = self.spans.iter().take(count);
        spans.map(|span| span.each_ref().map(|word| word.load(Ordering::Relaxed)))
    }

    /// Notes one more part, if there is room.
    fn add(&self, part: [u64; 3]) -> Option<()> {
        let count = self.count.load(Ordering::Relaxed);
        let span = self.spans.get(usize::try_from(count).ok()?)?;
        for (place, word) in span.iter().zip(part) {
            place.store(word, Ordering::Relaxed);
        }
        self.count.store(count + 1, Ordering::Relaxed);
        Some(())
    }
}

fn words_of(length: u64) -> usize {
    usize::try_from(length.div_ceil(WORD as u64)).unwrap_or(usize::MAX)
}

/// The library's side.
impl Lent {
    /// Nothing is lent.
    pub(crate) fn clear(&self) {
        self.shown.count.store(0, Ordering::Relaxed);
        self.written.count.store(0, Ordering::Relaxed);
    }

    /// Lends a part of memory whose bytes `word` tells, eight at a time, where the host may read it; the first
    /// of the words that are left.
    pub(crate) fn lend(
        &self,
        first: usize,
        (at, length): (u64, u64),
        access: Access,
        word: impl Fn(usize) -> u64,
    ) -> Option<usize> {
        let words = match access {
            Access::Read | Access::Both => words_of(length),
            Access::Write => 0,
        };
        let places = self.shown.bytes.get(first..first.checked_add(words)?)?;
        for (index, place) in places.iter().enumerate() {
            place.store(word(index), Ordering::Relaxed);
        }
        self.shown.add([at, length, access.bits()])?;
        Some(first + words)
    }

    /// Tells what the host has written: addresses, with up to eight bytes for each.
    pub(crate) fn take(&self, mut put: impl FnMut(u64, &[u8])) {
        let mut bytes = self.written.bytes.iter();
        for [at, length, _] in self.written.parts() {
            let mut done = 0;
            while done < length {
                let Some(word) = bytes.next() else {
                    return;
                };
                let word = word.load(Ordering::Relaxed).to_ne_bytes();
                let here = word
                    .len()
                    .min(usize::try_from(length - done).unwrap_or(WORD));
                put(at.wrapping_add(done), word.get(..here).unwrap_or_default());
                done += WORD as u64;
            }
        }
    }
}

/// The host's side. A program may change all of it at any time, as it may its own memory.
impl Lent {
    /// Fills `into` from the memory at `at`, if it is lent.
    pub(crate) fn read(&self, at: u64, into: &mut [u8]) -> Option<()> {
        let mut first = 0_usize;
        for [start, length, access] in self.shown.parts() {
            if !Access::reads(access) {
                continue;
            }
            if let Some(offset) = offset_in((start, length), at, into.len()) {
                return self.copy(first, offset, into);
            }
            first = first.checked_add(words_of(length))?;
        }
        None
    }

    fn copy(&self, first: usize, offset: usize, into: &mut [u8]) -> Option<()> {
        let words = self.shown.bytes.get(first.checked_add(offset / WORD)?..)?;
        let mut words = words
            .iter()
            .map(|word| word.load(Ordering::Relaxed).to_ne_bytes());
        let skipped = offset % WORD;
        let mut left = into;
        let mut from = skipped;
        while !left.is_empty() {
            let word = words.next()?;
            let here = (WORD - from).min(left.len());
            let (now, later) = left.split_at_mut(here);
            now.copy_from_slice(&word[from..from + here]);
            left = later;
            from = 0;
        }
        Some(())
    }

    /// Whether the host may write so many bytes to the memory at `at`.
    pub(crate) fn takes(&self, at: u64, length: usize) -> bool {
        self.shown.parts().any(|[start, lent, access]| {
            Access::writes(access) && offset_in((start, lent), at, length).is_some()
        })
    }

    /// Has the library write to the memory at the addresses before it returns, if all of that has room here
    /// and is lent.
    pub(crate) fn write(&self, parts: &[(u64, &[u8])]) -> Option<()> {
        let is_lent = |&(at, bytes): &(u64, &[u8])| self.takes(at, bytes.len());
        if !parts.iter().all(is_lent) {
            return None;
        }
        let before = self.written.count.load(Ordering::Relaxed);
        let written = self.written.parts().map(|[_, length, _]| words_of(length));
        let mut first = written.fold(0_usize, usize::saturating_add);
        for (at, bytes) in parts {
            let length = u64::try_from(bytes.len()).ok()?;
            let words = bytes.chunks(WORD);
            let added = first
                .checked_add(words.len())
                .and_then(|end| self.written.bytes.get(first..end))
                .and_then(|places| {
                    for (place, part) in places.iter().zip(words) {
                        let mut word = [0; WORD];
                        word[..part.len()].copy_from_slice(part);
                        place.store(u64::from_ne_bytes(word), Ordering::Relaxed);
                    }
                    first += places.len();
                    self.written.add([*at, length, 0])
                });
            if added.is_none() {
                self.written.count.store(before, Ordering::Relaxed);
                return None;
            }
        }
        Some(())
    }
}

#[cfg(test)]
impl Lent {
    /// Has each word but the bytes be the next of these.
    pub(crate) fn overwrite(&self, mut next: impl FnMut() -> u64) {
        for side in [&self.shown, &self.written] {
            let words = side.spans.iter().flatten().chain([&side.count]);
            words.for_each(|place| place.store(next(), Ordering::Relaxed));
        }
    }
}

/// The offset of the memory at `at` in that part, if it lies in there whole.
fn offset_in((start, lent): (u64, u64), at: u64, length: usize) -> Option<usize> {
    let offset = at.checked_sub(start)?;
    let end = offset.checked_add(u64::try_from(length).ok()?)?;
    (end <= lent).then_some(usize::try_from(offset).ok()?)
}
