//! The next fragment to send, and its length (RFC 9260 §6.9).

use super::Outbound;
use sheave_wire::Data;

use crate::outbound::queue::Ticket;
use crate::outbound::queue::stream_queues::NextFragment;
use crate::outbound::slot::Slot;
use crate::{Bundling, Time};

/// Divisor: to fill up a packet with other chunks, a fragment must be at least this share (a
/// quarter) of a full one.
const LEAST_FILL: usize = 4;

impl Outbound {
    /// The next message to fragment: a begun message or a new one.
    #[inline(always)] // A few instructions, asked for by every chunk.
    pub(super) fn next_fragment(&self) -> Option<NextFragment> {
        // Cheap test for an association that only receives and calls this after each packet.
        if self.queue.unsent_bytes() == 0 {
            return None;
        }
        if let Some(next) = self.queue.interleaved() {
            return next;
        }
        if let Some((message, rest)) = self.ring.partial() {
            return Some(NextFragment {
                rest,
                begun: Some(message),
            });
        }
        let rest = self.queue.front_len()?;
        Some(NextFragment { rest, begun: None })
    }

    /// Bytes of the next message still to be cut.
    #[inline(always)] // See `next_fragment`.
    pub(super) fn next_rest(&self) -> Option<usize> {
        self.next_fragment().map(|next| next.rest)
    }

    /// Length of the next chunk's user data in a packet of its own.
    #[inline(always)] // See `next_fragment`.
    pub(super) fn next_len(&self, full: usize) -> Option<usize> {
        self.next_rest().map(|rest| rest.min(full))
    }

    /// Length of the next chunk's user data in this slot. This is the rest of the message if it
    /// fits. For a message too long for any packet, it is the part that fits, in multiples of four
    /// so that the packets of a train have equal lengths.
    #[inline]
    pub(super) fn fragment_len(&self, slot: Slot, next: NextFragment) -> Option<usize> {
        let rest = next.rest;
        let room = slot.room.checked_sub(Data::HEADER_LEN)?.min(slot.fragment);
        if self.spares(rest, slot.fragment) && room < slot.fragment {
            return None;
        }
        if rest <= room {
            return Some(rest);
        }
        if rest <= slot.fragment && next.begun.is_none() {
            return None;
        }
        let cut = room & !3;
        (cut > 0 && cut >= slot.fragment / LEAST_FILL).then_some(cut)
    }

    /// Whether the next chunk of a message with `rest` bytes left fills a packet that it must not
    /// share.
    pub(super) fn spares(&self, rest: usize, fragment: usize) -> bool {
        self.bundling == Bundling::SpareFullChunks && rest >= fragment
    }

    /// Whether the next chunk belongs to a message whose lifetime has expired; the timer that
    /// abandons it is due.
    #[inline]
    pub(super) fn next_is_overdue(&self, next: NextFragment, now: Time) -> bool {
        let Some(partial) = self.extensions.get(|extensions| &extensions.partial) else {
            return false;
        };
        let ticket = self.ticket_of_next(next);
        ticket.is_some_and(|ticket| partial.is_overdue(ticket, now))
    }

    /// The ticket of the next fragment's message.
    pub(super) fn ticket_of_next(&self, next: NextFragment) -> Option<Ticket> {
        match next.begun {
            Some(message) => self.ring.ticket_of(message),
            None => self.queue.front_ticket(),
        }
    }
}
