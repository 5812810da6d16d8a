//! Loss detection by time (RACK-TLP, RFC 8985) for SCTP: a chunk is lost if it was sent
//! sufficiently long before a chunk that was delivered. Retransmissions are judged by the same
//! rule.

mod cut;
mod departures;
mod min_rtt;
mod needless;
mod reordering;
pub(in crate::outbound) mod tail;
pub(in crate::outbound) mod track;

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::time::Duration;

use sheave_wire::Sack;

use self::cut::CutVerdict;
pub(crate) use self::tail::{MaxAckDelay, NewData};
use self::track::{RackLoss, Track};
use super::{AppliedSack, LossDetector, Search};
use crate::Time;
use crate::congestion::{Cumulative, Recovery};
use crate::flight::sent::Sent;
use crate::value::ids::PathIndex;

/// Most retransmissions remembered for detecting spurious ones; the oldest are forgotten first.
const MOST_RESENT: usize = 1024;

/// Send and delivery times, per path.
#[derive(Clone, Debug, Default)]
pub(in crate::outbound) struct Rack {
    /// Indexed by path.
    tracks: Vec<Track>,
    /// Chunks retransmitted because RACK found them lost, with their paths.
    resent: BTreeMap<u64, PathIndex>,
    pub(in crate::outbound) tail_probes: u64,
    pub(in crate::outbound) spurious: u64,
}

/// Whether a detected loss is new to the path's congestion control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    Nothing,
    /// The window was already cut for this round trip.
    Known,
    News,
}

impl Rack {
    pub(in crate::outbound) fn track(&self, path: PathIndex) -> Option<&Track> {
        self.tracks.get(usize::from(path.0))
    }

    pub(in crate::outbound) fn track_mut(&mut self, path: PathIndex) -> Option<&mut Track> {
        let index = usize::from(path.0);
        if index >= self.tracks.len() {
            self.tracks.reserve_exact(index + 1 - self.tracks.len());
            self.tracks.resize_with(index + 1, Track::default);
        }
        self.tracks.get_mut(index)
    }

    /// A chunk found lost was retransmitted.
    fn on_resent(&mut self, seq: u64, path: PathIndex) {
        if self.resent.len() >= MOST_RESENT {
            self.resent.pop_first();
        }
        self.resent.insert(seq, path);
    }

    /// The first chunk sent too long before a delivered chunk on the path. Skips chunks that a full
    /// SACK may have omitted, which may have arrived.
    fn overdue(&mut self, search: &Search<'_>, path: PathIndex) -> Option<(u64, Sent)> {
        let track = self.tracks.get_mut(usize::from(path.0))?;
        let horizon = search.acked.horizon().unwrap_or(u64::MAX);
        let (seq, chunk) = track.departures.oldest(search.ring, path, horizon)?;
        match track.judge(&chunk, seq, search.now) {
            RackLoss::Lost => Some((seq, chunk)),
            RackLoss::Perhaps | RackLoss::TooYoung => None,
        }
    }

    /// Fast Recovery ended.
    fn on_recovery_ended(&mut self) {
        for track in &mut self.tracks {
            track.window.on_recovery_ended();
        }
    }

    /// The path's recent minimum round trip and its last one.
    pub(in crate::outbound) fn round_trips(&self, path: PathIndex) -> Option<(Duration, Duration)> {
        self.track(path)?.round_trips()
    }

    /// Time at which a chunk on the path may become old enough to count as lost.
    pub(in crate::outbound) fn reo_timeout(&self, path: PathIndex) -> Option<Time> {
        self.track(path)?.reo_timeout()
    }

    /// The peer received chunks twice. If we had retransmitted one of them, the retransmission was
    /// spurious: widens the reordering window (RFC 8985 §6.2, step 4).
    fn note_duplicates(&mut self, sack: &Sack<'_>, search: &mut Search<'_>) {
        let next = search.ring.next_seq();
        for tsn in &sack.duplicates {
            let Some(seq) = search.ring.sent_seq(tsn) else {
                continue;
            };
            if self.tracks.iter_mut().any(|track| track.tail_was_idle(seq)) {
                continue;
            }
            let Some(path) = self.resent.remove(&seq) else {
                continue;
            };
            self.spurious += 1;
            let Some(congestion) = search.paths.get_mut(usize::from(path.0)) else {
                continue;
            };
            let Some(track) = self.track_mut(path) else {
                continue;
            };
            track.window.on_spurious(next);
            if track.cut.on_spurious(seq) == CutVerdict::Refuted {
                congestion.congestion.on_spurious_loss(search.now);
            }
        }
    }

    /// Marks chunks sent too long before a delivered one, and notes when the next chunk becomes
    /// overdue. Returns whether to cut a window.
    pub(in crate::outbound) fn mark_overdue(&mut self, search: &mut Search<'_>) -> bool {
        let recovery = search.recovery();
        let concurrent = search.concurrent();
        let tracks = self.tracks.iter_mut().zip(search.paths.iter());
        for (index, (track, path)) in (0..).map(PathIndex).zip(tracks) {
            let recovery = concurrent.map_or(recovery, |concurrent| concurrent.recovery(index));
            track.begin_search(recovery, search.needed, path.rto.srtt());
        }
        let mut found = Found::Nothing;
        for index in (0..).map(PathIndex).take(search.paths.len()) {
            while let Some((seq, chunk)) = self.overdue(search, index) {
                found = found.max(self.lose(seq, &chunk, search));
            }
        }
        if found == Found::News {
            self.enter_recovery(search);
        }
        for track in &mut self.tracks {
            track.cut.on_search_ended();
        }
        found == Found::News
    }

    /// Counts a SACK for the path of `newest`, the newest chunk it was the first to acknowledge, if
    /// a gap lies below that chunk.
    fn count_report(&mut self, newest: Option<u64>, search: &Search<'_>) {
        if search.acked.highest().is_none() {
            for track in &mut self.tracks {
                track.window.on_gaps_closed();
            }
            return;
        }
        let newest = newest.and_then(|seq| search.ring.get(seq));
        if let Some(track) = newest.and_then(|chunk| self.track_mut(chunk.path)) {
            track.window.on_report();
        }
    }

    fn lose(&mut self, seq: u64, chunk: &Sent, search: &mut Search<'_>) -> Found {
        search.mark(seq);
        self.on_resent(seq, chunk.path);
        let Some(track) = self.track_mut(chunk.path) else {
            return Found::Nothing;
        };
        track.cut.on_lost(seq);
        if !track.is_news(chunk) {
            return Found::Known;
        }
        search.shares.on_loss_reported(chunk.path, seq);
        Found::News
    }

    /// Restarts Fast Recovery. One window cut per path answers all losses of data sent before the
    /// cut; a loss of data sent after it belongs to another round trip.
    fn enter_recovery(&mut self, search: &mut Search<'_>) {
        search.enter_recovery();
        for (track, is_lossy) in self.tracks.iter_mut().zip(search.shares.losses()) {
            if is_lossy {
                track.on_cut(search.now);
            }
        }
        search.enter_path_recoveries();
    }
}

impl LossDetector for Rack {
    fn on_delivered(&mut self, chunk: &Sent, seq: u64, now: Time) {
        if let Some(track) = self.track_mut(chunk.path) {
            track.on_delivered(chunk, seq, now);
        }
    }

    fn on_again(&mut self, chunk: &Sent, seq: u64) {
        if let Some(track) = self.track_mut(chunk.path) {
            track.departures.on_again(chunk.sent_at, seq);
        }
    }

    fn on_timeout(&mut self, path: PathIndex, _: u64, now: Time) {
        if let Some(track) = self.track_mut(path) {
            track.on_timeout(now);
        }
    }

    /// Losses are detected by time, not by miss indications.
    fn search(&mut self, sack: &AppliedSack<'_>, search: &mut Search<'_>) -> bool {
        self.note_duplicates(sack.sack, search);
        let news = sack.newest.is_some() || sack.cumulative == Cumulative::Advanced;
        self.undo_timeouts(news, search);
        if sack.was == Recovery::Fast && search.recovery() == Recovery::Open {
            self.on_recovery_ended();
        }
        for track in &mut self.tracks {
            track.window.on_acknowledged(search.ring.first_seq());
        }
        self.count_report(sack.newest, search);
        let repaired = self.answer_tail_repairs(search);
        self.mark_overdue(search) || repaired
    }

    fn forget_path(&mut self, gone: PathIndex) {
        self.resent.retain(|_, path| *path != gone);
        if let Some(track) = self.tracks.get_mut(usize::from(gone.0)) {
            *track = Track::default();
        }
    }

    fn trim(&mut self) {
        self.resent.clear();
        for track in &mut self.tracks {
            track.departures.trim();
        }
    }

    fn footprint(&self) -> usize {
        let departures = self.tracks.iter().map(|track| track.departures.footprint());
        self.tracks.len() * size_of::<Track>()
            + self.resent.len() * size_of::<(u64, PathIndex)>()
            + departures.sum::<usize>()
    }
}

#[cfg(test)]
mod tests;
