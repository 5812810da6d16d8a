//! What a sender keeps for each path when data leaves on several of them at a time (Iyengar, Amer
//! and Stewart 2006): split fast retransmission, pseudo-cumulative acknowledgements and Fast
//! Recovery path by path, and what each path has in the buffers.

mod lane;

use alloc::boxed::Box;
use alloc::vec::Vec;

use sheave_wire::Sack;

use self::lane::Lane;
use super::ring::{ChunkState, Sent};
use super::{Digest, Flow, Outbound};
use crate::congestion::{Cumulative, Recovery};
use crate::path::{Path, PathIndex};
use crate::{Multipath, Time};

/// The paths as the sender of new data sees them.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    lanes: Vec<Lane>,
    /// The path that new data left on last.
    turn: Option<PathIndex>,
    /// When a SACK last told something new.
    fresh_at: Time,
}

impl Lanes {
    pub(super) fn chosen(multipath: Multipath) -> Option<Box<Self>> {
        match multipath {
            Multipath::Off => None,
            Multipath::Concurrent(_) => Some(Box::default()),
        }
    }

    fn lane(&self, path: PathIndex) -> Option<&Lane> {
        self.lanes.get(usize::from(path.0))
    }

    fn lane_mut(&mut self, path: PathIndex) -> &mut Lane {
        let index = usize::from(path.0);
        if index >= self.lanes.len() {
            self.lanes.resize_with(index + 1, Lane::default);
        }
        &mut self.lanes[index]
    }

    /// A chunk was acknowledged for the first time.
    pub(super) fn on_delivered(&mut self, chunk: &Sent, seq: u64) {
        self.lane_mut(chunk.path).on_delivered(chunk, seq);
    }

    /// A chunk left the ring.
    pub(super) fn on_popped(&mut self, chunk: &Sent) {
        let lane = self.lane_mut(chunk.path);
        lane.held = lane.held.saturating_sub(chunk.wire_len());
    }

    /// A chunk that was last sent on `from` leaves on `to`.
    pub(super) fn on_moved(&mut self, bytes: u64, from: PathIndex, to: PathIndex) {
        let lane = self.lane_mut(from);
        lane.held = lane.held.saturating_sub(bytes);
        self.lane_mut(to).held += bytes;
    }

    /// T3-rtx of a path expired. Counting starts over everywhere: what is sent again may go to any
    /// path.
    pub(super) fn on_timeout(&mut self, path: PathIndex, first: u64) {
        for lane in &mut self.lanes {
            lane.restart(first);
        }
        self.lane_mut(path).leave_recovery();
    }

    /// Whether that path is repairing a loss.
    pub(super) fn recovery(&self, path: PathIndex) -> Recovery {
        self.lane(path).map_or(Recovery::Open, Lane::recovery)
    }

    /// Losses were found on those paths whose tallies say so: until `until` they are repaired.
    pub(super) fn enter_recovery(&mut self, until: u64, paths: &[Path]) {
        for (index, path) in (0..).map(PathIndex).zip(paths) {
            if path.flow.tally.lost_below > 0 {
                self.lane_mut(index).enter_recovery(until);
            }
        }
    }

    /// How many packets' worth of missing reports a SACK is (DAC): as many as it says, if all that
    /// it is the first to acknowledge went by one path; else one.
    fn weight(&self, sack: &Sack<'_>) -> u8 {
        let heard = self.lanes.iter().filter(|lane| lane.heard()).count();
        if heard == 1 && sack.duplicates.is_empty() {
            sack.packets.max(1)
        } else {
            1
        }
    }

    /// Bytes on the heap.
    pub(super) fn footprint(&self) -> usize {
        size_of::<Self>() + self.lanes.capacity() * size_of::<Lane>()
    }
}

impl Outbound {
    /// Whether new data leaves on several paths.
    #[inline]
    pub(crate) fn is_concurrent(&self) -> bool {
        self.rare.get(|rare| &rare.lanes).is_some()
    }

    /// The path that new data left on last.
    pub(crate) fn last_lane(&self) -> Option<PathIndex> {
        self.rare.lanes.as_ref()?.turn
    }

    /// `bytes` of new chunks left on a path.
    #[inline(always)] // Nothing to do where there are no lanes.
    pub(crate) fn note_new(&mut self, path: PathIndex, bytes: u64) {
        if let Some(lanes) = self.rare.lanes() {
            lanes.turn = Some(path);
            lanes.lane_mut(path).held += bytes;
        }
    }

    /// Bytes of chunks that were last sent on a path and are not cumulatively acknowledged.
    pub(crate) fn held(&self, path: PathIndex) -> u64 {
        let lanes = self.rare.lanes.as_ref();
        lanes
            .and_then(|lanes| lanes.lane(path))
            .map_or(0, |lane| lane.held)
    }

    /// Whether something has to be sent again before new data may leave on that path: whatever it
    /// is where paths are used one at a time (RFC 9260 §6.1 C), else what is to go there.
    #[inline]
    pub(crate) fn repeats_first(&self, path: PathIndex) -> bool {
        if self.is_concurrent() {
            self.first_marked_on(path).is_some()
        } else {
            self.ring.first_marked_seq().is_some()
        }
    }

    /// The next chunk to be sent again on that path: the first of all, unless paths are used
    /// concurrently, if it is to go there.
    pub(super) fn first_marked_on(&self, path: PathIndex) -> Option<u64> {
        if self.is_concurrent() {
            self.ring.first_marked_onto(path)
        } else {
            self.ring
                .first_marked_seq()
                .filter(|seq| self.ring.get(*seq).is_some_and(|c| c.next_path == path))
        }
    }

    /// Whether a SACK is older than one already seen, which came by a quicker path: it only takes back
    /// what was acknowledged less than the longest round trip ago.
    ///
    /// A receiver that has dropped something says so again, with something new or later.
    pub(super) fn is_overtaken(&mut self, now: Time, advance: u64, paths: &[Path]) -> bool {
        let Some(lanes) = self.rare.lanes() else {
            return false;
        };
        if advance > 0 || self.acked.newly().next().is_some() {
            lanes.fresh_at = now;
            return false;
        }
        if self.acked.reneged().next().is_none() {
            return false;
        }
        let round_trips = paths.iter().filter_map(|path| path.rto.srtt());
        let recent = round_trips
            .max()
            .is_some_and(|longest| now.since(lanes.fresh_at) <= longest);
        if recent {
            self.acked.forget_last();
        }
        recent
    }

    /// A SACK is about to be digested: each lane's next expected chunk is known before.
    pub(super) fn begin_lanes(&mut self, paths: &[Path]) {
        let Some(lanes) = self.rare.lanes() else {
            return;
        };
        for (index, path) in (0..).map(PathIndex).zip(paths) {
            let lane = lanes.lane_mut(index);
            let expected = self.ring.expected_on(index, lane.expected());
            lane.begin(expected, self.ring.earliest_on(index, &path.flow));
        }
    }

    /// A SACK has been digested: lanes whose losses are repaired leave Fast Recovery.
    pub(super) fn settle_lanes(&mut self, paths: &[Path]) {
        let Some(lanes) = self.rare.lanes() else {
            return;
        };
        for (index, path) in (0..).map(PathIndex).zip(paths) {
            let lane = lanes.lane_mut(index);
            if lane.recovery() == Recovery::Open {
                continue;
            }
            let marked = self.ring.first_marked_from(index);
            let oldest = path.flow.earliest().into_iter().chain(marked).min();
            lane.on_oldest(oldest);
        }
    }

    /// What a SACK means for one path: its own pseudo-cumulative acknowledgement (CUC) and its own
    /// Fast Recovery, where paths are used concurrently.
    #[inline]
    pub(crate) fn digest_of(&self, index: PathIndex, digest: &Digest) -> Digest {
        let lanes = self.rare.get(|rare| &rare.lanes);
        match lanes.and_then(|lanes| lanes.lane(index)) {
            None => *digest,
            Some(lane) => Digest {
                cumulative: lane.cumulative(),
                recovery: lane.was(),
                ..*digest
            },
        }
    }

    /// Counts miss indications path by path (split fast retransmission): what was sent on one path
    /// says nothing of another. Whether a path entered Fast Recovery; its tally says which.
    pub(super) fn count_missing_by_lane(&mut self, sack: &Sack<'_>, paths: &mut [Path]) -> bool {
        let Some(weight) = self.rare.lanes.as_ref().map(|lanes| lanes.weight(sack)) else {
            return false;
        };
        let count = u8::try_from(paths.len()).unwrap_or(u8::MAX);
        let mut entered = false;
        for index in (0..count).map(PathIndex) {
            let needed = self.missing_reports;
            let Some(lanes) = self.rare.lanes() else {
                break;
            };
            let lane = lanes.lane_mut(index);
            let fresh = lane.recovery() == Recovery::Open;
            let suspects = lane.suspects(weight, needed);
            let mut lost = None;
            for seq in suspects.start.max(self.ring.first_seq())..suspects.end {
                let is_lost = self.is_missing(seq, index);
                if is_lost {
                    self.mark(seq, ChunkState::MarkedFast, paths);
                    lost = Some(seq);
                }
            }
            if let Some(seq) = lost
                && fresh
                && let Some(path) = paths.get_mut(usize::from(index.0))
            {
                path.flow.on_loss_reported(seq);
                entered = true;
            }
        }
        if entered {
            self.enter_lane_recoveries(paths);
        }
        entered
    }

    /// Losses were found on those paths whose tallies say so: all that is outstanding there is
    /// repaired before their windows grow again.
    pub(super) fn enter_lane_recoveries(&mut self, paths: &[Path]) {
        if let Some(lanes) = self.rare.lanes() {
            lanes.enter_recovery(self.ring.next_seq(), paths);
        }
    }

    /// Whether a chunk with enough miss indications of that path counts as lost: it is in flight
    /// there, was not fast retransmitted, and did not leave after all that was delivered.
    fn is_missing(&self, seq: u64, index: PathIndex) -> bool {
        let latest = self
            .rare
            .lanes
            .as_ref()
            .and_then(|lanes| lanes.lane(index)?.latest());
        self.ring.get(seq).is_some_and(|chunk| {
            chunk.path == index
                && chunk.state == ChunkState::InFlight
                && chunk.is_fast_eligible()
                && latest.is_some_and(|latest| chunk.sent_at <= latest)
        })
    }
}

impl super::Ring {
    /// The oldest chunk in flight on a path that was sent once, which its pseudo-cumulative
    /// acknowledgement awaits; `from` is a chunk that it does not lie before.
    fn expected_on(&self, path: PathIndex, from: u64) -> u64 {
        let from = from.max(self.first_seq());
        let mut seqs = from..self.next_seq();
        let found = seqs.find(|seq| {
            self.get(*seq).is_some_and(|chunk| {
                chunk.path == path
                    && chunk.state == ChunkState::InFlight
                    && chunk.is_first_transmission()
            })
        });
        found.unwrap_or(self.next_seq())
    }

    /// The oldest chunk in flight on a path.
    fn earliest_on(&self, path: PathIndex, flow: &Flow) -> Option<u64> {
        let seqs = flow.earliest()?.max(self.first_seq())..self.next_seq();
        seqs.into_iter().find(|seq| {
            self.get(*seq)
                .is_some_and(|chunk| chunk.path == path && chunk.state == ChunkState::InFlight)
        })
    }
}

/// Whether the oldest chunk of its kind on a path was acknowledged.
const fn cumulative(advanced: bool) -> Cumulative {
    if advanced {
        Cumulative::Advanced
    } else {
        Cumulative::Unmoved
    }
}
