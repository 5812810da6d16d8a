//! Decides whether to poll for the other side before sleeping.

/// Most consecutive calls without polling.
const MOST: u32 = 64;

/// Exponential backoff: each failed poll doubles the number of calls that skip it; a success resets
/// it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Worth {
    /// Calls that still skip the poll.
    left: u32,
    /// Calls that skip after the last failed poll.
    span: u32,
}

impl Worth {
    /// Whether to poll for this call.
    pub(crate) fn is_due(&mut self) -> bool {
        let is_due = self.left == 0;
        self.left = self.left.saturating_sub(1);
        is_due
    }

    /// Notes that a poll succeeded.
    pub(crate) fn succeeded(&mut self) {
        self.span = 0;
    }

    /// Notes that a poll failed.
    pub(crate) fn failed(&mut self) {
        self.span = (2 * self.span).clamp(1, MOST);
        self.left = self.span;
    }

    pub(crate) fn to_word(self) -> u64 {
        u64::from(self.left) << 32 | u64::from(self.span)
    }

    /// Restores the state from a word, which may hold any value.
    pub(crate) fn of_word(word: u64) -> Self {
        Self {
            left: (word >> 32) as u32,
            span: (word & 0xffff_ffff) as u32 % (MOST + 1),
        }
    }
}
