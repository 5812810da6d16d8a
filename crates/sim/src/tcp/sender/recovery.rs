/// The sender's loss recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recovery {
    /// No loss is known of.
    Open,
    /// Fast recovery led by SACKs (RFC 6675) until everything below `point` is acknowledged.
    Sack {
        point: u64,
        /// Whether the first retransmission is still to be sent.
        first: Due,
    },
    /// Fast recovery without SACK (RFC 6582).
    Reno(Reno),
    /// After a timeout, until everything below `point` is acknowledged.
    Timeout { point: u64 },
}

/// Whether something is to be sent.
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

/// Fast recovery of RFC 6582 §3.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reno {
    pub(super) point: u64,
    pub(super) due: Due,
    /// Bytes by which the window is inflated: what duplicates say has left the network. Below zero
    /// after a partial acknowledgement of much.
    inflation: i64,
    acks: PartialAcks,
}

/// Partial acknowledgements so far.
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

    /// The segment that was due has left.
    pub(super) fn on_due_sent(&mut self) {
        match self {
            Self::Sack { first, .. } => *first = Due::No,
            Self::Reno(reno) => reno.due = Due::No,
            Self::Open | Self::Timeout { .. } => {}
        }
    }
}

impl Reno {
    /// Bytes that may be in flight, for a congestion window of `cwnd` bytes.
    pub(super) fn budget(&self, cwnd: u64, smss: u64) -> u64 {
        cwnd.saturating_add_signed(self.inflation).max(smss)
    }

    // RFC 5681 §3.2, step 4
    pub(super) fn on_duplicate(&mut self, smss: u64) {
        self.inflation = self.inflation.saturating_add(signed(smss));
    }

    /// The next hole is shown by an acknowledgement of `bytes`. The timer restarts for the first
    /// one alone: the impatient variant (RFC 6582 §3.2, step 3).
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
