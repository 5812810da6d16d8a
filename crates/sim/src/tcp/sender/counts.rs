/// Counters of the sending half, since the start of the connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SendCounts {
    /// Segments with data, SYN or FIN, without retransmissions.
    pub segments: u64,
    /// Retransmitted segments.
    pub retransmissions: u64,
    /// Losses detected by duplicate acknowledgements or SACKs.
    pub fast_retransmits: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Tail loss probes (RFC 8985 §7).
    pub tail_probes: u64,
    /// Zero-window probes.
    pub probes: u64,
    /// Duplicate acknowledgements received.
    pub dup_acks: u64,
}

impl SendCounts {
    /// The sums of both.
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
