//! Loss detection by time (RACK-TLP, RFC 8985), for SCTP: what was sent long enough before
//! something that has been delivered is lost, whatever was sent how often.

mod cut;
mod departures;
mod min_rtt;
mod reordering;
mod tail;
mod track;

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use sheave_wire::Sack;

use self::cut::CutVerdict;
pub(crate) use self::tail::{MaxAckDelay, NewData};
use self::track::{RackLoss, Track};
use super::ring::{ChunkState, Ring, Sent};
use super::sack_outcome::Shares;
use super::{Digest, FastRecovery, Outbound, Reports, SackOutcome};
use crate::congestion::{Cumulative, Recovery};
use crate::path::{Path, PathIndex};
use crate::{LossDetection, Time};

/// Retransmissions remembered at most, to know again as spurious; the oldest are forgotten first.
const MOST_RESENT: usize = 1024;

/// The sender's times of departure and delivery, path by path.
#[derive(Clone, Debug, Default)]
pub(super) struct Rack {
    /// In the order of the paths.
    tracks: Vec<Track>,
    /// Chunks sent again because time showed them to be lost, and the path of each.
    resent: BTreeMap<u64, PathIndex>,
    pub(super) tail_probes: u64,
    pub(super) spurious: u64,
}

/// Whether a loss that was found is news to the congestion control of its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    Nothing,
    /// In the round trip that was answered already.
    Known,
    News,
}

impl Rack {
    pub(super) fn chosen(detection: LossDetection) -> Option<Box<Self>> {
        match detection {
            LossDetection::MissingReports => None,
            LossDetection::Rack => Some(Box::default()),
        }
    }

    fn track(&self, path: PathIndex) -> Option<&Track> {
        self.tracks.get(usize::from(path.0))
    }

    fn track_mut(&mut self, path: PathIndex) -> Option<&mut Track> {
        let index = usize::from(path.0);
        if index >= self.tracks.len() {
            self.tracks.reserve_exact(index + 1 - self.tracks.len());
            self.tracks.resize_with(index + 1, Track::default);
        }
        self.tracks.get_mut(index)
    }

    /// A chunk was acknowledged for the first time.
    pub(super) fn on_delivered(&mut self, chunk: &Sent, seq: u64, now: Time) {
        if let Some(track) = self.track_mut(chunk.path) {
            track.on_delivered(chunk, seq, now);
        }
    }

    /// A chunk that was found lost leaves again.
    fn on_resent(&mut self, seq: u64, path: PathIndex) {
        if self.resent.len() >= MOST_RESENT {
            self.resent.pop_first();
        }
        self.resent.insert(seq, path);
    }

    /// A chunk is in flight again: it left once more, or the peer has given it back.
    pub(super) fn on_again(&mut self, chunk: &Sent, seq: u64) {
        if let Some(track) = self.track_mut(chunk.path) {
            track.departures.on_again(chunk.sent_at, seq);
        }
    }

    /// The first chunk that was sent too long before one that was delivered there, if there is one.
    fn overdue(&mut self, ring: &Ring, path: PathIndex, now: Time) -> Option<(u64, Sent)> {
        let track = self.tracks.get_mut(usize::from(path.0))?;
        let (seq, chunk) = track.departures.oldest(ring, path)?;
        match track.judge(&chunk, seq, now) {
            RackLoss::Lost => Some((seq, chunk)),
            RackLoss::Perhaps | RackLoss::TooYoung => None,
        }
    }

    /// T3-rtx expired: all that was in flight there is marked, and the window is one packet.
    pub(super) fn on_timeout(&mut self, path: PathIndex, now: Time) {
        if let Some(track) = self.track_mut(path) {
            track.on_timeout(now);
        }
    }

    /// Fast Recovery is over.
    fn on_recovery_ended(&mut self) {
        for track in &mut self.tracks {
            track.window.on_recovery_ended();
        }
    }

    /// Gives back what only a busy association needs.
    pub(super) fn trim(&mut self) {
        self.resent.clear();
        for track in &mut self.tracks {
            track.departures.trim();
        }
    }

    /// Bytes on the heap, about.
    pub(super) fn footprint(&self) -> usize {
        size_of::<Self>()
            + self.tracks.len() * size_of::<Track>()
            + self.resent.len() * size_of::<(u64, PathIndex)>()
            + self
                .tracks
                .iter()
                .map(|track| track.departures.footprint())
                .sum::<usize>()
    }
}

impl Outbound {
    /// Times, not miss indications, show what is lost.
    pub(super) fn find_losses(
        &mut self,
        now: Time,
        sack: &Sack<'_>,
        was: Recovery,
        paths: &mut [Path],
        shares: &mut Shares,
    ) -> bool {
        self.note_duplicates(now, sack, paths);
        let ended = was == Recovery::Fast && self.recovery() == Recovery::Open;
        if let Some(rack) = self.extensions.rack() {
            if ended {
                rack.on_recovery_ended();
            }
            for track in &mut rack.tracks {
                track.window.on_acknowledged(self.ring.first_seq());
            }
        }
        let repaired = self.answer_tail_repairs(now, shares);
        self.mark_overdue(now, paths, shares) || repaired
    }

    /// The peer got something twice: if it was sent twice, once was too often, and the reordering
    /// window was too narrow (RFC 8985 §6.2, step 4).
    fn note_duplicates(&mut self, now: Time, sack: &Sack<'_>, paths: &mut [Path]) {
        let next = self.ring.next_seq();
        let Some(rack) = self.extensions.rack() else {
            return;
        };
        for tsn in &sack.duplicates {
            let Some(seq) = self.ring.sent_seq(tsn) else {
                continue;
            };
            if rack.tracks.iter_mut().any(|track| track.tail_was_idle(seq)) {
                continue;
            }
            let Some(path) = rack.resent.remove(&seq) else {
                continue;
            };
            rack.spurious += 1;
            let Some(congestion) = paths.get_mut(usize::from(path.0)) else {
                continue;
            };
            let Some(track) = rack.track_mut(path) else {
                continue;
            };
            track.window.on_spurious(next);
            if track.cut.on_spurious(seq) == CutVerdict::Refuted {
                congestion.congestion.on_spurious_loss(now);
            }
        }
    }

    /// Marks what was sent too long before something that was delivered, and notes when the next
    /// of the others will have been. Whether a window is to be cut for it.
    fn mark_overdue(&mut self, now: Time, paths: &mut [Path], shares: &mut Shares) -> bool {
        let recovery = self.recovery();
        let Some(extensions) = self.extensions.existing() else {
            return false;
        };
        let Some(rack) = &mut extensions.rack else {
            return false;
        };
        let tracks = rack.tracks.iter_mut().zip(paths.iter());
        for (index, (track, path)) in (0..).map(PathIndex).zip(tracks) {
            let concurrent = extensions.concurrent.as_ref();
            let recovery = concurrent.map_or(recovery, |concurrent| concurrent.recovery(index));
            track.begin_search(recovery, path.rto.srtt());
        }
        let mut found = Found::Nothing;
        for index in (0..).map(PathIndex).take(paths.len()) {
            while let Some(rack) = self.extensions.rack()
                && let Some((seq, chunk)) = rack.overdue(&self.ring, index, now)
            {
                found = found.max(self.lose(seq, &chunk, paths, shares));
            }
        }
        let cut = self.enter_recovery_if(found == Found::News, now, shares);
        if let Some(rack) = self.extensions.rack() {
            for track in &mut rack.tracks {
                track.cut.on_search_ended();
            }
        }
        cut
    }

    fn lose(&mut self, seq: u64, chunk: &Sent, paths: &mut [Path], shares: &mut Shares) -> Found {
        self.mark(seq, ChunkState::MarkedFast, paths);
        let Some(rack) = self.extensions.rack() else {
            return Found::Nothing;
        };
        rack.on_resent(seq, chunk.path);
        let Some(track) = rack.track_mut(chunk.path) else {
            return Found::Nothing;
        };
        track.cut.on_lost(seq);
        if !track.is_news(chunk) {
            return Found::Known;
        }
        shares.on_loss_reported(chunk.path, seq);
        Found::News
    }

    /// Enters Fast Recovery anew: of each path's window one cut answers all losses of what was sent
    /// before it, and a loss of what was sent after it is another round trip's.
    fn enter_recovery_if(&mut self, news: bool, now: Time, shares: &Shares) -> bool {
        if !news {
            return false;
        }
        self.fast_recovery = FastRecovery::In {
            until: self.recovery_point(),
        };
        if let Some(rack) = self.extensions.rack() {
            for (track, is_lossy) in rack.tracks.iter_mut().zip(shares.losses()) {
                if is_lossy {
                    track.on_cut(now);
                }
            }
        }
        self.enter_path_recoveries(shares);
        true
    }

    /// When something may have become old enough to be lost on that path.
    pub(crate) fn reo_timeout(&self, path: PathIndex) -> Option<Time> {
        self.extensions.rack.as_ref()?.track(path)?.reo_timeout()
    }

    /// Whether losses are found by time.
    #[inline]
    pub(crate) fn watches_time(&self) -> bool {
        self.extensions.get(|extensions| &extensions.rack).is_some()
    }

    /// The reordering timer expired: looks again for what is lost.
    pub(crate) fn on_reordering_timeout(&mut self, now: Time, paths: &mut [Path]) -> SackOutcome {
        let mut shares = self.begin_shares(paths);
        let recovery = self.recovery();
        let entered_recovery = self.mark_overdue(now, paths, &mut shares);
        self.settle(paths, &mut shares);
        let digest = Digest {
            cumulative: Cumulative::Unmoved,
            recovery,
            entered_recovery,
            reports: Reports::Taken,
        };
        SackOutcome { digest, shares }
    }

    /// Probes of tails sent, and retransmissions that turned out to be needless.
    pub(crate) fn rack_counts(&self) -> (u64, u64) {
        self.extensions
            .rack
            .as_ref()
            .map_or((0, 0), |rack| (rack.tail_probes, rack.spurious))
    }
}

#[cfg(test)]
mod tests;
