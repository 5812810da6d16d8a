use alloc::boxed::Box;
use core::mem;

use bytes::{Bytes, BytesMut};
use sheave_wire::StreamId;

use super::fragment::Label;
use crate::pool::{self, Pool};
use crate::{Origin, Part, Received};

/// The one message whose fragments now arrive in order of TSN.
///
/// All fragments of a message have TSNs in a row (RFC 9260 §6.9), so there is never a second one
/// at or below the cumulative TSN.
#[derive(Clone, Debug, Default)]
pub(super) struct Assembly {
    /// Label of the message's first fragment; `None` between messages.
    label: Option<Label>,
    handover: Handover,
    /// Made by the first message.
    room: Option<Box<AssemblyRoom>>,
}

/// The memory in which messages are assembled.
#[derive(Clone, Debug, Default)]
struct AssemblyRoom {
    /// The bytes of the message so far, and room for more of it and for others.
    block: BytesMut,
    /// Bytes of the whole block, those that were handed over included.
    block_len: u32,
    /// Bytes to make room for at the start of the next message or part: what the last one had.
    expected: u32,
    /// Of the message that is being put together.
    origin: Origin,
}

/// Bytes allocated at most for what has not yet arrived.
const MAX_EXPECTED: u32 = 256 << 10;

/// The progress of handing over a message in parts (RFC 9260 §6.9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Handover {
    /// Not at all.
    #[default]
    Withheld,
    /// Not at all, but what is there may be had.
    Offered,
    /// A part was taken; the next one is being gathered.
    Begun,
    /// A part was taken, and the next one may be had.
    Continued,
}

impl Assembly {
    /// A message of which all that came was handed over, as it goes on.
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

    /// Bytes gathered and not handed over.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.room.as_ref().map_or(0, |room| room.block.len())
    }

    /// Whether a part of the message was already taken.
    #[inline]
    pub(super) fn has_begun(&self) -> bool {
        matches!(self.handover, Handover::Begun | Handover::Continued)
    }

    /// Whether a message of that stream was begun to be handed over.
    pub(super) fn occupies(&self, stream: StreamId) -> bool {
        self.has_begun() && self.label.is_some_and(|label| label.stream == stream)
    }

    /// Whether [`take_part`](Self::take_part) has something.
    #[inline]
    pub(super) fn is_offered(&self) -> bool {
        matches!(self.handover, Handover::Offered | Handover::Continued)
    }

    /// Whether there is room for messages, or one in it.
    pub(super) const fn has_room(&self) -> bool {
        self.room.is_some()
    }

    /// A message that came in one chunk, while none is being put together.
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

    /// Lets what is there be taken as a part.
    pub(super) fn offer(&mut self) {
        if self.len() == 0 {
            return;
        }
        self.handover = match self.handover {
            Handover::Withheld | Handover::Offered => Handover::Offered,
            Handover::Begun | Handover::Continued => Handover::Continued,
        };
    }

    /// Takes what is on offer; the message goes on.
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

    /// Ends the message: all of it, or the last part of it.
    pub(super) fn finish(&mut self) -> Option<(Label, Origin, Bytes, Part)> {
        let part = match mem::take(&mut self.handover) {
            Handover::Withheld | Handover::Offered => Part::Whole,
            Handover::Begun | Handover::Continued => Part::Last,
        };
        let room = self.room.as_mut()?;
        let payload = room.take();
        Some((self.label.take()?, room.origin, payload, part))
    }

    /// Forgets the message; what there was of it.
    pub(super) fn abandon(&mut self) -> Option<Label> {
        self.handover = Handover::Withheld;
        self.room = None;
        self.label.take()
    }

    /// Gives back the room for messages to come.
    pub(super) fn trim(&mut self) {
        if self.label.is_none() {
            self.room = None;
        }
    }

    /// Gives back the room for the rest of a message of which all was handed over.
    pub(super) fn give_up_room(&mut self) {
        if self.len() == 0 {
            self.room = None;
        }
    }

    /// Bytes on the heap, messages and the room for them not counted.
    pub(super) fn footprint(&self) -> usize {
        self.room.as_ref().map_or(0, |_| size_of::<AssemblyRoom>())
    }
}

impl AssemblyRoom {
    /// Sees to it that a message of that length can be begun.
    #[inline]
    fn make(&mut self, len: usize, pool: &mut Pool) {
        if self.block.capacity() < len {
            self.renew(len, pool);
        }
    }

    /// Sees to it that `more` bytes can be appended.
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
        // A short message that was expected to be long does not keep the room of a long one.
        if block_len > pool::SHARED && len < block_len / 2 {
            let bytes = Bytes::copy_from_slice(&self.block);
            self.block.clear();
            return bytes;
        }
        self.block.split().freeze()
    }

    /// Goes on to a block with room for `needed` bytes. Blocks grow with what arrives, so that an
    /// association that gets little holds little.
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
