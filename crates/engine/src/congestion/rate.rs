use core::time::Duration;

/// A rate of sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rate {
    /// Bytes per second.
    pub bytes_per_second: u64,
}

impl Rate {
    /// That of `bytes` in `span`; `None` if that is no time.
    pub(crate) fn of(bytes: u64, span: Duration) -> Option<Self> {
        let rate = (u128::from(bytes) * 1_000_000_000).checked_div(span.as_nanos())?;
        Some(Self {
            bytes_per_second: u64::try_from(rate).unwrap_or(u64::MAX),
        })
    }

    /// Bytes in that time.
    pub(crate) fn bytes_in(self, span: Duration) -> u64 {
        let bytes = span.as_nanos().saturating_mul(self.bytes_per_second.into()) / 1_000_000_000;
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

/// The limit of a sender's rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Limit {
    /// The network, as far as the congestion control lets that be seen, or the peer's window.
    #[default]
    Network,
    /// A lack of data: rates that are measured then say too little of the network.
    Supply,
}

/// A sample of a path's delivery rate, from a SACK or from a timer that shows losses.
///
/// All sizes are bytes of DATA chunks, headers and padding included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateSample {
    /// Bytes delivered on the path since it exists; never less than what was told before.
    pub delivered: u64,
    /// Bytes newly acknowledged.
    pub newly_acked: u64,
    /// Bytes newly found to be lost.
    pub newly_lost: u64,
    /// Number of lost runs of chunks, each without a gap.
    pub lost_runs: u32,
    /// Round-trip time of the newest chunk that was sent once.
    pub round_trip: Option<Duration>,
    /// The newly acknowledged chunk that was sent last.
    pub newest: Option<Flown>,
    /// The first loss that was one too many: more than
    /// [`TOLERATED_LOSS`](crate::Bbr::TOLERATED_LOSS) of what was in flight with it.
    pub excess: Option<Excess>,
}

impl RateSample {
    /// Whether it says nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.newly_acked == 0 && self.newly_lost == 0
    }
}

/// The history of a chunk between its departure and its acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flown {
    /// Bytes that had been delivered when it left.
    pub delivered_before: u64,
    /// Bytes delivered since.
    pub volume: u64,
    /// The rate of that, no higher than the rate at which these bytes were sent; `None` if they
    /// were delivered in less than the least round trip, which nothing is.
    pub rate: Option<Rate>,
    /// Bytes in flight with it when it left.
    pub flight: u64,
    /// Bytes found to be lost since it left.
    pub lost: u64,
    /// The limit of the sender's rate when it left.
    pub limit: Limit,
}

/// The flight that was too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excess {
    /// Bytes in flight when too many of them began to be lost.
    pub flight: u64,
    /// The limit of the sender's rate then.
    pub limit: Limit,
}
