use crate::congestion::Flown;

/// Packet-timed round trips (§5.5.1): a round ends when a chunk sent after its start is delivered.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rounds {
    count: u64,
    /// Bytes delivered when the round began.
    began_at: u64,
    round_start: RoundStart,
    delivered: u64,
}

/// Whether a SACK starts a new round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum RoundStart {
    #[default]
    No,
    /// The round ends with this SACK, and the next one begins.
    Yes,
}

impl RoundStart {
    /// Classifies a SACK in a round that began at `began_at` bytes delivered.
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

    /// Whether the current SACK starts a round.
    pub(super) fn starts(&self) -> bool {
        self.round_start == RoundStart::Yes
    }

    /// Records a delivery; `delivered` is the new total in bytes.
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

    /// Starts a round now.
    pub(super) const fn restart(&mut self) {
        self.began_at = self.delivered;
    }
}
