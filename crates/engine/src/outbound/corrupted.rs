use alloc::collections::BTreeMap;

use crate::value::ids::PathIndex;

/// Outstanding chunks reported as damaged by the peer or by a node on the path.
#[derive(Clone, Debug, Default)]
pub(super) struct Corrupted {
    /// The last report about each chunk.
    pub(super) heard: BTreeMap<u64, Word>,
}

/// Kind of damage report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// Reported by the peer, which found the damage at `found_at` microseconds of its clock ("chunk
    /// checksum").
    Report { found_at: u32 },
    /// Reported by a node on the path ("MAC error warning").
    Warning,
}

impl Word {
    /// The chunk's minimum age before a further report counts, as a divisor of the round trip. A
    /// report from the peer has crossed the whole path.
    pub(super) const fn share(self) -> u32 {
        match self {
            Self::Report { .. } => 2,
            Self::Warning => 4,
        }
    }
}

impl Corrupted {
    /// Whether the report is newer than the last one about the same chunk.
    pub(super) fn is_news(&self, seq: u64, word: Word) -> bool {
        match (self.heard.get(&seq), word) {
            (Some(Word::Report { found_at: heard }), Word::Report { found_at }) => {
                // RFC 1982 comparison.
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

/// Another path for the damaged chunks of one path, and its capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Detour {
    pub(crate) onto: PathIndex,
    /// Remaining bytes of DATA chunks; the last chunk may exceed it. Chunks without room stay on
    /// their path, where they delay nothing.
    pub(crate) room: u64,
}

impl Detour {
    /// The path on which to resend a chunk of `bytes` that was sent on `from`.
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
