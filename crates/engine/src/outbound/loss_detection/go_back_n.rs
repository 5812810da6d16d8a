use super::{AppliedSack, LossDetector, Search};
use crate::Time;
use crate::congestion::{Cumulative, Recovery};
use crate::flight::sent::ChunkState;
use crate::value::ids::PathIndex;

/// Go-back-N: finds losses without gap reports.
///
/// The receiver keeps nothing beyond a gap. SACKs that repeat the Cumulative TSN Ack show a loss,
/// and everything from there on must be retransmitted.
#[derive(Clone, Debug)]
pub(in crate::outbound) struct GoBackN {
    watch: Watch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Watch {
    /// Number of SACKs that repeated the Cumulative TSN Ack.
    Repeats(u8),
    /// Every outstanding chunk is being retransmitted. Chunks still in flight from before cause
    /// repeats, which are ignored until the Cumulative TSN Ack advances.
    Returned,
}

impl GoBackN {
    pub(super) const fn new() -> Self {
        Self {
            watch: Watch::Repeats(0),
        }
    }

    /// Whether this SACK shows a loss: it is the `needed`th repeat, the number of miss indications
    /// required elsewhere.
    fn shows_loss(&mut self, cumulative: Cumulative, needed: u8) -> bool {
        self.watch = match (cumulative, self.watch) {
            (Cumulative::Advanced, _) => Watch::Repeats(0),
            (Cumulative::Unmoved, Watch::Returned) => Watch::Returned,
            (Cumulative::Unmoved, Watch::Repeats(count)) => Watch::Repeats(count + 1),
        };
        let found = self.watch == Watch::Repeats(needed);
        if found {
            self.watch = Watch::Returned;
        }
        found
    }
}

impl LossDetector for GoBackN {
    /// Every chunk in flight will be retransmitted.
    fn on_timeout(&mut self, _: PathIndex, _: u64, _: Time) {
        self.watch = Watch::Returned;
    }

    /// Retransmits from the first unacknowledged chunk if this SACK shows its loss. Returns whether
    /// this entered Fast Recovery (RFC 9260 §7.2.4), so that the window is cut once per window of
    /// data.
    fn search(&mut self, sack: &AppliedSack<'_>, search: &mut Search<'_>) -> bool {
        let Some(first) = search.ring.get(search.ring.first_seq()).copied() else {
            return false;
        };
        if !self.shows_loss(sack.cumulative, search.needed) || first.state != ChunkState::InFlight {
            return false;
        }
        for seq in search.ring.first_seq()..search.ring.next_seq() {
            search.mark(seq);
        }
        let lost = search.ring.first_seq();
        search.shares.on_loss_reported(first.path, lost);
        let was_out = search.recovery() == Recovery::Open;
        if was_out {
            search.enter_recovery();
        }
        was_out
    }
}

#[cfg(test)]
mod tests;
