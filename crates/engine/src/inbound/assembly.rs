use alloc::vec::Vec;
use core::mem;

use bytes::Bytes;
use sheave_wire::StreamId;

use super::fragment::Label;
use crate::{Part, Received};

/// The one message whose fragments now arrive in order of TSN.
///
/// All fragments of a message have TSNs in a row (RFC 9260 §6.9), so there is never a second one
/// at or below the cumulative TSN.
#[derive(Debug, Default)]
pub(super) struct Assembly {
    /// Of the message's first fragment; `None` between messages.
    label: Option<Label>,
    handover: Handover,
    bytes: Vec<u8>,
    /// Bytes to make room for at the start of the next message or part: what the last one had.
    expected: usize,
}

/// Bytes allocated at most for what has not yet arrived.
const MAX_EXPECTED: usize = 256 << 10;

/// How far a message has been handed over in parts (RFC 9260 §6.9).
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
    #[inline]
    pub(super) fn label(&self) -> Option<&Label> {
        self.label.as_ref()
    }

    /// Bytes gathered and not handed over.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
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

    /// Starts a message with its first fragment.
    pub(super) fn begin(&mut self, label: Label, payload: &[u8]) {
        self.label = Some(label);
        self.extend(payload);
    }

    /// Appends the next fragment.
    #[inline]
    pub(super) fn extend(&mut self, payload: &[u8]) {
        if self.bytes.capacity() == 0 {
            self.bytes.reserve_exact(self.expected.max(payload.len()));
        }
        self.bytes.extend_from_slice(payload);
    }

    /// Lets what is there be taken as a part.
    pub(super) fn offer(&mut self) {
        if self.bytes.is_empty() {
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
        let payload = self.take_bytes();
        Some(self.label?.received(payload, part))
    }

    /// Ends the message: all of it, or the last part of it.
    pub(super) fn finish(&mut self) -> Option<(Label, Bytes, Part)> {
        let part = match mem::take(&mut self.handover) {
            Handover::Withheld | Handover::Offered => Part::Whole,
            Handover::Begun | Handover::Continued => Part::Last,
        };
        let payload = self.take_bytes();
        Some((self.label.take()?, payload, part))
    }

    /// Forgets the message; what there was of it.
    pub(super) fn abandon(&mut self) -> Option<Label> {
        self.handover = Handover::Withheld;
        self.bytes = Vec::new();
        self.label.take()
    }

    fn take_bytes(&mut self) -> Bytes {
        let mut bytes = mem::take(&mut self.bytes);
        self.expected = bytes.len().min(MAX_EXPECTED);
        // A short message that was expected to be long does not keep the room of a long one.
        if bytes.len() < bytes.capacity() / 2 {
            bytes.shrink_to_fit();
        }
        Bytes::from(bytes)
    }
}

#[cfg(test)]
mod tests;
