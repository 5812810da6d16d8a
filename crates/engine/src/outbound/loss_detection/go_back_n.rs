use super::{AppliedSack, LossDetector, Search};
use crate::Time;
use crate::congestion::{Cumulative, Recovery};
use crate::flight::sent::ChunkState;
use crate::value::ids::PathIndex;

/// Go-back-N: finds losses without gap reports.
///
/// The receiver keeps nothing beyond a gap, so that a loss shows as SACKs that repeat the
/// Cumulative TSN Ack, and everything from there on must be sent again.
#[derive(Clone, Debug)]
pub(in crate::outbound) struct GoBackN {
    watch: Watch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Watch {
    /// This many SACKs have repeated the Cumulative TSN Ack.
    Repeats(u8),
    /// Every outstanding chunk is being sent again: earlier ones still in flight cause repeats that
    /// mean nothing, until the Cumulative TSN Ack moves.
    Returned,
}

impl GoBackN {
    pub(super) const fn new() -> Self {
        Self {
            watch: Watch::Repeats(0),
        }
    }

    /// Whether this SACK is the one that shows a loss: the `needed`th repeat, as many as miss
    /// indications do elsewhere.
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
    /// Everything is to be sent again.
    fn on_timeout(&mut self, _: PathIndex, _: u64, _: Time) {
        self.watch = Watch::Returned;
    }

    /// Goes back to the first chunk that is not acknowledged, if this SACK shows that it was lost.
    /// Whether that made us enter Fast Recovery (RFC 9260 §7.2.4), so that the window shrinks once
    /// for the losses of one window.
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
