//! Data that has reached the peer, and of which its SACKs have no room to tell.
//!
//! A SACK holds as many gap blocks as fit a packet (RFC 9260 §3.3.4). Where slow start overshoots a fast
//! path, the peer soon gets data beyond the last of them: it would count as in flight until all gaps below are
//! closed, and no window would let the repairs out that close them. But the window that the peer tells
//! shrinks with each such packet.

use super::Path;

/// Packets that one SACK is taken to stand for at most: as many as it answers.
const MOST: u64 = 2;

/// Such data, about.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unreported {
    /// Bytes that count as in flight.
    in_flight: u64,
    /// Bytes that did when T3-rtx expired last.
    timed_out: u64,
}

impl Path {
    /// A SACK without room told of nothing new but a window that is so many bytes smaller.
    pub(crate) fn on_unreported(&mut self, bytes: u64) {
        let most = MOST * self.pmdcs();
        let flight = self.flow.flight();
        let part = self
            .extensions
            .part_or_else(|extensions| &mut extensions.unreported, Unreported::default);
        part.in_flight = (part.in_flight + bytes.min(most)).min(flight);
    }

    /// A SACK without room told of so many bytes that were sent here: some of these may have been
    /// unreported until now.
    pub(crate) fn on_reported(&mut self, bytes: u64) {
        if let Some(part) = self.extensions.unreported() {
            let left = bytes.saturating_sub(part.in_flight);
            part.in_flight = part.in_flight.saturating_sub(bytes);
            part.timed_out = part.timed_out.saturating_sub(left);
        }
    }

    /// T3-rtx expired: nothing is in flight.
    pub(crate) fn on_unreported_timed_out(&mut self) {
        if let Some(part) = self.extensions.unreported() {
            part.timed_out = core::mem::take(&mut part.in_flight);
        }
    }

    /// T3-rtx had expired needlessly: what was in flight is again.
    pub(crate) fn on_timeout_undone(&mut self) {
        if let Some(part) = self.extensions.unreported() {
            part.in_flight += core::mem::take(&mut part.timed_out);
        }
    }

    /// A SACK told of everything.
    pub(crate) fn forget_unreported(&mut self) {
        self.extensions
            .take(|extensions| &mut extensions.unreported);
    }

    /// Bytes that may still be on their way.
    // DEVIATION RFC 9260 §6.1 B: with RACK, data of which full SACKs show that it has arrived, and cannot tell
    // which it is, takes no room in the congestion window.
    pub(super) fn under_way(&self) -> u64 {
        let part = self.extensions.get(|extensions| &extensions.unreported);
        let unreported = part.map_or(0, |part| part.in_flight);
        self.flow.flight().saturating_sub(unreported)
    }
}
