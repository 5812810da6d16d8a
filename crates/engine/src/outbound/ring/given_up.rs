//! Abandoned messages in the ring (RFC 3758).

use alloc::vec::Vec;

use sheave_wire::{DataFlags, StreamId, Tsn};

use super::super::messages::OutstandingMessage;
use super::super::queue::Ticket;
use super::{MessageOrder, Outgoing, Ring};
use crate::flight::sent::{ChunkState, Sent};
use crate::value::ids::PathIndex;
use crate::{Delivery, Time};

/// An abandoned message, removed while the entries of its chunks stay in the ring.
pub(in crate::outbound) struct GivenUp {
    pub(in crate::outbound) outgoing: Outgoing,
    /// Bytes never cut into chunks.
    pub(in crate::outbound) unsent: usize,
    /// Bytes of send buffer freed.
    pub(in crate::outbound) charge: usize,
}

/// A chunk that the peer may skip.
pub(in crate::outbound) struct Skippable {
    /// Whether the Advanced.Peer.Ack.Point may lie right behind the chunk.
    pub(in crate::outbound) ends: bool,
    pub(in crate::outbound) stream: StreamId,
    pub(in crate::outbound) delivery: Delivery,
    /// The SSN or MID of its message.
    pub(in crate::outbound) ssn_or_mid: u32,
}

impl Ring {
    /// Chunks marked for retransmission.
    pub(in crate::outbound) fn marked(&self) -> impl Iterator<Item = u64> {
        self.flight.marked.iter().copied()
    }

    /// The TSN of the preceding chunk.
    pub(in crate::outbound) const fn tsn_before(&self, seq: u64) -> Tsn {
        self.tsn(seq).prev()
    }

    /// The ticket of the chunk's message.
    pub(in crate::outbound) fn ticket(&self, seq: u64) -> Option<Ticket> {
        self.ticket_of(self.get(seq)?.message)
    }

    /// The ticket of the message with this number.
    pub(in crate::outbound) fn ticket_of(&self, message: u32) -> Option<Ticket> {
        self.flight
            .messages
            .get(message)
            .map(OutstandingMessage::ticket)
    }

    /// The chunk, if it is resolved and its message abandoned. With interleaving, no chunk of the
    /// message may be in flight: the peer could not recognise a late chunk as part of the skipped
    /// message.
    pub(in crate::outbound) fn skippable(&self, seq: u64) -> Option<Skippable> {
        let chunk = self.get(seq)?;
        if !chunk.is_resolved() {
            return None;
        }
        let outstanding = self.flight.messages.get(chunk.message)?;
        if !outstanding.is_abandoned() {
            return None;
        }
        let interleaved = self.order == MessageOrder::Interleaved;
        if interleaved && outstanding.is_open() {
            return None;
        }
        let message = outstanding.message();
        Some(Skippable {
            ends: interleaved || chunk.flags.contains(DataFlags::ENDING),
            stream: message.stream,
            delivery: message.delivery,
            ssn_or_mid: outstanding.ssn_or_mid(),
        })
    }

    /// Whether part of a message, whose first chunk was `first`, waits to be sent or retransmitted.
    pub(in crate::outbound) fn is_stalled(&self, message: u32, first: u64) -> bool {
        let Some(outstanding) = self.flight.messages.get(message) else {
            return false;
        };
        let mut chunks = self.chunks_of(message, first);
        outstanding.rest() > 0 || chunks.any(|(_, chunk)| chunk.is_marked())
    }

    /// Abandons a marked chunk whose message was abandoned. Returns whether the chunk is settled.
    pub(in crate::outbound) fn give_up(&mut self, seq: u64) -> bool {
        let Some(chunk) = self.get(seq).copied() else {
            return true;
        };
        if !chunk.is_marked() {
            return true;
        }
        let outstanding = self.flight.messages.get(chunk.message);
        let abandoned = outstanding.is_some_and(OutstandingMessage::is_abandoned);
        if abandoned {
            self.set_abandoned(seq);
        }
        abandoned
    }

    /// Abandons a message, whose first chunk was `first`. Its chunks in flight stay in flight; a
    /// chunk without data takes the place of bytes never cut.
    pub(in crate::outbound) fn abandon(&mut self, message: u32, first: u64) -> Option<GivenUp> {
        let chunks: Vec<(u64, Sent)> = self.chunks_of(message, first).collect();
        let flight = self.flight.existing()?;
        let (outgoing, unsent) = flight.messages.get_mut(message)?.abandon();
        for (seq, chunk) in &chunks {
            if chunk.is_marked() {
                self.set_abandoned(*seq);
            }
        }
        if unsent > 0 {
            self.push_stand_in(message);
        }
        let on_their_way = |(_, chunk): &&(u64, Sent)| !chunk.is_marked() && !chunk.is_resolved();
        let open = chunks.iter().filter(on_their_way).count();
        let open = u32::try_from(open).unwrap_or(u32::MAX);
        self.with_interleaved(message, |outstanding| outstanding.set_open(open));
        let held = chunks.iter().map(|(_, chunk)| chunk);
        let held = held.filter(|chunk| chunk.state != ChunkState::Released);
        let kept: usize = held.map(|chunk| usize::from(chunk.len)).sum();
        Some(GivenUp {
            outgoing,
            unsent,
            charge: kept + unsent + Outgoing::overhead(),
        })
    }

    /// Assigns to the end of a message a TSN that is never sent.
    fn push_stand_in(&mut self, message: u32) {
        self.flight.chunks.push_back(Sent {
            message,
            offset: 0,
            fsn: 0,
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
        if let Some(chunk) = self.get_mut(seq) {
            chunk.state = ChunkState::Abandoned;
            let (message, len) = (chunk.message, chunk.len);
            self.flight.unmark(seq, len);
            self.with_interleaved(message, OutstandingMessage::on_resolved);
        }
    }

    /// The chunks of a message in the ring, from `first` on.
    fn chunks_of(&self, message: u32, first: u64) -> impl Iterator<Item = (u64, Sent)> {
        let outstanding = self.flight.messages.get(message);
        let count = outstanding.map_or(0, OutstandingMessage::chunks);
        (first.max(self.first_seq)..self.next_seq())
            .filter_map(|seq| Some((seq, *self.get(seq)?)))
            .filter(move |(_, chunk)| chunk.message == message)
            .take(count as usize)
    }
}
