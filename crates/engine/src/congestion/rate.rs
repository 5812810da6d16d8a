use core::time::Duration;

/// A sending rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rate {
    /// Bytes per second.
    pub bytes_per_second: u64,
}

impl Rate {
    /// The rate of `bytes` in `span`; `None` if `span` is zero.
    pub(crate) fn of(bytes: u64, span: Duration) -> Option<Self> {
        let rate = (u128::from(bytes) * 1_000_000_000).checked_div(span.as_nanos())?;
        Some(Self {
            bytes_per_second: u64::try_from(rate).unwrap_or(u64::MAX),
        })
    }

    /// Bytes sent at this rate in a span of time.
    pub(crate) fn bytes_in(self, span: Duration) -> u64 {
        let bytes = span.as_nanos().saturating_mul(self.bytes_per_second.into()) / 1_000_000_000;
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

/// The factor that limits a sender's rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Limit {
    /// The network, as seen through the congestion window, or the peer's receive window.
    #[default]
    Network,
    /// A lack of data: rate samples then underestimate the network.
    Supply,
}

/// A delivery-rate sample of a path, triggered by a SACK or by a timer that detects losses.
///
/// All sizes are bytes of DATA chunks, headers and padding included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateSample {
    /// Total bytes delivered on the path; never decreases.
    pub delivered: u64,
    /// Bytes newly acknowledged.
    pub newly_acked: u64,
    /// Bytes newly found to be lost.
    pub newly_lost: u64,
    /// Number of lost runs of chunks, each without a gap.
    pub lost_runs: u32,
    /// Round-trip time of the newest chunk that was sent only once.
    pub round_trip: Option<Duration>,
    /// The most recently sent chunk among those newly acknowledged.
    pub newest: Option<Flown>,
    /// The chunk at which losses first exceeded [`TOLERATED_LOSS`](crate::Bbr::TOLERATED_LOSS) of
    /// the bytes in flight.
    pub excess: Option<Excess>,
}

impl RateSample {
    /// Whether the sample is empty.
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
    /// Delivery rate over that time, capped by the rate at which the bytes were sent; `None` if
    /// they were delivered in less than the least round trip, which is impossible.
    pub rate: Option<Rate>,
    /// Bytes in flight when it left, this chunk included.
    pub flight: u64,
    /// Bytes detected as lost since it left.
    pub lost: u64,
    /// The limit of the sender's rate when it left.
    pub limit: Limit,
}

/// The number of bytes in flight at which losses exceeded the threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excess {
    /// Bytes in flight when the losses began.
    pub flight: u64,
    /// The limit of the sender's rate then.
    pub limit: Limit,
}
