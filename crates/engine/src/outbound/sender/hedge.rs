//! Data in flight on a silent path that is sent on another one, too.

use super::Outbound;
use crate::Time;
use crate::flight::sent::{ChunkState, Sent};
use crate::path::Path;
use crate::value::ids::PathIndex;

/// Full packets of a hedge at most: the peer may keep one back without an answer (RFC 9260 §6.2).
const PACKETS: u64 = 2;

impl Outbound {
    /// Whether what is sent ahead on another path can help. A peer without room answers to the probe of its
    /// window; one with which we go back N keeps nothing that overtakes.
    pub(crate) fn is_hedgeable(&self) -> bool {
        self.probe().is_none() && !self.goes_back_n()
    }

    /// Lets the oldest that is outstanding on `from` leave on `onto`, a chunk at least. The first of these chunks.
    pub(crate) fn hedge(
        &mut self,
        now: Time,
        from: PathIndex,
        onto: PathIndex,
        paths: &mut [Path],
    ) -> Option<u64> {
        let mut room = PACKETS * paths.get(usize::from(onto.0))?.pmdcs();
        let mut first = None;
        for seq in self.ring.first_seq()..self.ring.next_seq() {
            let Some(chunk) = self.ring.get(seq).copied() else {
                break;
            };
            match chunk.state {
                // What is not to be sent again is left to T3-rtx.
                ChunkState::InFlight if chunk.path == from && !self.is_spent(seq, now) => {}
                ChunkState::Marked | ChunkState::MarkedFast if chunk.next_path == from => {}
                _ => continue,
            }
            if first.is_some() && room < chunk.wire_len() {
                break;
            }
            room = room.saturating_sub(chunk.wire_len());
            self.mark(seq, ChunkState::Marked, paths);
            self.ring.redirect(seq, onto);
            first.get_or_insert(seq);
        }
        first
    }

    /// When a chunk left last, if it is outstanding.
    pub(crate) fn departure(&self, seq: u64) -> Option<Time> {
        self.ring.get(seq).map(|chunk| chunk.sent_at)
    }

    /// Whether the peer has a chunk that was sent, or need not have it any more.
    pub(crate) fn has_arrived(&self, seq: u64) -> bool {
        let chunk = self.ring.get(seq);
        seq < self.ring.first_seq() || chunk.is_some_and(Sent::is_resolved)
    }
}
