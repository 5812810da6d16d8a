use super::cumulative;
use crate::congestion::{Cumulative, Recovery};
use crate::flight::sent::Sent;

/// Sender state of one of several paths that carry new data.
#[derive(Clone, Debug)]
pub(in crate::outbound) struct ConcurrentPath {
    /// Bytes of chunks last sent on this path and not cumulatively acknowledged.
    pub(in crate::outbound) held: u64,
    /// End of this path's Fast Recovery, which lasts until all chunks before it are acknowledged.
    repair: Option<u64>,
    /// The oldest chunk in flight here that was sent once, or the next chunk to be cut.
    expected: u64,
    sack: Heard,
}

/// Effect of the current SACK on a path.
#[derive(Clone, Copy, Debug)]
struct Heard {
    /// Whether the path was in Fast Recovery when the SACK came.
    was: Recovery,
    /// The oldest chunk in flight when the SACK came.
    earliest: Option<u64>,
    cumulative: Cumulative,
}

impl Default for ConcurrentPath {
    fn default() -> Self {
        Self {
            held: 0,
            repair: None,
            expected: 0,
            sack: Heard {
                was: Recovery::Open,
                earliest: None,
                cumulative: Cumulative::Unmoved,
            },
        }
    }
}

impl ConcurrentPath {
    /// Begins a SACK. `earliest` is the oldest chunk in flight, `expected` the oldest sent only
    /// once.
    pub(in crate::outbound) fn begin(&mut self, expected: u64, earliest: Option<u64>) {
        self.expected = expected;
        self.sack = Heard {
            was: self.recovery(),
            earliest,
            cumulative: Cumulative::Unmoved,
        };
    }

    pub(in crate::outbound) fn on_delivered(&mut self, chunk: &Sent, seq: u64) {
        // CUC, version 2: retransmissions, perhaps moved from another path, do not hold up the
        // pseudo-cumulative acknowledgement of first transmissions.
        let advanced = if chunk.is_first_transmission() {
            seq <= self.expected
        } else {
            self.sack.earliest.is_some_and(|earliest| seq <= earliest)
        };
        if self.sack.cumulative == Cumulative::Unmoved {
            self.sack.cumulative = cumulative(advanced);
        }
    }

    pub(in crate::outbound) const fn expected(&self) -> u64 {
        self.expected
    }

    pub(in crate::outbound) const fn cumulative(&self) -> Cumulative {
        self.sack.cumulative
    }

    pub(in crate::outbound) const fn was(&self) -> Recovery {
        self.sack.was
    }

    pub(in crate::outbound) const fn recovery(&self) -> Recovery {
        match self.repair {
            None => Recovery::Open,
            Some(_) => Recovery::Fast,
        }
    }

    pub(in crate::outbound) const fn enter_recovery(&mut self, until: u64) {
        self.repair = Some(until);
    }

    pub(in crate::outbound) const fn leave_recovery(&mut self) {
        self.repair = None;
    }

    /// Ends Fast Recovery once `oldest`, the oldest unacknowledged chunk last sent here, is past
    /// it.
    pub(in crate::outbound) fn on_oldest(&mut self, oldest: Option<u64>) {
        if let Some(until) = self.repair
            && oldest.is_none_or(|oldest| oldest >= until)
        {
            self.repair = None;
        }
    }
}
