use core::time::Duration;

use crate::congestion::Recovery;

/// Recoveries after which a widened window is as at first (RFC 8985 §6.2, step 4).
const PERSISTENCE: u8 = 16;

/// Whether packets of the path were seen to overtake each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PacketOrder {
    Kept,
    Broken,
}

/// The reordering window (RACK.reo_wnd): the delay by which a chunk may arrive after one that was
/// sent later.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReorderingWindow {
    order: PacketOrder,
    /// Quarters of the least round trip.
    quarters: u32,
    persistence: u8,
    /// End of the round trip in which it was widened: it ends when this chunk is acknowledged.
    widened: Option<u64>,
}

impl Default for ReorderingWindow {
    fn default() -> Self {
        Self {
            order: PacketOrder::Kept,
            quarters: 1,
            persistence: PERSISTENCE,
            widened: None,
        }
    }
}

impl ReorderingWindow {
    pub(super) fn on_reordering(&mut self) {
        self.order = PacketOrder::Broken;
    }

    /// A retransmission was spurious: wider by a quarter, once per round trip.
    pub(super) fn on_spurious(&mut self, next: u64) {
        self.order = PacketOrder::Broken;
        self.persistence = PERSISTENCE;
        if self.widened.is_none() {
            self.quarters = self.quarters.saturating_add(1);
            self.widened = Some(next);
        }
    }

    /// Notes that all chunks below `base` are acknowledged.
    pub(super) fn on_acknowledged(&mut self, base: u64) {
        self.widened = self.widened.filter(|end| base < *end);
    }

    pub(super) fn on_recovery_ended(&mut self) {
        self.persistence = self.persistence.saturating_sub(1);
        if self.persistence == 0 {
            self.persistence = PERSISTENCE;
            self.quarters = 1;
        }
    }

    /// The width of the window, given the least round trip and the smoothed one.
    // DEVIATION RFC 8985 §6.2: where order was kept so far, three packets that overtake a fourth do
    // not make it zero; only a loss that is being repaired does. A quarter of a round trip is
    // little to wait for the first loss, and a first reordering then costs nothing.
    pub(super) fn width(
        &self,
        recovery: Recovery,
        least: Duration,
        srtt: Option<Duration>,
    ) -> Duration {
        if self.order == PacketOrder::Kept && recovery == Recovery::Fast {
            return Duration::ZERO;
        }
        let width = (least / 4).saturating_mul(self.quarters);
        srtt.map_or(width, |srtt| width.min(srtt))
    }
}

#[cfg(test)]
mod tests;
