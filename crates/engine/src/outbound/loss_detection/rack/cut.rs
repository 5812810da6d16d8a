/// The losses that one cut of a window answers, to know whether it was made for nothing.
///
/// The chunks lost since the cut before it, and in the recovery that follows it, count. Few losses
/// are all spurious: those of more than [`MOST`] are not remembered.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CutLosses {
    answered: Set,
    /// Found since the last search that made a cut.
    fresh: Set,
}

/// Lost chunks remembered at most.
const MOST: usize = 4;

/// Whether a cut was made for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CutVerdict {
    Right,
    /// Everything that it was made for had arrived.
    Refuted,
}

/// Chunks that are taken for lost.
#[derive(Clone, Copy, Debug, Default)]
struct Set {
    lost: [Option<u64>; MOST],
    /// Number of chunks, including those that are not remembered.
    count: usize,
}

impl Set {
    fn add(&mut self, seq: u64) {
        if let Some(place) = self.lost.get_mut(self.count) {
            *place = Some(seq);
        }
        self.count = self.count.saturating_add(1);
    }

    /// Whether `seq` was the last of them.
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

    /// The window was cut for what was found in this search.
    pub(super) fn on_cut(&mut self) {
        self.answered = core::mem::take(&mut self.fresh);
    }

    /// A search that made no cut is over: what it found belongs to the cut before.
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
