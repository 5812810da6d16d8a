/// The phase of the flow (§5.1.1), and its gains (§5.6.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BbrPhase {
    /// Startup: searches for the path's rate, doubling the sending rate each round trip.
    Startup,
    /// Drain: empties the queue that Startup built.
    Drain,
    /// ProbeBW_DOWN: sends more slowly than data is delivered.
    Down,
    /// ProbeBW_CRUISE: sends at the delivery rate.
    Cruise,
    /// ProbeBW_REFILL: fills the pipe before probing for more bandwidth.
    Refill,
    /// ProbeBW_UP: probes for more bandwidth.
    Up,
    /// ProbeRTT: measures the least round trip with little in flight.
    ProbeRtt,
}

impl BbrPhase {
    /// `BBR.pacing_gain`, hundredths.
    pub(super) const fn pacing_gain(self) -> u64 {
        match self {
            Self::Startup => 277,
            Self::Drain => 50,
            Self::Down => 90,
            Self::Cruise | Self::Refill | Self::ProbeRtt => 100,
            Self::Up => 125,
        }
    }

    /// `BBR.cwnd_gain`, hundredths.
    pub(super) const fn cwnd_gain(self) -> u64 {
        match self {
            Self::ProbeRtt => 50,
            Self::Up => 225,
            Self::Startup | Self::Drain | Self::Down | Self::Cruise | Self::Refill => 200,
        }
    }

    /// `IsInAProbeBWState`.
    pub(super) const fn is_probe_bw(self) -> bool {
        matches!(self, Self::Down | Self::Cruise | Self::Refill | Self::Up)
    }

    /// `IsProbingBW`: whether this phase's own probing may cause losses.
    pub(super) const fn is_accelerating(self) -> bool {
        matches!(self, Self::Startup | Self::Refill | Self::Up)
    }
}
