//! Hedging: data in flight on a silent path is sent on another path as well.

use super::Outbound;
use crate::Time;
use crate::flight::sent::{ChunkState, Sent};
use crate::path::Path;
use crate::value::ids::PathIndex;

/// Maximum hedge in full packets; the peer may delay the SACK for a single one (RFC 9260 §6.2).
const PACKETS: u64 = 2;

impl Outbound {
    /// Whether hedging can help. A peer with a closed window answers the window probe, and with
    /// go-back-N the peer keeps no data beyond a gap.
    pub(crate) fn is_hedgeable(&self) -> bool {
        self.probe().is_none() && !self.goes_back_n()
    }

    /// Moves the oldest outstanding data of `from`, at least one chunk, to `onto`. Returns the
    /// first chunk.
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
                // A chunk that must not be retransmitted is left to T3-rtx.
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

    /// Time of the last transmission of a chunk, if it is outstanding.
    pub(crate) fn departure(&self, seq: u64) -> Option<Time> {
        self.ring.get(seq).map(|chunk| chunk.sent_at)
    }

    /// Whether the peer has a sent chunk or no longer needs it.
    pub(crate) fn has_arrived(&self, seq: u64) -> bool {
        let chunk = self.ring.get(seq);
        seq < self.ring.first_seq() || chunk.is_some_and(Sent::is_resolved)
    }
}
