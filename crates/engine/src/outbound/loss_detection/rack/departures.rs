use alloc::collections::VecDeque;

use crate::Time;
use crate::flight::sent::{ChunkState, Sent};
use crate::outbound::ring::Ring;
use crate::value::ids::PathIndex;

/// The chunks in flight on one path, in the order in which they left. The first to leave is the
/// first to be lost, so a search for losses ends at the first chunk that is not lost.
///
/// RFC 8985 §6.2 keeps a linked list of everything in flight. First transmissions leave in ring
/// order and need no list: a mark moves along the ring and passes each chunk once. Retransmissions
/// are queued.
#[derive(Clone, Debug, Default)]
pub(in crate::outbound) struct RackDepartures {
    /// No first transmission below is in flight.
    first: u64,
    /// Send time and number of chunks retransmitted, or in flight again after the peer reneged;
    /// entries may be stale.
    again: VecDeque<(Time, u64)>,
    #[cfg(test)]
    pub(in crate::outbound) looked_at: u64,
}

impl RackDepartures {
    /// A chunk is in flight again.
    pub(in crate::outbound) fn on_again(&mut self, sent_at: Time, seq: u64) {
        let at = self.again.partition_point(|left| *left < (sent_at, seq));
        if self.again.get(at) != Some(&(sent_at, seq)) {
            self.again.insert(at, (sent_at, seq));
        }
    }

    /// A chunk marked for retransmission is in flight again, without being resent.
    pub(in crate::outbound) fn on_unmarked(&mut self, chunk: &Sent, seq: u64) {
        if chunk.is_first_transmission() {
            self.first = self.first.min(seq);
        } else {
            self.on_again(chunk.sent_at, seq);
        }
    }

    /// The chunk in flight on `path` that left first, among those below `horizon`.
    pub(in crate::outbound) fn oldest(
        &mut self,
        ring: &Ring,
        path: PathIndex,
        horizon: u64,
    ) -> Option<(u64, Sent)> {
        let is_known = |(seq, _): &(u64, Sent)| *seq < horizon;
        let first = self.oldest_first(ring, path).filter(is_known);
        let again = self.oldest_again(ring, path).filter(is_known);
        match (first, again) {
            (Some(first), Some(again)) => Some(if left(&again) < left(&first) {
                again
            } else {
                first
            }),
            (first, again) => first.or(again),
        }
    }

    fn oldest_first(&mut self, ring: &Ring, path: PathIndex) -> Option<(u64, Sent)> {
        self.first = self.first.max(ring.first_seq());
        loop {
            let chunk = ring.get(self.first)?;
            self.on_look();
            if is_flying(chunk, path) && chunk.is_first_transmission() {
                return Some((self.first, *chunk));
            }
            self.first += 1;
        }
    }

    fn oldest_again(&mut self, ring: &Ring, path: PathIndex) -> Option<(u64, Sent)> {
        loop {
            let (sent_at, seq) = *self.again.front()?;
            self.on_look();
            let chunk = ring.get(seq).copied();
            let flying = chunk.filter(|chunk| is_flying(chunk, path) && chunk.sent_at == sent_at);
            if let Some(chunk) = flying {
                return Some((seq, chunk));
            }
            self.again.pop_front();
        }
    }

    /// Forgets all departures: everything in flight will be retransmitted.
    pub(in crate::outbound) fn clear(&mut self) {
        self.again.clear();
    }

    /// Frees memory; nothing is in flight.
    pub(in crate::outbound) fn trim(&mut self) {
        self.again = VecDeque::new();
    }

    /// Bytes on the heap.
    pub(in crate::outbound) fn footprint(&self) -> usize {
        self.again.capacity() * size_of::<(Time, u64)>()
    }

    #[cfg_attr(
        not(test),
        expect(clippy::unused_self, reason = "counted in tests alone")
    )]
    const fn on_look(&mut self) {
        #[cfg(test)]
        {
            self.looked_at += 1;
        }
    }
}

fn is_flying(chunk: &Sent, path: PathIndex) -> bool {
    chunk.path == path && chunk.state == ChunkState::InFlight
}

const fn left(&(seq, chunk): &(u64, Sent)) -> (Time, u64) {
    (chunk.sent_at, seq)
}

#[cfg(test)]
mod tests;
