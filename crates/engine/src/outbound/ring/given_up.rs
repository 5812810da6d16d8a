//! The ring where messages may be given up (RFC 3758).

use alloc::vec::Vec;

use bytes::Bytes;
use sheave_wire::{DataFlags, Ssn, StreamId, Tsn};

use super::super::queue::Ticket;
use super::{ChunkState, Flying, Outgoing, Ring, Sent};
use crate::path::PathIndex;
use crate::{Delivery, Time};

/// A message that was taken out of the ring, and the places of its chunks left.
pub(in crate::outbound) struct GivenUp {
    pub(in crate::outbound) outgoing: Outgoing,
    /// Bytes of it that were never cut.
    pub(in crate::outbound) unsent: usize,
    /// Bytes of send buffer that it frees.
    pub(in crate::outbound) charge: usize,
}

/// A chunk that the peer need not wait for.
pub(in crate::outbound) struct Skippable {
    /// It is the last one of its message.
    pub(in crate::outbound) ends: bool,
    pub(in crate::outbound) stream: StreamId,
    /// `None` if the message is unordered.
    pub(in crate::outbound) ssn: Option<Ssn>,
}

impl Flying {
    /// Whether it was given up: no other message is empty.
    pub(super) fn is_abandoned(&self) -> bool {
        self.outgoing.message.payload.is_empty()
    }
}

impl Ring {
    /// The number of the oldest message.
    pub(in crate::outbound) fn first_message(&self) -> u32 {
        self.flight.first_message
    }

    /// The number of the message that [`begin`](Self::begin) takes next.
    pub(in crate::outbound) fn next_message(&self) -> u32 {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "every message has a chunk, of which there are few; and numbers wrap"
        )]
        let count = self.flight.messages.len() as u32;
        self.flight.first_message.wrapping_add(count)
    }

    /// Chunks that are marked for retransmission.
    pub(in crate::outbound) fn marked(&self) -> impl Iterator<Item = u64> {
        self.flight.marked.iter().copied()
    }

    /// The TSN of the chunk before that one.
    pub(in crate::outbound) const fn tsn_before(&self, seq: u64) -> Tsn {
        self.tsn(seq).prev()
    }

    /// The ticket of the message that a chunk is of.
    pub(in crate::outbound) fn ticket(&self, seq: u64) -> Option<Ticket> {
        let flying = self.message(self.get(seq)?.message)?;
        Some(flying.outgoing.ticket)
    }

    /// The ticket of the message that is partly cut, if one is.
    pub(in crate::outbound) fn partial_ticket(&self) -> Option<Ticket> {
        let newest = self.flight.messages.back()?;
        (newest.rest() > 0).then_some(newest.outgoing.ticket)
    }

    /// A chunk that is given up, or was acknowledged before its message was.
    pub(in crate::outbound) fn skippable(&self, seq: u64) -> Option<Skippable> {
        let chunk = self.get(seq)?;
        let resolved = matches!(chunk.state, ChunkState::Abandoned | ChunkState::Acked);
        if !resolved {
            return None;
        }
        let flying = self.message(chunk.message)?;
        let message = &flying.outgoing.message;
        flying.is_abandoned().then(|| Skippable {
            ends: chunk.flags.contains(DataFlags::ENDING),
            stream: message.stream,
            ssn: (message.delivery == Delivery::Ordered).then_some(Ssn(flying.ssn)),
        })
    }

    /// Whether something of a message, whose first chunk was `first`, waits to be sent or to be sent
    /// again.
    pub(in crate::outbound) fn is_stalled(&self, message: u32, first: u64) -> bool {
        let Some(flying) = self.message(message) else {
            return false;
        };
        flying.rest() > 0
            || self
                .chunks_of(message, first)
                .any(|(_, chunk)| chunk.is_marked())
    }

    /// Sees to it that a chunk which is marked, and whose message was given up, is so itself.
    /// Whether nothing is left to be decided of it.
    pub(in crate::outbound) fn give_up(&mut self, seq: u64) -> bool {
        let Some(chunk) = self.get(seq).copied() else {
            return true;
        };
        if !chunk.is_marked() {
            return true;
        }
        let abandoned = self
            .message(chunk.message)
            .is_some_and(Flying::is_abandoned);
        if abandoned {
            self.set_abandoned(seq);
        }
        abandoned
    }

    /// Gives up the message of that number, whose first chunk was `first`. Its chunks that are on
    /// their way stay so; if a part of it was never cut, one without data stands for it.
    pub(in crate::outbound) fn abandon(&mut self, message: u32, first: u64) -> Option<GivenUp> {
        let index = message.wrapping_sub(self.flight.first_message) as usize;
        let chunks: Vec<(u64, Sent)> = self.chunks_of(message, first).collect();
        let flying = self.flight.existing()?.messages.get_mut(index)?;
        let unsent = flying.rest();
        let outgoing = flying.outgoing.clone();
        flying.outgoing.message.payload = Bytes::new();
        flying.cut = 0;
        for (seq, chunk) in &chunks {
            if chunk.is_marked() {
                self.set_abandoned(*seq);
            }
        }
        if unsent > 0 {
            self.push_stand_in(message, index);
        }
        let kept: usize = chunks.iter().map(|(_, chunk)| usize::from(chunk.len)).sum();
        Some(GivenUp {
            outgoing,
            unsent,
            charge: kept + unsent + Outgoing::overhead(),
        })
    }

    /// Assigns a TSN that is never sent to the end of a message.
    fn push_stand_in(&mut self, message: u32, index: usize) {
        let flight = &mut *self.flight;
        if let Some(flying) = flight.messages.get_mut(index) {
            flying.chunks += 1;
        }
        flight.chunks.push_back(Sent {
            message,
            offset: 0,
            len: 0,
            flags: DataFlags::ENDING,
            state: ChunkState::Abandoned,
            path: PathIndex(0),
            next_path: PathIndex(0),
            fast: super::FastRetransmit::Spent,
            retransmissions: 0,
            sent_at: Time::ZERO,
        });
    }

    fn set_abandoned(&mut self, seq: u64) {
        self.flight.marked.remove(&seq);
        if let Some(chunk) = self.get_mut(seq) {
            chunk.state = ChunkState::Abandoned;
        }
    }

    fn message(&self, number: u32) -> Option<&Flying> {
        let index = number.wrapping_sub(self.flight.first_message);
        self.flight.messages.get(index as usize)
    }

    /// The chunks of a message that are in the ring.
    fn chunks_of(&self, message: u32, first: u64) -> impl Iterator<Item = (u64, Sent)> {
        let count = self.message(message).map_or(0, |flying| flying.chunks);
        (first.max(self.first_seq)..self.next_seq())
            .filter_map(|seq| Some((seq, *self.get(seq)?)))
            .filter(move |(_, chunk)| chunk.message == message)
            .take(count as usize)
    }
}
