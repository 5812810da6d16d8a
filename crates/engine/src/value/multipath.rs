/// Whether new data is sent on several paths concurrently (concurrent multipath transfer: Iyengar,
/// Amer and Stewart 2006; draft-tuexen-tsvwg-sctp-multipath).
///
/// Each end decides for itself, without negotiation. A sender distributes its messages over all
/// active paths, each with its own congestion control and loss detection. A receiver that gets data
/// on several paths delays SACKs despite reordering (DAC), and reports in SACK flags, which other
/// peers ignore, how many packets each SACK acknowledges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Multipath {
    /// New data uses the primary path while it is active (RFC 9260 §6.4).
    #[default]
    Off,
    /// New data uses every active path that has room.
    Concurrent(ConcurrentTransfer),
}

/// Distribution of data over paths.
///
/// A potentially failed path gets no new data: with
/// [`potentially_failed_max_retrans`](crate::Options::potentially_failed_max_retrans) of 0, the
/// first timeout excludes a path (CMT-PF), so that it does not block the other paths' share of the
/// peer's window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ConcurrentTransfer {
    /// Selection among the paths with room; default `LowestRtt`.
    pub scheduler: PathScheduler,
    /// The path for lost chunks; default `LargestWindow`.
    pub retransmissions: RetransmissionPath,
    /// Whether paths share buffers evenly; default `Off`.
    pub splitting: BufferSplitting,
    /// Whether the windows of the paths are coupled; default `Uncoupled`.
    pub coupling: Coupling,
}

/// Selection among the active paths with room for the next packet of new data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PathScheduler {
    /// The path with the shortest smoothed round trip; other paths get the excess.
    #[default]
    LowestRtt,
    /// The path with the most room in its congestion window.
    LargestWindow,
    /// Paths take turns, packet by packet.
    RoundRobin,
}

/// The path for chunks that SACKs show to be lost (the policies of Iyengar, Amer and Stewart 2006).
/// After a timeout, chunks use another active path, if there is one, whatever the policy (RFC 9260
/// §6.4.1), the best of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RetransmissionPath {
    /// The active path with the largest congestion window (RTX-CWND).
    #[default]
    LargestWindow,
    /// The active path with the largest slow-start threshold, and among equals the largest window
    /// (RTX-SSTHRESH).
    LargestThreshold,
    /// The path that lost the chunk, while it is active (RTX-SAME).
    Same,
}

/// Whether one path may fill the shared buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BufferSplitting {
    /// A path may take any share. If paths differ, an even split gives the slow path too much and
    /// the fast path too little.
    #[default]
    Off,
    /// Unacknowledged chunks of a path take at most an even share of the send buffer or of the
    /// peer's receive buffer (its widest advertised window), whichever is smaller; one packet is
    /// always allowed. For similar paths whose combined demand exceeds the buffer.
    Even,
}

/// Whether congestion control is coupled between the paths of an association.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Coupling {
    /// Each path behaves like a separate connection; paths with a common bottleneck take more than
    /// one connection's share.
    #[default]
    Uncoupled,
    /// A path grows in proportion to its share of all slow-start thresholds; a loss cuts its window
    /// by half of the sum of all windows (CMT/RPv1, Dreibholz and others 2010).
    PooledThresholds,
    /// A path grows in proportion to its share of the total rate; a loss cuts its window by half of
    /// the total rate (CMT/RPv2, Dreibholz 2012).
    PooledRates,
    /// Linked increases (RFC 6356): in congestion avoidance all paths together grow like one
    /// connection on the best path; a loss halves the window of its path.
    LinkedIncreases,
}

impl Multipath {
    /// Distribution of data, if several paths carry new data.
    #[must_use]
    pub const fn transfer(self) -> Option<ConcurrentTransfer> {
        match self {
            Self::Off => None,
            Self::Concurrent(transfer) => Some(transfer),
        }
    }

    /// The coupling of windows.
    pub(crate) const fn coupling(self) -> Coupling {
        match self {
            Self::Off => Coupling::Uncoupled,
            Self::Concurrent(transfer) => transfer.coupling,
        }
    }
}
