//! Chunks that the peer, or a node on the way, reports as damaged.

use super::Outbound;
use crate::Time;
use crate::flight::sent::ChunkState;
use crate::outbound::corrupted::{Corrupted, Detour, Word};
use crate::path::Path;
use core::time::Duration;
use sheave_wire::{Corruption, CorruptionEvent, Data, DataFlags, Tsn};

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
