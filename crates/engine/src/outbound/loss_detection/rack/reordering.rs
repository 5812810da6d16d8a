use core::time::Duration;

use crate::congestion::Recovery;

/// Number of recoveries after which a widened window returns to its initial width (RFC 8985 §6.2,
/// step 4).
const PERSISTENCE: u8 = 16;

/// Whether reordering was seen on the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PacketOrder {
    Kept,
    Broken,
}

/// The reordering window (RACK.reo_wnd): the tolerated delay of a chunk behind one sent later.
#[derive(Clone, Copy, Debug)]
pub(in crate::outbound) struct ReorderingWindow {
    order: PacketOrder,
    /// Width in quarters of the minimum round trip.
    quarters: u32,
    persistence: u8,
    /// End of the round trip in which the window was widened; it ends when this chunk is
    /// acknowledged.
    widened: Option<u64>,
    /// SACKs, up to 255, that acknowledged new data beyond a gap since the oldest gap opened.
    reports: u8,
}

impl Default for ReorderingWindow {
    fn default() -> Self {
        Self {
            order: PacketOrder::Kept,
            quarters: 1,
            persistence: PERSISTENCE,
            widened: None,
            reports: 0,
        }
    }
}

impl ReorderingWindow {
    pub(in crate::outbound) fn on_reordering(&mut self) {
        self.order = PacketOrder::Broken;
    }

    /// A retransmission was spurious: widens the window by a quarter, once per round trip.
    pub(in crate::outbound) fn on_spurious(&mut self, next: u64) {
        self.order = PacketOrder::Broken;
        self.persistence = PERSISTENCE;
        if self.widened.is_none() {
            self.quarters = self.quarters.saturating_add(1);
            self.widened = Some(next);
        }
    }

    /// Notes that all chunks below `base` are acknowledged.
    pub(in crate::outbound) fn on_acknowledged(&mut self, base: u64) {
        self.widened = self.widened.filter(|end| base < *end);
    }

    /// A SACK acknowledged new data beyond a gap.
    pub(in crate::outbound) fn on_report(&mut self) {
        self.reports = self.reports.saturating_add(1);
    }

    /// No chunk is missing below the highest delivered one.
    pub(in crate::outbound) fn on_gaps_closed(&mut self) {
        self.reports = 0;
    }

    pub(in crate::outbound) fn on_recovery_ended(&mut self) {
        self.persistence = self.persistence.saturating_sub(1);
        if self.persistence == 0 {
            self.persistence = PERSISTENCE;
            self.quarters = 1;
        }
    }

    /// The width of the window, from the minimum and the smoothed round trip. It is zero after
    /// `needed` reports or in Fast Recovery, unless reordering was seen.
    // RFC 8985 §6.2, step 4. DupThresh counts SACKs, like miss indications (RFC 9260 §7.2.4), not
    // chunks: one packet may hold many chunks.
    pub(in crate::outbound) fn width(
        &self,
        recovery: Recovery,
        needed: u8,
        least: Duration,
        srtt: Option<Duration>,
    ) -> Duration {
        let certain = recovery == Recovery::Fast || self.reports >= needed;
        if self.order == PacketOrder::Kept && certain {
            return Duration::ZERO;
        }
        let width = (least / 4).saturating_mul(self.quarters);
        srtt.map_or(width, |srtt| width.min(srtt))
    }
}

#[cfg(test)]
mod tests;
