//! Sender operations for resetting or adding streams (RFC 6525).

use super::Outbound;
use alloc::vec::Vec;

use sheave_wire::{StreamId, Tsn};

impl Outbound {
    /// Holds back new messages of these streams, in ascending order, until
    /// [`open_gate`](Self::open_gate); an empty list means all streams. Messages handed in before
    /// continue.
    pub(crate) fn gate(&mut self, streams: Vec<StreamId>) {
        self.queue.gate(streams);
    }

    /// Holds back all messages not yet begun.
    pub(crate) fn shut_gate(&mut self) {
        self.queue.shut();
    }

    pub(crate) fn open_gate(&mut self) {
        self.queue.open();
    }

    pub(crate) const fn is_gated(&self) -> bool {
        self.queue.is_gated()
    }

    /// Whether all messages of the affected streams that the gate lets through were sent.
    pub(crate) fn gate_is_clear(&self) -> bool {
        self.queue.is_clear(self.ring.partial_stream())
    }

    /// Whether no chunk is outstanding and no message is partly sent.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.ring.is_empty() && self.ring.partial_stream().is_none() && !self.queue.has_begun()
    }

    /// The number of the oldest chunk not cumulatively acknowledged.
    pub(crate) const fn first_seq(&self) -> u64 {
        self.ring.first_seq()
    }

    pub(crate) fn next_tsn(&self) -> Tsn {
        self.ring.next_tsn()
    }

    /// The endpoint that exported the association may have reset its TSNs recently.
    pub(crate) const fn expect_earlier_tsns(&mut self) {
        self.ring.expect_earlier();
    }

    /// Restarts TSNs at `next`; no chunk may be outstanding.
    pub(crate) fn rebase(&mut self, next: Tsn) {
        self.ring.rebase(next);
    }

    /// Restarts the SSNs of these streams at 0; an empty list means all streams.
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
