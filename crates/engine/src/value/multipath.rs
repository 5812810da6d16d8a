/// Whether new data leaves on several paths at a time (concurrent multipath transfer: Iyengar, Amer
/// and Stewart 2006; draft-tuexen-tsvwg-sctp-multipath).
///
/// Each end decides for itself, and nothing is negotiated. A sender that has chosen it shares its
/// messages out among all active paths, each with a congestion control and a loss detection of its
/// own. A receiver that has chosen it delays SACKs, once data comes on several paths, as if no
/// reordering showed (DAC), and tells in flags of the SACK, which others ignore, how many packets
/// it answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Multipath {
    /// New data goes to the primary path while it is active (RFC 9260 §6.4).
    #[default]
    Off,
    /// New data goes to every active path that has room.
    Concurrent(ConcurrentTransfer),
}

/// The distribution of data among paths.
///
/// A path that is potentially failed gets no new data, as ever:
/// [`potentially_failed_max_retrans`](crate::Options::potentially_failed_max_retrans) of 0 makes
/// the first timeout take a path out (CMT-PF), which keeps it from blocking the others' share of
/// the peer's window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ConcurrentTransfer {
    /// The choice among the paths with room; default `LowestRtt`.
    pub scheduler: PathScheduler,
    /// The path for lost chunks; default `LargestWindow`.
    pub retransmissions: RetransmissionPath,
    /// Whether buffers are shared out; default `Off`.
    pub splitting: BufferSplitting,
    /// Whether the windows of the paths grow together; default `Uncoupled`.
    pub coupling: Coupling,
}

/// The choice among the active paths with room for the next packet with new data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PathScheduler {
    /// The one with the shortest smoothed round trip; the others get what it cannot take.
    #[default]
    LowestRtt,
    /// The one with the most room in its congestion window.
    LargestWindow,
    /// Paths take turns, a packet each.
    RoundRobin,
}

/// The path for the retransmission of a chunk that SACKs show to be lost (the policies of Iyengar,
/// Amer and Stewart 2006). A chunk that timed out leaves on another active path, if there is one,
/// whatever the policy (RFC 9260 §6.4.1): of those the best.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RetransmissionPath {
    /// To the active path with the largest congestion window (RTX-CWND).
    #[default]
    LargestWindow,
    /// To the active path with the largest slow-start threshold, among equals the largest window
    /// (RTX-SSTHRESH).
    LargestThreshold,
    /// To the path that lost it while that is active (RTX-SAME).
    Same,
}

/// Whether one path may fill the buffers with what waits for another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BufferSplitting {
    /// A path may take any share: where paths differ, an even share is more than the slow one needs
    /// and less than the quick one could use.
    #[default]
    Off,
    /// A path's chunks that are not cumulatively acknowledged take at most an even share of
    /// the peer's receive buffer, as its widest window showed it, and of the send buffer, whichever
    /// is smaller; a packet is always allowed. For paths that are alike where the buffer is smaller
    /// than both could fill.
    Even,
}

/// Whether the congestion controls of an association's paths know of each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Coupling {
    /// Each path takes what a connection of its own would: where paths share a bottleneck, more
    /// than one connection's share.
    #[default]
    Uncoupled,
    /// Growth in proportion to the path's share of all slow-start thresholds, and a loss takes half
    /// of all windows from the path (CMT/RPv1, Dreibholz and others 2010).
    PooledThresholds,
    /// Growth in proportion to the path's share of the total rate, and a loss takes half of the
    /// total rate from the path (CMT/RPv2, Dreibholz 2012).
    PooledRates,
    /// Linked increases (RFC 6356): together the paths grow in congestion avoidance like one
    /// connection on the best of them; a loss halves the window of its path.
    LinkedIncreases,
}

impl Multipath {
    /// The distribution of data, if several paths carry new data.
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
