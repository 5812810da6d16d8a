/// The most of two spans of time, this one and the one before.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MaxFilter {
    now: u64,
    before: u64,
}

impl MaxFilter {
    pub(super) fn on_value(&mut self, value: u64) {
        self.now = self.now.max(value);
    }

    /// The next span begins.
    pub(super) const fn advance(&mut self) {
        self.before = self.now;
        self.now = 0;
    }

    pub(super) fn most(&self) -> u64 {
        self.now.max(self.before)
    }
}
