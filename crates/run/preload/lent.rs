//! Memory that a call lends to the host: copies of the call's arguments in the shared region.
//!
//! Accessing another process's memory costs more than the rest of a short call. The library lends
//! only memory that it has checked to be readable or writable; for other memory the host accesses
//! the process and finds the error.

use core::sync::atomic::{AtomicU64, Ordering};

/// Most lent parts, and most parts that the host writes.
const SPANS: usize = 8;
/// Size of all parts in each direction, bytes.
pub(crate) const ROOM: usize = WORDS * WORD;
const WORDS: usize = 320;
const WORD: usize = 8;

/// The host's access to a part.
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

/// The lent memory of a call.
#[repr(C, align(128))]
pub(crate) struct Lent {
    shown: Side,
    written: Side,
}

/// Parts of memory that one side has written for the other.
#[repr(C, align(128))]
struct Side {
    count: AtomicU64,
    /// Address, length and access of each part.
    spans: [[AtomicU64; 3]; SPANS],
    /// Contents of the parts, one after the other, each starting at a word.
    bytes: [AtomicU64; WORDS],
}

impl Side {
    fn parts(&self) -> impl Iterator<Item = [u64; 3]> + '_ {
        let count = usize::try_from(self.count.load(Ordering::Relaxed)).unwrap_or(0);
        let spans = self.spans.iter().take(count);
        spans.map(|span| span.each_ref().map(|word| word.load(Ordering::Relaxed)))
    }

    /// Adds a part, if there is room.
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

/// Methods of the library's side.
impl Lent {
    /// Removes all parts.
    pub(crate) fn clear(&self) {
        self.shown.count.store(0, Ordering::Relaxed);
        self.written.count.store(0, Ordering::Relaxed);
    }

    /// Lends a part, whose contents `word` returns eight bytes at a time if the host may read it;
    /// returns the index of the first free word.
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

    /// Passes the host's writes to `put`: addresses with up to eight bytes each.
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

/// Methods of the host's side. The program may change all of this at any time, like its own memory.
impl Lent {
    /// Fills `into` from address `at`, if lent.
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

    /// Whether the host may write `length` bytes to address `at`.
    pub(crate) fn takes(&self, at: u64, length: usize) -> bool {
        self.shown.parts().any(|[start, lent, access]| {
            Access::writes(access) && offset_in((start, lent), at, length).is_some()
        })
    }

    /// Makes the library write the parts before the call returns; `None` unless all are lent and
    /// fit.
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
    /// Overwrites all words except the contents with those from `next`.
    pub(crate) fn overwrite(&self, mut next: impl FnMut() -> u64) {
        for side in [&self.shown, &self.written] {
            let words = side.spans.iter().flatten().chain([&side.count]);
            words.for_each(|place| place.store(next(), Ordering::Relaxed));
        }
    }
}

/// The offset of the memory at `at` within a part that contains it completely.
fn offset_in((start, lent): (u64, u64), at: u64, length: usize) -> Option<usize> {
    let offset = at.checked_sub(start)?;
    let end = offset.checked_add(u64::try_from(length).ok()?)?;
    (end <= lent).then_some(usize::try_from(offset).ok()?)
}
