//! The receiving half where the peer may abandon messages (RFC 3758 §3.6).

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem;

use sheave_wire::{
    ForwardTsn, IForwardTsn, List, SkippedMessages, SkippedStream, Ssn, StreamId, Tsn,
};

use super::fragment::{Fragment, Label};
use super::stream_order::Held;
use super::window::MESSAGE_OVERHEAD;
use super::{Arrival, Delivery, Inbound, Part};
use crate::pool::Pool;
use crate::value::error::PeerFault;

/// State for peers that may leave messages incomplete: the fragments of an abandoned message are
/// dropped, which is not a protocol error.
#[derive(Clone, Debug, Default)]
pub(super) struct Skipping {
    /// The streams whose partial delivery was cut off.
    cut_off: Vec<StreamId>,
    /// FORWARD TSN chunks that advanced the cumulative TSN.
    count: u64,
    /// TSNs from before a reset.
    retired: Option<Retired>,
}

/// Old TSNs that serial arithmetic would take for new ones after a reset (RFC 6525 §5.2.4).
#[derive(Clone, Copy, Debug)]
struct Retired {
    last: Tsn,
    /// Unwrapped TSN beyond which the old TSNs can no longer be confused with new ones.
    until: u64,
}

impl Retired {
    /// Most TSNs by which a delayed packet can lag behind.
    const REACH: u32 = 1 << 30;

    fn covers(self, tsn: Tsn, cumulative: u64) -> bool {
        cumulative < self.until && self.last.distance_from(tsn) < Self::REACH
    }
}

/// Content of a FORWARD TSN chunk or, with interleaving, an I-FORWARD-TSN chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Forward<'a> {
    new_cumulative_tsn: Tsn,
    skipped: SkippedItems<'a>,
}

/// The messages to skip.
#[derive(Clone, Copy, Debug)]
enum SkippedItems<'a> {
    Streams(List<'a, SkippedStream>),
    Messages(List<'a, SkippedMessages>),
}

impl Forward<'_> {
    /// The new cumulative TSN.
    pub(crate) const fn new_cumulative_tsn(&self) -> Tsn {
        self.new_cumulative_tsn
    }
}

impl<'a> From<ForwardTsn<'a>> for Forward<'a> {
    fn from(forward: ForwardTsn<'a>) -> Self {
        Self {
            new_cumulative_tsn: forward.new_cumulative_tsn,
            skipped: SkippedItems::Streams(forward.skipped),
        }
    }
}

impl<'a> From<IForwardTsn<'a>> for Forward<'a> {
    fn from(forward: IForwardTsn<'a>) -> Self {
        Self {
            new_cumulative_tsn: forward.new_cumulative_tsn,
            skipped: SkippedItems::Messages(forward.skipped),
        }
    }
}

impl Inbound {
    /// Enables partial reliability, which both ends agreed on.
    pub(crate) fn allow_skips(&mut self) {
        self.extensions
            .put(|extensions| &mut extensions.skipping, Some(Box::default()));
    }

    /// Records that TSNs restarted after `last`; a delayed skip from before the reset is then
    /// ignored.
    pub(crate) fn retire(&mut self, last: Tsn) {
        let until = self.tsns.cumulative() + u64::from(Retired::REACH);
        if let Some(skipping) = self.extensions.skipping() {
            skipping.retired = Some(Retired { last, until });
        }
    }

    /// Skips what the peer has abandoned (RFC 3758 §3.6, RFC 8260 §2.3.1). The cost depends on the
    /// stored chunks and the listed streams, not on the distance skipped (A17).
    ///
    /// Complete messages are delivered, even if they were abandoned.
    pub(crate) fn skip(
        &mut self,
        forward: &Forward<'_>,
        pool: &mut Pool,
    ) -> Result<Arrival, PeerFault> {
        let had_gaps = self.tsns.has_gaps();
        let retired = self
            .extensions
            .skipping()
            .and_then(|skipping| skipping.retired);
        let tsn = forward.new_cumulative_tsn;
        if retired.is_some_and(|retired| retired.covers(tsn, self.tsns.cumulative())) {
            return Ok(Arrival::Duplicate);
        }
        if !self.tsns.skip_to(tsn) {
            return Ok(Arrival::Duplicate);
        }
        if let Some(skipping) = self.extensions.skipping() {
            skipping.count += 1;
        }
        match &forward.skipped {
            SkippedItems::Streams(streams) => self.skip_streams(streams, pool)?,
            SkippedItems::Messages(messages) => self.skip_interleaved(messages, pool),
        }
        Ok(match (had_gaps, self.tsns.has_gaps()) {
            (false, _) => Arrival::New,
            (true, true) => Arrival::OutOfOrder,
            (true, false) => Arrival::FilledGap,
        })
    }

    fn skip_streams(
        &mut self,
        streams: &List<'_, SkippedStream>,
        pool: &mut Pool,
    ) -> Result<(), PeerFault> {
        self.break_off();
        self.absorb(self.tsns.cumulative(), pool)?;
        for skipped in streams {
            self.work += 1;
            self.skip_stream(skipped.stream, skipped.ssn);
        }
        self.offer_part();
        Ok(())
    }

    /// Takes the streams whose partial delivery was cut off since the last call.
    #[inline]
    pub(crate) fn take_cut_off(&mut self) -> Vec<StreamId> {
        let skipping = self.extensions.skipping();
        skipping.map_or_else(Vec::new, |skipping| mem::take(&mut skipping.cut_off))
    }

    pub(super) fn note_cut_off(&mut self, stream: StreamId) {
        if let Some(skipping) = self.extensions.skipping() {
            skipping.cut_off.push(stream);
        }
    }

    /// FORWARD TSN chunks that advanced the cumulative TSN.
    pub(crate) fn skips(&self) -> u64 {
        self.extensions
            .skipping
            .as_ref()
            .map_or(0, |skipping| skipping.count)
    }

    /// Handles a fragment that does not continue the current message. Returns `fault` if the peer
    /// may not abandon messages.
    pub(super) fn on_break(
        &mut self,
        fragment: Fragment<'_>,
        fault: PeerFault,
        pool: &mut Pool,
    ) -> Result<(), PeerFault> {
        self.tolerate(fault)?;
        let dropped = self.drop_assembly();
        // A fragment from the middle of a message is dropped, since its beginning was skipped.
        if fragment.begins() {
            self.append(fragment, pool)?;
        }
        // Done last, since the next message of the stream may be the one just begun.
        if let Some(label) = dropped {
            self.pass_over(label);
        }
        Ok(())
    }

    /// Returns the fault unless the peer may abandon messages.
    pub(super) fn tolerate(&self, fault: PeerFault) -> Result<(), PeerFault> {
        match self.extensions.skipping {
            None => Err(fault),
            Some(_) => Ok(()),
        }
    }

    /// Drops the message being assembled and advances its stream.
    pub(super) fn break_off(&mut self) {
        if let Some(label) = self.drop_assembly() {
            self.pass_over(label);
        }
    }

    fn drop_assembly(&mut self) -> Option<Label> {
        let (len, begun) = (self.assembly.len(), self.assembly.has_begun());
        let label = self.assembly.abandon()?;
        self.window.release(len, MESSAGE_OVERHEAD);
        if begun {
            self.note_cut_off(label.stream);
        }
        Some(label)
    }

    /// Advances the stream of a dropped message.
    fn pass_over(&mut self, label: Label) {
        if label.delivery == Delivery::Ordered {
            self.skip_stream(label.stream, label.ssn);
        }
    }

    /// Advances a stream past the message `ssn`; messages that waited for it or an earlier one
    /// become readable.
    fn skip_stream(&mut self, stream: StreamId, ssn: Ssn) {
        if !self.order.is_valid(stream) || self.order.is_past(stream, ssn) {
            return;
        }
        let assembled = self.assembly.label().is_some_and(|label| {
            label.delivery == Delivery::Ordered && label.stream == stream && label.ssn == ssn
        });
        if assembled {
            return self.break_off();
        }
        for held in self.order.take_through(stream, ssn) {
            self.work += 1;
            self.deliver_one(held);
        }
        self.deliver_held(stream);
    }

    pub(super) fn deliver_one(&mut self, held: Held) {
        match held {
            Held::Arrived(message) => self.ready.push_back(*message),
            Held::Beyond(span) => {
                if let Some((label, origin, payload)) = self.take_from_backlog(span) {
                    self.ready
                        .push_back(label.received(origin, payload, Part::Whole));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
