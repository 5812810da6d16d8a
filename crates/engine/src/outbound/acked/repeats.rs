use super::Change;

/// The bytes that a peer has taken back, and acknowledged again.
///
/// Each chunk that is sent may be acknowledged, and taken back. What is acknowledged once more costs
/// the same again, for a few bytes: a peer that turns a whole window on and off with SACKs of one
/// block each would make each of them as much work as the window is long (A41). A SACK that was
/// overtaken looks like one that takes something back, so that some of it is honest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repeats {
    /// Chunks that were taken back and not acknowledged since.
    taken_back: u64,
    /// Chunks that may be acknowledged again now.
    allowance: u64,
    /// Of the last SACK.
    base: u64,
}

/// Chunks that each SACK adds to the allowance.
const EARNED: u64 = 16;

/// The allowance at most, and at first.
const MOST: u64 = 1024;

impl Repeats {
    pub(super) const NONE: Self = Self {
        taken_back: 0,
        allowance: MOST,
        base: 0,
    };

    /// Whether a SACK may acknowledge what it does beyond `base`. If not, it takes nothing back
    /// either: what it acknowledges is in flight, and a timer sees to it.
    pub(super) fn allow(&mut self, base: u64, changes: &[Change]) -> bool {
        let advance = base.saturating_sub(self.base);
        self.base = base;
        self.taken_back = self.taken_back.saturating_sub(advance);
        self.allowance = (self.allowance + EARNED).min(MOST);
        let (mut newly, mut reneged) = (0, 0);
        for change in changes {
            match change {
                Change::Newly(_) => newly += change.len(),
                Change::Reneged(_) => reneged += change.len(),
            }
        }
        let again = self.taken_back.min(newly);
        let Some(left) = self.allowance.checked_sub(again) else {
            return false;
        };
        self.allowance = left;
        self.taken_back = self.taken_back - again + reneged;
        true
    }
}

impl Default for Repeats {
    fn default() -> Self {
        Self::NONE
    }
}
