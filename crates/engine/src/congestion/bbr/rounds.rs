use crate::delivery_rate::Flown;

/// Round trips as packets make them (§5.5.1): one ends when something is delivered that was sent
/// after it began.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rounds {
    count: u64,
    /// Bytes delivered when it began.
    began_at: u64,
    turn: Turn,
    delivered: u64,
}

/// What a SACK means for a round trip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Turn {
    #[default]
    GoesOn,
    /// One ends with it, and the next begins.
    Begins,
}

impl Turn {
    /// Where one began at `began_at` bytes delivered.
    pub(super) const fn of(newest: &Flown, began_at: u64) -> Self {
        if newest.delivered_before >= began_at {
            Self::Begins
        } else {
            Self::GoesOn
        }
    }
}

impl Rounds {
    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// Whether the SACK at hand begins one.
    pub(super) fn starts(&self) -> bool {
        self.turn == Turn::Begins
    }

    /// Something was delivered, now `delivered` bytes.
    pub(super) fn on_delivered(&mut self, newest: &Flown, delivered: u64) -> Turn {
        self.delivered = delivered;
        self.turn = Turn::of(newest, self.began_at);
        if self.starts() {
            self.restart();
            self.count += 1;
        }
        self.turn
    }

    pub(super) const fn on_nothing(&mut self) {
        self.turn = Turn::GoesOn;
    }

    /// One begins now, whatever was before.
    pub(super) const fn restart(&mut self) {
        self.began_at = self.delivered;
    }
}
