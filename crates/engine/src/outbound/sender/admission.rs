//! Admission of messages to the send buffer.
//!
//! - A message larger than the buffer enters it in pieces, through half of it. The engine keeps the
//!   whole message, which occupies the sender's memory in any case; the part that does not fit is
//!   an *overdraft*, repaid with the room that acknowledgements free. The other half is for other
//!   messages. The next large message waits until the buffer is half empty, so that little is
//!   queued before it and the link stays busy between the two.
//! - A *reserve* of one eighth beyond the buffer is for messages small beside those held. A stream
//!   may take as much of the reserve as it leaves free (the dynamic threshold of Choudhury and
//!   Hahne 1998): a stream with little data held finds room whatever other streams have queued. If
//!   all messages are of one size there is no reserve, which would only be a larger buffer.

use super::Outbound;
use sheave_wire::StreamId;

use crate::outbound::Terms;
use crate::outbound::buffer_room::{BufferRoom, Refusal, narrow, overdraft};
use crate::outbound::queue::Outgoing;
use crate::{Admission, Message};

/// Divisor: a message is small if its charge is at most this share of the mean charge of those
/// held.
const SMALL_SHARE: usize = 4;
/// Most messages examined to find what is held of a stream; a buffer with more messages than this
/// holds small ones.
const MOST_HELD: usize = 1024;

impl Outbound {
    /// Whether a message enters a full buffer after all; otherwise the condition it waits for.
    #[cold]
    pub(super) fn admit_beyond(
        &mut self,
        message: &Message,
        room: BufferRoom,
        terms: Option<Terms>,
    ) -> Result<(), Refusal> {
        let charge = Outgoing::charge_for(message);
        self.overdraft = narrow(self.overdraft_within(room.limit));
        if self.takes_overlarge(charge, room) {
            self.overdraft = overdraft(self.buffered.saturating_add(charge), room.limit);
            return Ok(());
        }
        if room.admission == Admission::WhileNotFull && self.takes_any(charge, room) {
            return Ok(());
        }
        let occupied = self.occupied(room.limit);
        if occupied.saturating_add(charge) <= room.limit
            && self.buffered.saturating_add(charge) <= room.ceiling
        {
            return Ok(());
        }
        if self.push_out(occupied, charge, room.limit, terms) {
            return Ok(());
        }
        if !self.is_small(charge) {
            return Err(Refusal::Buffer { charge });
        }
        let reserve = room.with_reserve().saturating_sub(room.limit);
        let most = reserve.saturating_sub(charge.saturating_mul(2));
        let own = self.held_of(message.stream, most);
        let needed = own.saturating_add(charge.saturating_mul(2));
        if needed <= self.free_reserve(room) {
            return Ok(());
        }
        Err(match needed <= reserve {
            true => Refusal::Reserve { free: needed },
            false => Refusal::Buffer { charge },
        })
    }

    /// Whether a refused message is admitted now. The writer of a large message is not woken for
    /// little room.
    #[inline]
    pub(crate) fn is_open_to(&self, refusal: Refusal, room: BufferRoom) -> bool {
        match refusal {
            _ if self.buffered == 0 => true,
            Refusal::Buffer { charge } => {
                let large = self.overdraft_within(room.limit) > 0;
                let least = if large {
                    room.limit / 4
                } else {
                    room.limit / 2
                };
                let held = self.buffered.saturating_add(charge);
                let free = room.limit.saturating_sub(self.occupied(room.limit));
                (free >= charge.max(least) && held <= room.ceiling)
                    || self.takes_overlarge(charge, room)
            }
            Refusal::Reserve { free } => self.free_reserve(room) >= free,
        }
    }

    /// Whether a message is small beside those held and so need not wait for them.
    fn is_small(&self, charge: usize) -> bool {
        let held = self.queue.len() + self.ring.messages();
        let mean = self.buffered / held.max(1);
        held <= MOST_HELD && charge <= mean / SMALL_SHARE
    }

    /// Whether a message larger than the buffer is admitted now.
    #[inline]
    fn takes_overlarge(&self, charge: usize, room: BufferRoom) -> bool {
        charge > room.limit
            && self.buffered <= room.limit / 2
            && self.buffered.saturating_add(charge) <= room.ceiling
    }

    /// Whether a message of any size is admitted if it need not fit.
    #[inline]
    pub(crate) fn takes_any(&self, charge: usize, room: BufferRoom) -> bool {
        self.occupied(room.limit) < room.limit
            && self.buffered.saturating_add(charge) <= room.ceiling
    }

    /// Bytes of a large message that do not yet fit in half a buffer of `limit` bytes.
    #[inline]
    fn overdraft_within(&self, limit: usize) -> usize {
        let overdraft = usize::try_from(self.overdraft).unwrap_or(usize::MAX);
        overdraft.min(self.buffered.saturating_sub(limit / 2))
    }

    /// Bytes held, excluding the overdraft.
    #[inline]
    fn occupied(&self, limit: usize) -> usize {
        self.buffered - self.overdraft_within(limit)
    }

    /// Free bytes of the reserve, for streams with little data held.
    #[inline]
    fn free_reserve(&self, room: BufferRoom) -> usize {
        let occupied = self.occupied(room.limit).max(room.limit);
        room.with_reserve().saturating_sub(occupied)
    }

    /// Bytes held of a stream, overhead included. If they exceed `most`, any larger number.
    fn held_of(&self, stream: StreamId, most: usize) -> usize {
        let waiting = self.queue.waiting_on(stream, most);
        if waiting > most {
            return waiting;
        }
        let outstanding = self.ring.outstanding_on(stream, most - waiting);
        waiting.saturating_add(outstanding)
    }
}
