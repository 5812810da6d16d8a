use alloc::boxed::Box;
use core::mem;

use bytes::{Bytes, BytesMut};
use sheave_wire::StreamId;

use super::fragment::Label;
use crate::pool::{self, Pool};
use crate::{Origin, Part, Received};

/// The message whose fragments currently arrive in TSN order.
///
/// Fragments of a message have consecutive TSNs (RFC 9260 §6.9), so at most one message is
/// incomplete at the cumulative TSN.
#[derive(Clone, Debug, Default)]
pub(super) struct Assembly {
    /// Label of the message's first fragment; `None` between messages.
    label: Option<Label>,
    handover: Handover,
    /// Allocated by the first message.
    room: Option<Box<AssemblyRoom>>,
}

/// The buffer in which messages are assembled.
#[derive(Clone, Debug, Default)]
struct AssemblyRoom {
    /// Bytes of the current message, with spare room for the rest and for further messages.
    block: BytesMut,
    /// Size of the whole block in bytes, including the parts already delivered.
    block_len: u32,
    /// Bytes to reserve when the next message or part begins: the size of the last one.
    expected: u32,
    /// Origin (TSN, SSN and path) of the current message.
    origin: Origin,
}

/// Most bytes allocated ahead of arriving data.
const MAX_EXPECTED: u32 = 256 << 10;

/// State of partial delivery (RFC 9260 §6.9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Handover {
    /// Partial delivery has not begun.
    #[default]
    Withheld,
    /// No part was taken yet, but the available bytes may be.
    Offered,
    /// A part was taken; the next part is being collected.
    Begun,
    /// A part was taken, and the next part is available.
    Continued,
}

impl Assembly {
    /// Resumes a message whose received fragments were all delivered.
    pub(super) const fn resumed(label: Label) -> Self {
        Self {
            label: Some(label),
            handover: Handover::Begun,
            room: None,
        }
    }

    #[inline]
    pub(super) fn label(&self) -> Option<&Label> {
        self.label.as_ref()
    }

    /// Bytes collected and not delivered yet.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.room.as_ref().map_or(0, |room| room.block.len())
    }

    /// Whether a part of the message was taken.
    #[inline]
    pub(super) fn has_begun(&self) -> bool {
        matches!(self.handover, Handover::Begun | Handover::Continued)
    }

    /// Whether a message of that stream is being delivered in parts.
    pub(super) fn occupies(&self, stream: StreamId) -> bool {
        self.has_begun() && self.label.is_some_and(|label| label.stream == stream)
    }

    /// Whether [`take_part`](Self::take_part) would return a part.
    #[inline]
    pub(super) fn is_offered(&self) -> bool {
        matches!(self.handover, Handover::Offered | Handover::Continued)
    }

    /// Whether memory is held for this or future messages.
    pub(super) const fn has_room(&self) -> bool {
        self.room.is_some()
    }

    /// Copies a message that arrived in one chunk while no other is being assembled.
    #[inline(always)] // So that the message is moved once.
    pub(super) fn whole(&mut self, payload: &[u8], pool: &mut Pool) -> Bytes {
        let room = self.room.get_or_insert_default();
        room.make(payload.len(), pool);
        room.block.extend_from_slice(payload);
        room.block.split().freeze()
    }

    /// Starts a message with its first fragment.
    pub(super) fn begin(&mut self, label: Label, origin: Origin, payload: &[u8], pool: &mut Pool) {
        self.label = Some(label);
        self.extend(payload, pool);
        if let Some(room) = &mut self.room {
            room.origin = origin;
        }
    }

    /// Appends the next fragment.
    #[inline]
    pub(super) fn extend(&mut self, payload: &[u8], pool: &mut Pool) {
        let room = self.room.get_or_insert_default();
        if room.block.is_empty() {
            room.make(payload.len().max(room.expected as usize), pool);
        } else {
            room.grow(payload.len());
        }
        room.block.extend_from_slice(payload);
    }

    /// Makes the collected bytes available as a part.
    pub(super) fn offer(&mut self) {
        if self.len() == 0 {
            return;
        }
        self.handover = match self.handover {
            Handover::Withheld | Handover::Offered => Handover::Offered,
            Handover::Begun | Handover::Continued => Handover::Continued,
        };
    }

    /// Takes the available part; the message continues.
    pub(super) fn take_part(&mut self) -> Option<Received> {
        let part = match self.handover {
            Handover::Offered => Part::First,
            Handover::Continued => Part::Middle,
            Handover::Withheld | Handover::Begun => return None,
        };
        self.handover = Handover::Begun;
        let room = self.room.as_mut()?;
        let payload = room.take();
        Some(self.label?.received(room.origin, payload, part))
    }

    /// Ends the message: returns all of it, or its last part.
    pub(super) fn finish(&mut self) -> Option<(Label, Origin, Bytes, Part)> {
        let part = match mem::take(&mut self.handover) {
            Handover::Withheld | Handover::Offered => Part::Whole,
            Handover::Begun | Handover::Continued => Part::Last,
        };
        let room = self.room.as_mut()?;
        let payload = room.take();
        Some((self.label.take()?, room.origin, payload, part))
    }

    /// Drops the message; returns its label.
    pub(super) fn abandon(&mut self) -> Option<Label> {
        self.handover = Handover::Withheld;
        self.room = None;
        self.label.take()
    }

    /// Frees the memory reserved for future messages.
    pub(super) fn trim(&mut self) {
        if self.label.is_none() {
            self.room = None;
        }
    }

    /// Frees the memory reserved for the rest of a message whose received bytes were all delivered.
    pub(super) fn give_up_room(&mut self) {
        if self.len() == 0 {
            self.room = None;
        }
    }

    /// Heap bytes, excluding messages and memory reserved for messages.
    pub(super) fn footprint(&self) -> usize {
        self.room.as_ref().map_or(0, |_| size_of::<AssemblyRoom>())
    }
}

impl AssemblyRoom {
    /// Reserves memory to begin a message of that length.
    #[inline]
    fn make(&mut self, len: usize, pool: &mut Pool) {
        if self.block.capacity() < len {
            self.renew(len, pool);
        }
    }

    /// Reserves memory to append `more` bytes.
    #[inline]
    fn grow(&mut self, more: usize) {
        let needed = self.block.len() + more;
        if self.block.capacity() < needed {
            self.block.reserve(needed);
            self.note_block();
        }
    }

    /// Takes the message out.
    fn take(&mut self) -> Bytes {
        let len = self.block.len();
        self.expected = u32::try_from(len).unwrap_or(u32::MAX).min(MAX_EXPECTED);
        let block_len = self.block_len as usize;
        // A short message must not keep a block sized for a long one.
        if block_len > pool::SHARED && len < block_len / 2 {
            let bytes = Bytes::copy_from_slice(&self.block);
            self.block.clear();
            return bytes;
        }
        self.block.split().freeze()
    }

    /// Switches to a block with room for `needed` bytes. Block size grows with the data received,
    /// so an association that receives little holds little memory.
    fn renew(&mut self, needed: usize, pool: &mut Pool) {
        if self.block.try_reclaim(needed) {
            return;
        }
        let full = mem::take(&mut self.block);
        let full_len = self.block_len as usize;
        if full_len >= pool::SHARED {
            pool.shelve(full, full_len);
        }
        let usual = full_len.saturating_mul(2).min(pool::SHARED);
        self.block = pool.take(needed.max(usual));
        self.note_block();
    }

    fn note_block(&mut self) {
        self.block_len = u32::try_from(self.block.capacity()).unwrap_or(u32::MAX);
    }
}

#[cfg(test)]
mod tests;
