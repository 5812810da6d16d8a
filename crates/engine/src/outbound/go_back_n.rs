use super::ring::ChunkState;
use super::sack_outcome::Shares;
use super::{FastRecovery, Outbound};
use crate::congestion::Cumulative;
use crate::path::Path;

/// Go-back-N: finds losses without gap reports.
///
/// The receiver keeps nothing beyond a gap, so that a loss shows as SACKs that repeat the
/// Cumulative TSN Ack, and everything from there on must be sent again.
#[derive(Clone, Debug)]
pub(super) struct GoBackN {
    /// Repeats that show a loss: as many as miss indications do elsewhere.
    needed: u8,
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
    pub(super) const fn new(needed: u8) -> Self {
        Self {
            needed,
            watch: Watch::Repeats(0),
        }
    }

    /// Whether this SACK is the one that shows a loss.
    fn shows_loss(&mut self, cumulative: Cumulative) -> bool {
        self.watch = match (cumulative, self.watch) {
            (Cumulative::Advanced, _) => Watch::Repeats(0),
            (Cumulative::Unmoved, Watch::Returned) => Watch::Returned,
            (Cumulative::Unmoved, Watch::Repeats(count)) => Watch::Repeats(count + 1),
        };
        let found = self.watch == Watch::Repeats(self.needed);
        if found {
            self.watch = Watch::Returned;
        }
        found
    }

    /// Everything is to be sent again because a timer expired.
    pub(super) fn on_timeout(&mut self) {
        self.watch = Watch::Returned;
    }
}

impl Outbound {
    #[inline]
    pub(crate) const fn goes_back_n(&self) -> bool {
        self.go_back_n.is_some()
    }

    /// Goes back to the first chunk that is not acknowledged, if this SACK shows that it was lost.
    /// Whether that made us enter Fast Recovery (RFC 9260 §7.2.4), so that the window shrinks once
    /// for the losses of one window.
    pub(super) fn go_back(
        &mut self,
        cumulative: Cumulative,
        paths: &mut [Path],
        shares: &mut Shares,
    ) -> bool {
        let Some(first) = self.ring.get(self.ring.first_seq()).copied() else {
            return false;
        };
        let found = self
            .go_back_n
            .as_mut()
            .is_some_and(|rule| rule.shows_loss(cumulative));
        if !found || first.state != ChunkState::InFlight {
            return false;
        }
        for seq in self.ring.first_seq()..self.ring.next_seq() {
            self.mark(seq, ChunkState::MarkedFast, paths);
        }
        shares.on_loss_reported(first.path, self.ring.first_seq());
        let was_out = self.fast_recovery == FastRecovery::Out;
        if was_out {
            self.fast_recovery = FastRecovery::In {
                until: self.recovery_point(),
            };
        }
        was_out
    }
}

#[cfg(test)]
mod tests;
