use alloc::collections::BTreeMap;
use core::time::Duration;

use sheave_wire::{Corruption, CorruptionEvent};

use super::Outbound;
use super::ring::ChunkState;
use crate::Time;
use crate::path::{Path, PathIndex};

/// The corruption events that the peer has reported of outstanding chunks ("chunk checksum").
#[derive(Debug, Default)]
pub(super) struct Corrupted {
    /// The last event of each chunk, by when the peer found it.
    heard: BTreeMap<u64, u32>,
}

impl Corrupted {
    /// Whether the event is later than the one heard of that chunk, if any.
    fn is_news(&self, seq: u64, found_at: u32) -> bool {
        self.heard.get(&seq).is_none_or(|heard| {
            // Later in the sense of RFC 1982.
            let ahead = found_at.wrapping_sub(*heard);
            ahead != 0 && ahead < 1 << 31
        })
    }

    fn note(&mut self, seq: u64, found_at: u32) {
        self.heard.insert(seq, found_at);
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
    /// Where a chunk of `bytes` goes that was sent on `from`.
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
        let first = self.ring.first_seq();
        let corrupted = self.corrupted.get_or_insert_default();
        corrupted.forget_below(first);
        for event in &report.events {
            self.on_corrupted(now, event, paths, detours);
        }
    }

    fn on_corrupted(
        &mut self,
        now: Time,
        event: CorruptionEvent,
        paths: &mut [Path],
        detours: &mut [Detour],
    ) {
        let Some(seq) = self.ring.seq_of(event.tsn) else {
            return;
        };
        let (Some(chunk), Some(corrupted)) = (self.ring.get(seq), &mut self.corrupted) else {
            return;
        };
        let Some(path) = paths.get(usize::from(chunk.path.0)) else {
            return;
        };
        let soonest = if corrupted.heard.contains_key(&seq) {
            path.rto.srtt().unwrap_or(path.rto.rto()) / 2
        } else {
            Duration::ZERO
        };
        if chunk.state != ChunkState::InFlight
            || now.since(chunk.sent_at) < soonest
            || !corrupted.is_news(seq, event.found_at)
        {
            return;
        }
        corrupted.note(seq, event.found_at);
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
