//! Data that has reached the peer but that its full SACKs cannot report.
//!
//! A SACK holds only as many gap blocks as fit a packet (RFC 9260 §3.3.4). If slow start overshoots
//! on a fast path, the peer soon receives data beyond the last block. Such data would count as in
//! flight until all lower gaps are closed, and block the retransmissions that close them. Each such
//! packet reduces the advertised window, which reveals it.

use super::Path;

/// Most packets that one SACK is assumed to stand for: as many as it acknowledges.
const MOST: u64 = 2;

/// Estimate of such data.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unreported {
    /// Unreported bytes that still count as in flight.
    in_flight: u64,
    /// Unreported bytes in flight at the last T3-rtx expiry.
    timed_out: u64,
}

impl Path {
    /// A full SACK reported no new data, but a window smaller by `bytes`.
    pub(crate) fn on_unreported(&mut self, bytes: u64) {
        let most = MOST * self.pmdcs();
        let flight = self.flow.flight();
        let part = self
            .extensions
            .part_or_else(|extensions| &mut extensions.unreported, Unreported::default);
        part.in_flight = (part.in_flight + bytes.min(most)).min(flight);
    }

    /// A full SACK newly reported `bytes` sent on this path, some of which may have been counted as
    /// unreported.
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

    /// The T3-rtx expiry was spurious: the data is in flight again.
    pub(crate) fn on_timeout_undone(&mut self) {
        if let Some(part) = self.extensions.unreported() {
            part.in_flight += core::mem::take(&mut part.timed_out);
        }
    }

    /// A SACK had room to report everything.
    pub(crate) fn forget_unreported(&mut self) {
        self.extensions
            .take(|extensions| &mut extensions.unreported);
    }

    /// Bytes that may still be in flight.
    // DEVIATION RFC 9260 §6.1 B: with RACK, data of which full SACKs show that it has arrived, and cannot tell
    // which it is, takes no room in the congestion window.
    pub(super) fn under_way(&self) -> u64 {
        let part = self.extensions.get(|extensions| &extensions.unreported);
        let unreported = part.map_or(0, |part| part.in_flight);
        self.flow.flight().saturating_sub(unreported)
    }
}
