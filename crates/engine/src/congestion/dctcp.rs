use super::{Ack, CongestionControl, Loss, NewReno, WindowRules};
use crate::Time;

/// The number one in the unit of shares.
const ONE: u64 = 1 << 20;
/// g of RFC 8257 §3.3 as a right shift: 1/16, the value in common use (§4.2).
const GAIN: u32 = 4;

/// Data Center TCP (RFC 8257) for SCTP: [`NewReno`], except that a mark cuts the window by half of
/// the recent share of marked packets instead of by half. For networks whose switches mark from a
/// short queue on, and whose flows all react to marks this way.
///
/// Differences from RFC 8257, because an ECNE carries one TSN and no count (RFC 4960 Appendix A):
/// - TCP echoes a mark once, in the acknowledgement of the marked packet. SCTP repeats an ECNE
///   until CWR answers it, so the sender counts one packet for each ECNE with a higher TSN than the
///   last.
/// - A receiver with this option answers every marked packet at once with an ECNE of its own, which
///   replaces the state machine of RFC 8257 §3.2. Some marks go uncounted if the receiver lacks the
///   option or a SACK is lost.
/// - Packets are counted as full-sized.
#[derive(Clone, Debug)]
pub struct Dctcp {
    reno: NewReno,
    /// DCTCP.Alpha, in units of 1/[`ONE`].
    alpha: u64,
    /// Bytes acknowledged and marked in this observation window.
    acked: u64,
    marked: u64,
    /// Bytes until the window ends: about one round trip.
    left: u64,
}

impl Dctcp {
    /// Creates the state with a window as in [`NewReno::new`]. The share of marked packets starts
    /// at 1 (RFC 8257 §3.3).
    #[must_use]
    pub fn new(pmdcs: u64, rules: WindowRules, initial: u64) -> Self {
        Self {
            reno: NewReno::new(pmdcs, rules, initial),
            alpha: ONE,
            acked: 0,
            marked: 0,
            left: 0,
        }
    }

    /// Recent share of marked packets, in millionths (approximate).
    #[must_use]
    pub const fn alpha(&self) -> u64 {
        self.alpha * 1_000_000 / ONE
    }

    // RFC 8257 §3.3
    fn observe(&mut self, ack: &Ack) {
        self.acked += ack.bytes;
        self.left = self.left.saturating_sub(ack.bytes);
        if self.left > 0 {
            return;
        }
        let share = self.marked.min(self.acked) * ONE / self.acked.max(1);
        self.alpha = self.alpha - (self.alpha >> GAIN) + (share >> GAIN);
        (self.acked, self.marked, self.left) = (0, 0, ack.flight);
    }
}

impl CongestionControl for Dctcp {
    fn on_ack(&mut self, ack: &Ack) {
        self.observe(ack);
        self.reno.on_ack(ack);
    }

    // RFC 8257 §3.5
    fn on_loss(&mut self, now: Time, loss: Loss) {
        self.reno.on_loss(now, loss);
    }

    // RFC 8257 §3.3, item 9
    fn on_mark(&mut self, _now: Time) {
        let cwnd = self.reno.cwnd();
        let kept = cwnd - cwnd * self.alpha / (2 * ONE);
        let kept = kept.max(2 * self.reno.pmdcs());
        self.reno.set(kept.min(cwnd), kept);
    }

    fn on_marked_packet(&mut self, bytes: u64) {
        self.marked += bytes;
    }

    super::as_new_reno!();
}

#[cfg(test)]
mod tests;
