//! The sending half while streams are reset or added (RFC 6525).

use super::Outbound;
use alloc::vec::Vec;

use sheave_wire::{StreamId, Tsn};

impl Outbound {
    /// Holds new messages of these streams, ascending, back until [`open_gate`](Self::open_gate); of
    /// all streams if there are none. What was handed in before goes on.
    pub(crate) fn gate(&mut self, streams: Vec<StreamId>) {
        self.queue.gate(streams);
    }

    /// Holds everything back of which nothing was sent yet.
    pub(crate) fn shut_gate(&mut self) {
        self.queue.shut();
    }

    pub(crate) fn open_gate(&mut self) {
        self.queue.open();
    }

    pub(crate) const fn is_gated(&self) -> bool {
        self.queue.is_gated()
    }

    /// Whether all messages that the gate lets through, of the streams that it concerns, were sent.
    pub(crate) fn gate_is_clear(&self) -> bool {
        self.queue.is_clear(self.ring.partial_stream())
    }

    /// Whether nothing is outstanding, and no message is partly sent.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.ring.is_empty() && self.ring.partial_stream().is_none() && !self.queue.has_begun()
    }

    /// The number of the oldest chunk that is not cumulatively acknowledged.
    pub(crate) const fn first_seq(&self) -> u64 {
        self.ring.first_seq()
    }

    pub(crate) fn next_tsn(&self) -> Tsn {
        self.ring.next_tsn()
    }

    /// The endpoint that the association comes from may have reset its TSNs a moment ago.
    pub(crate) const fn expect_earlier_tsns(&mut self) {
        self.ring.expect_earlier();
    }

    /// From now on TSNs are counted from `next`; nothing must be outstanding.
    pub(crate) fn rebase(&mut self, next: Tsn) {
        self.ring.rebase(next);
    }

    /// SSNs of these streams begin with 0 again; of all streams if there are none.
    pub(crate) fn restart_ssns(&mut self, streams: &[StreamId]) {
        self.ssns.reset(streams);
        if let Some(mids) = self.extensions.mids() {
            mids.reset(streams);
        }
    }

    /// The peer granted `count` more streams.
    pub(crate) fn add_streams(&mut self, count: u16) {
        self.streams = self.streams.saturating_add(count);
    }
}
