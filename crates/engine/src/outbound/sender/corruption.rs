//! Chunks reported as damaged by the peer or by a node on the path.

use super::Outbound;
use crate::Time;
use crate::flight::sent::ChunkState;
use crate::outbound::corrupted::{Corrupted, Detour, Word};
use crate::path::Path;
use core::time::Duration;
use sheave_wire::{Corruption, CorruptionEvent, Data, DataFlags, Tsn};

impl Outbound {
    /// Processes a report of damaged chunks: newly reported chunks in flight are retransmitted,
    /// without any window change, on the path that `detours` gives for each path.
    ///
    /// A report acknowledges nothing and counts only for chunks in flight. A further report on the
    /// same chunk counts only if the chunk was sent at least half a round trip ago. A peer can thus
    /// make us send a chunk once at once and then at most twice per round trip, within the window
    /// (A33).
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

    /// A node on the path reports that a link lost a packet with the chunk. Handled like a report
    /// of the peer, but a further one counts after a quarter of a round trip.
    pub(crate) fn on_warned(
        &mut self,
        now: Time,
        tsn: Tsn,
        paths: &mut [Path],
        detours: &mut [Detour],
    ) {
        self.on_damaged(now, tsn, Word::Warning, paths, detours);
    }

    /// Whether an outstanding chunk has the same fields as `quoted` and the same payload as far as
    /// it is quoted.
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
