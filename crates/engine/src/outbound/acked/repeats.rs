use super::Change;

/// Limits how often a peer can renege on chunks and acknowledge them again.
///
/// Each chunk sent may be acknowledged and reneged on once at no charge. Acknowledging it again
/// costs as much work for a few bytes on the wire: with SACKs of one gap block each, a peer could
/// turn a whole window on and off, so that each SACK costs work for the whole window (A41). A
/// reordered SACK looks like reneging, so some of it is honest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repeats {
    /// Chunks reneged on and not acknowledged since.
    taken_back: u64,
    /// Chunks that the peer may acknowledge again now.
    allowance: u64,
    /// Chunk after the Cumulative TSN Ack of the last SACK.
    base: u64,
}

/// Chunks that each SACK adds to the allowance.
const EARNED: u64 = 16;

/// Largest allowance, and the initial one.
const MOST: u64 = 1024;

impl Repeats {
    pub(super) const NONE: Self = Self {
        taken_back: 0,
        allowance: MOST,
        base: 0,
    };

    /// Whether a SACK may acknowledge the chunks it does beyond `base`. If not, its reneging is
    /// ignored as well; the chunks it acknowledges stay in flight and T3-rtx covers them.
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
