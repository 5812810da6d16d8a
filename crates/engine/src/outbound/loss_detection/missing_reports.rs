use super::gap_reports::GapReports;
use super::{AppliedSack, LossDetector, Search};
use crate::Time;
use crate::congestion::{Cumulative, Recovery};
use crate::flight::sent::ChunkState;
use crate::value::ids::PathIndex;

/// Loss detection by miss indications (RFC 9260 §7.2.4).
#[derive(Clone, Debug)]
pub(in crate::outbound) struct MissingReports(GapReports);

impl MissingReports {
    pub(super) const fn new() -> Self {
        Self(GapReports::new())
    }

    /// Whether the first report must be recorded; a report below all outstanding chunks shows no
    /// loss.
    pub(super) fn needs_memory(sack: &AppliedSack<'_>, search: &Search<'_>) -> bool {
        reported(sack, search).is_some_and(|reported| reported >= search.ring.first_seq())
    }
}

/// The chunk below which each missing chunk gets a miss indication.
fn reported(sack: &AppliedSack<'_>, search: &Search<'_>) -> Option<u64> {
    let in_recovery = search.recovery() == Recovery::Fast;
    match (sack.newest, sack.cumulative) {
        (Some(_), Cumulative::Advanced) if in_recovery => search.acked.highest().max(sack.newest),
        (newest, _) => newest,
    }
}

impl LossDetector for MissingReports {
    fn on_timeout(&mut self, _: PathIndex, first: u64, _: Time) {
        self.0.restart(first);
    }

    fn search(&mut self, sack: &AppliedSack<'_>, search: &mut Search<'_>) -> bool {
        let in_recovery = search.recovery() == Recovery::Fast;
        let Some(reported) = reported(sack, search) else {
            return false;
        };
        let suspects = self.0.on_report(reported, search.needed);
        let mut lost = false;
        for seq in suspects.start.max(search.ring.first_seq())..suspects.end {
            let Some(chunk) = search.ring.get(seq) else {
                continue;
            };
            if chunk.state == ChunkState::InFlight && chunk.is_fast_eligible() {
                let path = chunk.path;
                search.mark(seq);
                search.shares.on_loss_reported(path, seq);
                lost = true;
            }
        }
        if lost && !in_recovery {
            search.enter_recovery();
        }
        lost && !in_recovery
    }
}
