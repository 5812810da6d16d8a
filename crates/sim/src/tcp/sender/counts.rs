/// Counters of the sending half, from the beginning of the connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SendCounts {
    /// Segments with data, SYN or FIN, sent for the first time.
    pub segments: u64,
    /// Segments sent again.
    pub retransmissions: u64,
    /// Times that duplicates or SACKs showed a loss.
    pub fast_retransmits: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Probes of a tail (RFC 8985 §7).
    pub tail_probes: u64,
    /// Probes of a closed window.
    pub probes: u64,
    /// Duplicate acknowledgements.
    pub dup_acks: u64,
}

impl SendCounts {
    /// Nothing sent.
    pub const NONE: Self = Self {
        segments: 0,
        retransmissions: 0,
        fast_retransmits: 0,
        timeouts: 0,
        tail_probes: 0,
        probes: 0,
        dup_acks: 0,
    };

    /// Both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            segments: self.segments + other.segments,
            retransmissions: self.retransmissions + other.retransmissions,
            fast_retransmits: self.fast_retransmits + other.fast_retransmits,
            timeouts: self.timeouts + other.timeouts,
            tail_probes: self.tail_probes + other.tail_probes,
            probes: self.probes + other.probes,
            dup_acks: self.dup_acks + other.dup_acks,
        }
    }
}
