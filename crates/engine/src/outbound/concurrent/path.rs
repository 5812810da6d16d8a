use super::cumulative;
use crate::congestion::{Cumulative, Recovery};
use crate::flight::sent::Sent;

/// The sender's state of one path among several that carry new data.
#[derive(Clone, Debug)]
pub(in crate::outbound) struct ConcurrentPath {
    /// Bytes of chunks that were last sent here and are not cumulatively acknowledged.
    pub(in crate::outbound) held: u64,
    /// The end of this path's Fast Recovery: all before that chunk is still to be repaired.
    repair: Option<u64>,
    /// The oldest chunk that is in flight here for the first time, or the next to be cut.
    expected: u64,
    sack: Heard,
}

/// The content of the SACK at hand for a path.
#[derive(Clone, Copy, Debug)]
struct Heard {
    /// Whether a loss was being repaired when it came.
    was: Recovery,
    /// The oldest chunk that was in flight.
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
    /// A SACK came; `expected` and `earliest` are the oldest chunks in flight, the former of those
    /// that were sent once.
    pub(in crate::outbound) fn begin(&mut self, expected: u64, earliest: Option<u64>) {
        self.expected = expected;
        self.sack = Heard {
            was: self.recovery(),
            earliest,
            cumulative: Cumulative::Unmoved,
        };
    }

    pub(in crate::outbound) fn on_delivered(&mut self, chunk: &Sent, seq: u64) {
        // CUC, version 2: retransmissions, which may have come from another path, do not hold up
        // the count of what is sent for the first time.
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

    /// The oldest chunk that was last sent here and is not acknowledged is `oldest`.
    pub(in crate::outbound) fn on_oldest(&mut self, oldest: Option<u64>) {
        if let Some(until) = self.repair
            && oldest.is_none_or(|oldest| oldest >= until)
        {
            self.repair = None;
        }
    }
}
