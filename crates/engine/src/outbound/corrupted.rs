use alloc::collections::BTreeMap;
use core::time::Duration;

use sheave_wire::{Corruption, CorruptionEvent, Data, DataFlags, Tsn};

use super::Outbound;
use crate::Time;
use crate::flight::sent::ChunkState;
use crate::path::Path;
use crate::value::ids::PathIndex;

/// The damaged chunks among those outstanding, as far as the peer or a node on the way has told of
/// them.
#[derive(Clone, Debug, Default)]
pub(super) struct Corrupted {
    /// The last word of each chunk.
    heard: BTreeMap<u64, Word>,
}

/// The kind of evidence that a chunk was damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    /// The peer found it then, microseconds of its clock ("chunk checksum").
    Report { found_at: u32 },
    /// A node on the way said so ("MAC error warning").
    Warning,
}

impl Word {
    /// The age that a chunk must have for further evidence to count, in shares of a round
    /// trip. A report has come all the way.
    const fn share(self) -> u32 {
        match self {
            Self::Report { .. } => 2,
            Self::Warning => 4,
        }
    }
}

impl Corrupted {
    /// Whether the word is later than the one heard of that chunk, if any.
    fn is_news(&self, seq: u64, word: Word) -> bool {
        match (self.heard.get(&seq), word) {
            (Some(Word::Report { found_at: heard }), Word::Report { found_at }) => {
                // Later in the sense of RFC 1982.
                let ahead = found_at.wrapping_sub(*heard);
                ahead != 0 && ahead < 1 << 31
            }
            _ => true,
        }
    }

    fn note(&mut self, seq: u64, word: Word) {
        self.heard.insert(seq, word);
    }

    fn forget_below(&mut self, seq: u64) {
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
    fn take(&mut self, from: PathIndex, bytes: u64) -> PathIndex {
        if self.room == 0 {
            return from;
        }
        self.room = self.room.saturating_sub(bytes);
        self.onto
    }
}

impl Outbound {
    /// Digests a report of damaged chunks: what is in flight and newly reported is sent again,
    /// without a change to any window; where to, `detours` says for each path.
    ///
    /// A report acknowledges nothing and counts for chunks in flight only, a further one of the
    /// same chunk not sooner after that was sent than half a round trip: no peer can make us send
    /// a chunk more than once at once and then twice per round trip, or more than the window
    /// allows (A33).
    pub(crate) fn on_corruption(
        &mut self,
        now: Time,
        report: &Corruption<'_>,
        paths: &mut [Path],
        detours: &mut [Detour],
    ) {
        for event in &report.events {
            let CorruptionEvent { tsn, found_at } = event;
            self.on_damaged(now, tsn, Word::Report { found_at }, paths, detours);
        }
    }

    /// A node on the way tells that a link did not carry a packet with the chunk of that TSN: as a
    /// report of the peer, but that a further one counts from a quarter of a round trip on.
    pub(crate) fn on_warned(
        &mut self,
        now: Time,
        tsn: Tsn,
        paths: &mut [Path],
        detours: &mut [Detour],
    ) {
        self.on_damaged(now, tsn, Word::Warning, paths, detours);
    }

    /// Whether the chunk of that TSN is outstanding and was sent so, as far as `quoted` goes.
    pub(crate) fn is_sent_as(&self, quoted: &Data<'_>) -> bool {
        let seq = self.ring.seq_of(quoted.tsn);
        let sent = seq.and_then(|seq| self.ring.data(seq, DataFlags::EMPTY));
        sent.is_some_and(|sent| {
            sent.data.stream == quoted.stream
                && sent.data.ssn == quoted.ssn
                && sent.data.ppid == quoted.ppid
                && sent.data.payload.starts_with(quoted.payload)
        })
    }

    fn on_damaged(
        &mut self,
        now: Time,
        tsn: Tsn,
        word: Word,
        paths: &mut [Path],
        detours: &mut [Detour],
    ) {
        let Some(seq) = self.ring.seq_of(tsn) else {
            return;
        };
        let Some(chunk) = self.ring.get(seq) else {
            return;
        };
        let corrupted = self
            .extensions
            .part_or_else(|extensions| &mut extensions.corrupted, Corrupted::default);
        corrupted.forget_below(self.ring.first_seq());
        let Some(path) = paths.get(usize::from(chunk.path.0)) else {
            return;
        };
        let soonest = if corrupted.heard.contains_key(&seq) {
            path.rto.srtt().unwrap_or(path.rto.rto()) / word.share()
        } else {
            Duration::ZERO
        };
        if chunk.state != ChunkState::InFlight
            || now.since(chunk.sent_at) < soonest
            || !corrupted.is_news(seq, word)
        {
            return;
        }
        corrupted.note(seq, word);
        let (from, bytes) = (chunk.path, chunk.wire_len());
        let detour = detours.get_mut(usize::from(from.0));
        let onto = detour.map_or(from, |detour| detour.take(from, bytes));
        self.mark(seq, ChunkState::Marked, paths);
        self.ring.redirect_damaged(seq, onto);
        self.corruption_retransmissions += 1;
    }
}

#[cfg(test)]
mod tests;
