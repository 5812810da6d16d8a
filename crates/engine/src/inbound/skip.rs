//! The receiving half where the peer may give messages up (RFC 3758 §3.6).

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

/// State for peers that may leave messages incomplete: the received part of a message that is not
/// continued is dropped, and no fault.
#[derive(Clone, Debug, Default)]
pub(super) struct Skipping {
    /// The streams of messages that broke off after a part of them was handed over.
    cut_off: Vec<StreamId>,
    /// FORWARD TSN chunks that were news.
    count: u64,
    /// Retired TSNs of before a reset.
    retired: Option<Retired>,
}

/// TSNs that are behind, although half a circle away (RFC 6525 §5.2.4).
#[derive(Clone, Copy, Debug)]
struct Retired {
    last: Tsn,
    /// The place where the TSNs that followed have left them far enough behind.
    until: u64,
}

impl Retired {
    /// The reach within which no packet is held up.
    const REACH: u32 = 1 << 30;

    fn covers(self, tsn: Tsn, cumulative: u64) -> bool {
        cumulative < self.until && self.last.distance_from(tsn) < Self::REACH
    }
}

/// The content of FORWARD TSN or, where messages are interleaved, I-FORWARD-TSN.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Forward<'a> {
    new_cumulative_tsn: Tsn,
    skipped: SkippedItems<'a>,
}

/// The messages that are not to be waited for.
#[derive(Clone, Copy, Debug)]
enum SkippedItems<'a> {
    Streams(List<'a, SkippedStream>),
    Messages(List<'a, SkippedMessages>),
}

impl Forward<'_> {
    /// Returns the TSN up to which nothing is waited for.
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
    /// Both sides want partial reliability.
    pub(crate) fn allow_skips(&mut self) {
        self.extensions
            .put(|extensions| &mut extensions.skipping, Some(Box::default()));
    }

    /// TSNs have begun anew after `last`: a skip may be overtaken by that.
    pub(crate) fn retire(&mut self, last: Tsn) {
        let until = self.tsns.cumulative() + u64::from(Retired::REACH);
        if let Some(skipping) = self.extensions.skipping() {
            skipping.retired = Some(Retired { last, until });
        }
    }

    /// Skips what the peer has given up (RFC 3758 §3.6, RFC 8260 §2.3.1). The work is in what waits
    /// beyond the gap and in the streams that are named, not in how far the peer skips (A17).
    ///
    /// Messages that are complete are delivered, also where they were given up.
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

    /// The streams of messages of which some parts were handed over and the rest never comes, since
    /// the last call.
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

    /// FORWARD TSN chunks that were news.
    pub(crate) fn skips(&self) -> u64 {
        self.extensions
            .skipping
            .as_ref()
            .map_or(0, |skipping| skipping.count)
    }

    /// A fragment does not continue what there is. `fault`: what that is where nothing may be given
    /// up.
    pub(super) fn on_break(
        &mut self,
        fragment: Fragment<'_>,
        fault: PeerFault,
        pool: &mut Pool,
    ) -> Result<(), PeerFault> {
        self.tolerate(fault)?;
        let dropped = self.drop_assembly();
        // Of one that does not begin a message the beginning was skipped.
        if fragment.begins() {
            self.append(fragment, pool)?;
        }
        // Only now, since what waits for its turn may be the message at hand.
        if let Some(label) = dropped {
            self.pass_over(label);
        }
        Ok(())
    }

    /// Fails with the fault where nothing may be given up.
    pub(super) fn tolerate(&self, fault: PeerFault) -> Result<(), PeerFault> {
        match self.extensions.skipping {
            None => Err(fault),
            Some(_) => Ok(()),
        }
    }

    /// Drops what there is of the message that is being put together, and lets its stream go on.
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

    /// Lets the stream of a message go on that was dropped.
    fn pass_over(&mut self, label: Label) {
        if label.delivery == Delivery::Ordered {
            self.skip_stream(label.stream, label.ssn);
        }
    }

    /// Lets a stream go on after the message `ssn`: what waited for it, or for one before it,
    /// becomes readable.
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
