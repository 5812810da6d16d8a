//! The receiving half where the peer may give messages up (RFC 3758 §3.6).

use sheave_wire::{ForwardTsn, Ssn, StreamId};

use super::fragment::Fragment;
use super::stream_order::Held;
use super::window::MESSAGE_OVERHEAD;
use super::{Arrival, Delivery, Inbound, Part};
use crate::error::PeerFault;
use crate::pool::Pool;

/// Whether the peer may leave messages incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Continuity {
    /// It may not: one that is not continued is a fault of the peer.
    Strict,
    /// It may: what there is of one that is not continued is dropped.
    Broken,
}

impl Inbound {
    /// Both sides want partial reliability.
    pub(crate) fn allow_skips(&mut self) {
        self.continuity = Continuity::Broken;
    }

    /// Skips what the peer has given up (RFC 3758 §3.6). The work is in what waits beyond the gap
    /// and in the streams that are named, not in how far the peer skips (A17).
    ///
    /// Messages that are complete are delivered, also where they were given up.
    pub(crate) fn skip(
        &mut self,
        forward: &ForwardTsn<'_>,
        pool: &mut Pool,
    ) -> Result<Arrival, PeerFault> {
        let had_gaps = self.tsns.has_gaps();
        if !self.tsns.skip_to(forward.new_cumulative_tsn) {
            return Ok(Arrival::Duplicate);
        }
        self.stats.skips = self.stats.skips.wrapping_add(1);
        self.break_off();
        self.absorb(self.tsns.cumulative(), pool)?;
        for skipped in &forward.skipped {
            self.skip_stream(skipped.stream, skipped.ssn);
        }
        self.offer_part();
        Ok(match (had_gaps, self.tsns.has_gaps()) {
            (false, _) => Arrival::New,
            (true, true) => Arrival::OutOfOrder,
            (true, false) => Arrival::FilledGap,
        })
    }

    /// The stream of a message of which some parts were handed over and the rest never comes, if
    /// there is one since the last call.
    pub(crate) fn take_cut_off(&mut self) -> Option<StreamId> {
        self.cut_off.take()
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
        self.break_off();
        if fragment.begins() {
            return self.append(fragment, pool);
        }
        // Its beginning was skipped.
        Ok(())
    }

    /// Where nothing may be given up, it is a fault.
    pub(super) fn tolerate(&self, fault: PeerFault) -> Result<(), PeerFault> {
        match self.continuity {
            Continuity::Strict => Err(fault),
            Continuity::Broken => Ok(()),
        }
    }

    /// Drops what there is of the message that is being put together, and lets its stream go on.
    pub(super) fn break_off(&mut self) {
        let (len, begun) = (self.assembly.len(), self.assembly.has_begun());
        let Some(label) = self.assembly.abandon() else {
            return;
        };
        self.window.release(len, MESSAGE_OVERHEAD);
        if begun {
            self.cut_off = Some(label.stream);
        }
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
            self.deliver_one(held);
        }
        self.deliver_held(stream);
    }

    pub(super) fn deliver_one(&mut self, held: Held) {
        match held {
            Held::Arrived(message) => self.ready.push_back(*message),
            Held::Beyond(span) => {
                if let Some((label, payload)) = self.take_from_backlog(span) {
                    self.ready.push_back(label.received(payload, Part::Whole));
                }
            }
        }
    }

    /// A chunk beyond a gap that contradicts its neighbours, since one of them is of a message that
    /// was given up. It may come again.
    pub(super) fn refuse_contradiction(&mut self, fault: PeerFault) -> Result<Arrival, PeerFault> {
        self.tolerate(fault)?;
        Ok(self.refuse())
    }
}

#[cfg(test)]
mod tests;
