//! Assembles chunks into readable messages.

use alloc::boxed::Box;

use bytes::Bytes;
use sheave_wire::StreamId;

use super::backlog::Span;
use super::fragment::{Fragment, Label, Payload};
use super::stream_order::Held;
use super::window::{CHUNK_OVERHEAD, MESSAGE_OVERHEAD};
use super::{Inbound, PART_SIZE};
use crate::pool::{self, Pool};
use crate::value::error::PeerFault;
use crate::{Delivery, MessageParts, Origin, Part};

impl Inbound {
    /// Delivers stored chunks after the gap closed at the chunk `at`.
    pub(super) fn absorb(&mut self, at: u64, pool: &mut Pool) -> Result<(), PeerFault> {
        let mut last = at;
        loop {
            let follows = self.backlog.lowest() == Some(last + 1);
            if self.assembly.label().is_some() && last < self.tsns.cumulative() && !follows {
                self.tolerate(PeerFault::BAD_FRAGMENT_BITS)?;
                self.break_off();
            }
            let Some((next, chunk)) = self.backlog.pop_through(self.tsns.cumulative()) else {
                break;
            };
            self.work += 1;
            self.window.release(chunk.len(), CHUNK_OVERHEAD);
            if chunk.part == Part::First {
                // The message leaves the backlog here, so it cannot be fetched from there at its
                // turn.
                self.order.renege(chunk.label.stream, chunk.label.ssn, next);
            }
            self.append(chunk, pool)?;
            last = next;
        }
        Ok(())
    }

    /// Appends an in-order chunk to its message.
    #[inline]
    pub(super) fn append(
        &mut self,
        fragment: Fragment<'_>,
        pool: &mut Pool,
    ) -> Result<(), PeerFault> {
        let open = self.assembly.label();
        if open.is_some() == fragment.begins() {
            return self.on_break(fragment, PeerFault::BAD_FRAGMENT_BITS, pool);
        }
        if open.is_some_and(|label| !label.agrees_with(&fragment.label)) {
            return self.on_break(fragment, PeerFault::MIXED_FRAGMENTS, pool);
        }
        let payload = fragment.payload.as_slice();
        match fragment.part {
            Part::Whole => {
                self.window.charge(payload.len(), MESSAGE_OVERHEAD);
                let payload = match fragment.payload {
                    Payload::Borrowed(bytes) => self.assembly.whole(bytes, pool),
                    Payload::Owned(bytes) => bytes,
                };
                return self.dispatch(fragment.label, fragment.origin, payload, Part::Whole);
            }
            Part::First => {
                self.window.charge(payload.len(), MESSAGE_OVERHEAD);
                self.assembly
                    .begin(fragment.label, fragment.origin, payload, pool);
            }
            Part::Middle | Part::Last => {
                self.window.charge(payload.len(), 0);
                self.assembly.extend(payload, pool);
            }
        }
        if fragment.part == Part::Last
            && let Some((label, origin, payload, part)) = self.assembly.finish()
        {
            return self.dispatch(label, origin, payload, part);
        }
        Ok(())
    }

    /// Stores a single-chunk message beyond a gap.
    pub(super) fn complete(&mut self, fragment: Fragment<'_>) -> Result<(), PeerFault> {
        self.window.charge(fragment.len(), MESSAGE_OVERHEAD);
        let payload = fragment.payload.into_bytes();
        self.dispatch(fragment.label, fragment.origin, payload, Part::Whole)
    }

    /// Delivers a complete message, already charged to the window, or holds it until its turn.
    #[inline(always)] // So that the message is written once, where it waits to be read.
    fn dispatch(
        &mut self,
        label: Label,
        origin: Origin,
        payload: Bytes,
        part: Part,
    ) -> Result<(), PeerFault> {
        let Label { stream, ssn, .. } = label;
        let ordered = label.delivery == Delivery::Ordered;
        if ordered && !self.order.is_next(stream, ssn) {
            // All earlier TSNs have arrived: the message would wait until the SSNs wrap.
            if self.order.is_past(stream, ssn) {
                return Err(PeerFault::REUSED_SSN);
            }
            // A held message may wait for long; a copy avoids keeping a shared block alive.
            let payload = match payload.len() {
                0..=pool::SHARED => Bytes::copy_from_slice(&payload),
                _ => payload,
            };
            let message = Box::new(label.received(origin, payload, part));
            return self.order.hold(stream, ssn, Held::Arrived(message));
        }
        let message = label.received(origin, payload, part);
        match (part, self.parts) {
            (Part::Last, MessageParts::Together) => self.ready.push_front(message),
            _ => self.ready.push_back(message),
        }
        if ordered {
            self.deliver_held(stream);
        }
        Ok(())
    }

    /// Advances the stream, and delivers the messages that waited for this.
    #[inline]
    pub(super) fn deliver_held(&mut self, stream: StreamId) {
        while let Some(held) = self.order.advance(stream) {
            self.work += 1;
            self.deliver_one(held);
        }
    }

    /// Delivers a complete message beyond a gap if it has its turn; otherwise holds an ordered one
    /// under its SSN.
    pub(super) fn deliver_early(&mut self, span: Span) -> Result<(), PeerFault> {
        let Some(label) = self.backlog.label(span) else {
            return Ok(());
        };
        if self.may_overtake(&label) {
            return match self.take_from_backlog(span) {
                Some((label, origin, payload)) => {
                    self.dispatch(label, origin, payload, Part::Whole)
                }
                None => Ok(()),
            };
        }
        if label.delivery == Delivery::Ordered && !self.order.is_next(label.stream, label.ssn) {
            return self.order.hold(label.stream, label.ssn, Held::Beyond(span));
        }
        Ok(())
    }

    /// Whether a complete message beyond a gap may be delivered now. During partial delivery of an
    /// earlier message of its stream it waits for the gap to close, so that the parts stay
    /// together.
    pub(super) fn may_overtake(&self, label: &Label) -> bool {
        let in_turn = match label.delivery {
            Delivery::Unordered => true,
            Delivery::Ordered => self.order.is_next(label.stream, label.ssn),
        };
        in_turn && !self.assembly.occupies(label.stream)
    }

    pub(super) fn take_from_backlog(&mut self, span: Span) -> Option<(Label, Origin, Bytes)> {
        let (label, origin, payload) = self.backlog.take(span)?;
        self.work += span.chunks() as u64;
        let overhead = span.chunks() * CHUNK_OVERHEAD;
        self.window.release(payload.len(), overhead);
        self.window.charge(payload.len(), MESSAGE_OVERHEAD);
        Some((label, origin, payload))
    }

    /// Makes an incomplete message available in parts once it reaches the partial delivery point,
    /// or when it fills the window and nothing else can be read (RFC 9260 §6.9).
    #[inline(always)] // Asked after each chunk and message.
    pub(super) fn offer_part(&mut self) {
        if self.assembly.label().is_none() {
            return;
        }
        let point = self.partial_delivery_point as usize;
        let enough = if self.assembly.has_begun() {
            point.min(PART_SIZE)
        } else {
            point
        };
        let is_stuck = || self.window.is_tight() && !self.is_readable();
        if self.assembly.len() >= enough || is_stuck() {
            self.offer_assembly();
        }
    }

    /// Makes the incomplete message available as a part if it is its turn; returns whether it is.
    pub(super) fn offer_assembly(&mut self) -> bool {
        let in_turn = self.assembly_is_in_turn();
        let label = self.assembly.label().filter(|_| in_turn);
        if label.is_some_and(|label| !self.keeps_whole(label.stream, label.ppid)) {
            self.assembly.offer();
        }
        in_turn
    }

    /// Whether an incomplete message exists and is the next of its stream.
    fn assembly_is_in_turn(&self) -> bool {
        self.assembly
            .label()
            .is_some_and(|label| match label.delivery {
                Delivery::Unordered => true,
                Delivery::Ordered => self.order.is_next(label.stream, label.ssn),
            })
    }
}
