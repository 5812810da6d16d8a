/// State of the sender's loss recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recovery {
    /// No recovery in progress.
    Open,
    /// SACK-based fast recovery (RFC 6675) until everything below `point` is acknowledged.
    Sack {
        point: u64,
        /// Whether the first retransmission is still due.
        first: Due,
    },
    /// Fast recovery without SACK (RFC 6582).
    Reno(Reno),
    /// Recovery after a timeout, until everything below `point` is acknowledged.
    Timeout { point: u64 },
}

/// Whether a transmission is due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Due {
    Yes,
    #[default]
    No,
}

/// Whether an acknowledgement restarts the retransmission timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timer {
    Restart,
    Leave,
}

/// State of fast recovery without SACK (RFC 6582 §3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reno {
    pub(super) point: u64,
    pub(super) due: Due,
    /// Bytes by which the window is inflated, for segments that left the network according to
    /// duplicates; negative after a large partial acknowledgement.
    inflation: i64,
    acks: PartialAcks,
}

/// Whether there was a partial acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PartialAcks {
    None,
    Some,
}

impl Recovery {
    pub(super) const fn on_sacks(point: u64) -> Self {
        Self::Sack {
            point,
            first: Due::Yes,
        }
    }

    // RFC 5681 §3.2, steps 2 and 3: three segments have left the network.
    pub(super) fn on_duplicates(point: u64, smss: u64) -> Self {
        Self::Reno(Reno {
            point,
            due: Due::Yes,
            inflation: 3 * signed(smss),
            acks: PartialAcks::None,
        })
    }

    /// Records that the due segment was sent.
    pub(super) fn on_due_sent(&mut self) {
        match self {
            Self::Sack { first, .. } => *first = Due::No,
            Self::Reno(reno) => reno.due = Due::No,
            Self::Open | Self::Timeout { .. } => {}
        }
    }
}

impl Reno {
    /// Most bytes in flight for a congestion window of `cwnd` bytes.
    pub(super) fn budget(&self, cwnd: u64, smss: u64) -> u64 {
        cwnd.saturating_add_signed(self.inflation).max(smss)
    }

    // RFC 5681 §3.2, step 4
    pub(super) fn on_duplicate(&mut self, smss: u64) {
        self.inflation = self.inflation.saturating_add(signed(smss));
    }

    /// Handles a partial acknowledgement of `bytes`, which reveals the next hole. Only the first
    /// one restarts the timer: the impatient variant (RFC 6582 §3.2, step 3).
    pub(super) fn on_partial_ack(&mut self, bytes: u64, smss: u64) -> Timer {
        self.due = Due::Yes;
        self.inflation = self.inflation.saturating_sub(signed(bytes));
        if bytes >= smss {
            self.inflation = self.inflation.saturating_add(signed(smss));
        }
        match self.acks {
            PartialAcks::None => {
                self.acks = PartialAcks::Some;
                Timer::Restart
            }
            PartialAcks::Some => Timer::Leave,
        }
    }
}

fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
