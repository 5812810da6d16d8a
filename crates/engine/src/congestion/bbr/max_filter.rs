/// Maximum over two spans of time, the current one and the previous one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MaxFilter {
    now: u64,
    before: u64,
}

impl MaxFilter {
    pub(super) fn on_value(&mut self, value: u64) {
        self.now = self.now.max(value);
    }

    /// Starts the next span.
    pub(super) const fn advance(&mut self) {
        self.before = self.now;
        self.now = 0;
    }

    pub(super) fn most(&self) -> u64 {
        self.now.max(self.before)
    }
}
