use crate::congestion::Flown;

/// Round trips as packets make them (§5.5.1): one ends when something is delivered that was sent
/// after it began.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rounds {
    count: u64,
    /// Bytes delivered when it began.
    began_at: u64,
    round_start: RoundStart,
    delivered: u64,
}

/// The meaning of a SACK for a round trip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum RoundStart {
    #[default]
    No,
    /// The round trip ends with this SACK, and the next begins.
    Yes,
}

impl RoundStart {
    /// Classifies a SACK for a round trip that began at `began_at` bytes delivered.
    pub(super) const fn of(newest: &Flown, began_at: u64) -> Self {
        if newest.delivered_before >= began_at {
            Self::Yes
        } else {
            Self::No
        }
    }
}

impl Rounds {
    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// Whether the SACK at hand begins one.
    pub(super) fn starts(&self) -> bool {
        self.round_start == RoundStart::Yes
    }

    /// Something was delivered, now `delivered` bytes.
    pub(super) fn on_delivered(&mut self, newest: &Flown, delivered: u64) -> RoundStart {
        self.delivered = delivered;
        self.round_start = RoundStart::of(newest, self.began_at);
        if self.starts() {
            self.restart();
            self.count += 1;
        }
        self.round_start
    }

    pub(super) const fn on_nothing(&mut self) {
        self.round_start = RoundStart::No;
    }

    /// Begins a round trip now, whatever was before.
    pub(super) const fn restart(&mut self) {
        self.began_at = self.delivered;
    }
}
