use crate::delivery_rate::Flown;

/// Round trips as packets make them (§5.5.1): one ends when something is delivered that was sent
/// after it began.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rounds {
    count: u64,
    /// Bytes delivered when it began.
    began_at: u64,
    starts: bool,
    delivered: u64,
}

impl Rounds {
    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// Whether the SACK at hand begins one.
    pub(super) const fn starts(&self) -> bool {
        self.starts
    }

    /// Something was delivered, now `delivered` bytes. Whether that ends one and begins the next.
    pub(super) const fn on_delivered(&mut self, newest: &Flown, delivered: u64) -> bool {
        self.delivered = delivered;
        self.starts = newest.delivered_before >= self.began_at;
        if self.starts {
            self.restart();
            self.count += 1;
        }
        self.starts
    }

    pub(super) const fn on_nothing(&mut self) {
        self.starts = false;
    }

    /// One begins now, whatever was before.
    pub(super) const fn restart(&mut self) {
        self.began_at = self.delivered;
    }
}
