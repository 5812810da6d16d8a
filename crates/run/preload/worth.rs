//! Whether it is worth while to look for news of the other side for a moment before one sleeps.

/// Calls at most that go without looking.
const MOST: u32 = 64;

/// After each time in vain twice as many calls go without; once it was worth while, none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Worth {
    /// Calls that go without after this one.
    left: u32,
    /// Calls that went without after the last time in vain.
    span: u32,
}

impl Worth {
    /// Whether to look at this call.
    pub(crate) fn is_due(&mut self) -> bool {
        let is_due = self.left == 0;
        self.left = self.left.saturating_sub(1);
        is_due
    }

    /// There was news.
    pub(crate) fn succeeded(&mut self) {
        self.span = 0;
    }

    /// There was none.
    pub(crate) fn failed(&mut self) {
        self.span = (2 * self.span).clamp(1, MOST);
        self.left = self.span;
    }

    pub(crate) fn to_word(self) -> u64 {
        u64::from(self.left) << 32 | u64::from(self.span)
    }

    /// The same out of a word, whoever wrote it.
    pub(crate) fn of_word(word: u64) -> Self {
        Self {
            left: (word >> 32) as u32,
            span: (word & 0xffff_ffff) as u32 % (MOST + 1),
        }
    }
}
