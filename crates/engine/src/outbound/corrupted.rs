use alloc::collections::BTreeMap;

use crate::value::ids::PathIndex;

/// The damaged chunks among those outstanding, as far as the peer or a node on the way has told of
/// them.
#[derive(Clone, Debug, Default)]
pub(super) struct Corrupted {
    /// The last word of each chunk.
    pub(super) heard: BTreeMap<u64, Word>,
}

/// The kind of evidence that a chunk was damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// The peer found it then, microseconds of its clock ("chunk checksum").
    Report { found_at: u32 },
    /// A node on the way said so ("MAC error warning").
    Warning,
}

impl Word {
    /// The age that a chunk must have for further evidence to count, in shares of a round
    /// trip. A report has come all the way.
    pub(super) const fn share(self) -> u32 {
        match self {
            Self::Report { .. } => 2,
            Self::Warning => 4,
        }
    }
}

impl Corrupted {
    /// Whether the word is later than the one heard of that chunk, if any.
    pub(super) fn is_news(&self, seq: u64, word: Word) -> bool {
        match (self.heard.get(&seq), word) {
            (Some(Word::Report { found_at: heard }), Word::Report { found_at }) => {
                // Later in the sense of RFC 1982.
                let ahead = found_at.wrapping_sub(*heard);
                ahead != 0 && ahead < 1 << 31
            }
            _ => true,
        }
    }

    pub(super) fn note(&mut self, seq: u64, word: Word) {
        self.heard.insert(seq, word);
    }

    pub(super) fn forget_below(&mut self, seq: u64) {
        if self.heard.first_key_value().is_some_and(|(&s, _)| s < seq) {
            self.heard = self.heard.split_off(&seq);
        }
    }
}

/// Another path for what was damaged on one, and how much of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Detour {
    pub(crate) onto: PathIndex,
    /// Bytes of DATA chunks; the last one may go beyond. What finds no room stays on its path,
    /// where it keeps nothing waiting.
    pub(crate) room: u64,
}

impl Detour {
    /// The path for a chunk of `bytes` that was sent on `from`.
    pub(super) fn take(&mut self, from: PathIndex, bytes: u64) -> PathIndex {
        if self.room == 0 {
            return from;
        }
        self.room = self.room.saturating_sub(bytes);
        self.onto
    }
}

#[cfg(test)]
mod tests;
