/// The losses for which a window was last cut, to detect that the cut was spurious.
///
/// Covers chunks lost since the previous cut and during the recovery that follows. A cut with more
/// than [`MOST`] losses is rarely spurious, so their number alone is kept.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CutLosses {
    answered: Set,
    /// Losses found since the last search that made a cut.
    fresh: Set,
}

/// Most lost chunks remembered.
const MOST: usize = 4;

/// Whether a cut was spurious.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CutVerdict {
    Right,
    /// Every chunk counted as lost had arrived.
    Refuted,
}

/// Chunks considered lost.
#[derive(Clone, Copy, Debug, Default)]
struct Set {
    lost: [Option<u64>; MOST],
    /// Number of chunks, including those not remembered.
    count: usize,
}

impl Set {
    fn add(&mut self, seq: u64) {
        if let Some(place) = self.lost.get_mut(self.count) {
            *place = Some(seq);
        }
        self.count = self.count.saturating_add(1);
    }

    /// Removes `seq`. Returns whether it was the last chunk.
    fn remove(&mut self, seq: u64) -> bool {
        let Some(place) = self.lost.iter_mut().find(|place| **place == Some(seq)) else {
            return false;
        };
        *place = None;
        self.count <= MOST && self.lost.iter().all(Option::is_none)
    }
}

impl CutLosses {
    pub(super) fn on_lost(&mut self, seq: u64) {
        self.answered.add(seq);
        self.fresh.add(seq);
    }

    /// The window was cut for the losses of this search.
    pub(super) fn on_cut(&mut self) {
        self.answered = core::mem::take(&mut self.fresh);
    }

    /// A search ended without a cut: its losses belong to the previous cut.
    pub(super) fn on_search_ended(&mut self) {
        self.fresh = Set::default();
    }

    pub(super) fn on_spurious(&mut self, seq: u64) -> CutVerdict {
        if self.answered.remove(seq) {
            CutVerdict::Refuted
        } else {
            CutVerdict::Right
        }
    }
}

#[cfg(test)]
mod tests;
