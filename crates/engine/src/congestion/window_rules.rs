//! First and least windows, and their growth.

use sheave_wire::Data;

/// First and least congestion window, and its growth in slow start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WindowRules {
    /// RFC 9260 §7.2: 4404 bytes (IPv4) or 4344 (IPv6) between two and four packets; ssthresh
    /// never below four packets; in slow start a packet more for a SACK (L = 1, §7.2.1).
    #[default]
    Rfc9260,
    /// RFC 2960 §7.2: two packets, and ssthresh never below two packets.
    Rfc2960,
    /// A first window of 14,600 bytes of user data between two and ten packets, as RFC 6928 §2 has it
    /// for TCP, and RFC 9260's least threshold. [`max_burst`](crate::Options::max_burst) bounds it, too.
    Rfc6928,
    /// Windows like `Rfc9260`, but slow start adds all that a SACK acknowledges, at most eight
    /// packets (RFC 9260 §7.2.1 with L = 8, which RFC 9406 has for TCP without pacing). A receiver
    /// that takes in whole trains of packets at once (GRO) sends one SACK for each; with L = 1 the
    /// window then grows by a packet in a round trip instead of doubling.
    SlowStartL8,
    /// A first window as with `Rfc6928`, slow start as with `SlowStartL8`, and the first slow start
    /// ends where round trips grow, not where a loss ends it (HyStart++, RFC 9406).
    HyStart,
}

/// Bytes of a DATA chunk before its user data.
const DATA_HEADER: u64 = Data::HEADER_LEN as u64;

impl WindowRules {
    /// The first window, bytes, where RFC 9260 §7.2.1 bounds `initial` bytes by multiples of
    /// `pmdcs`.
    pub(crate) fn first_window(self, pmdcs: u64, initial: u64) -> u64 {
        match self {
            Self::Rfc9260 | Self::SlowStartL8 => (4 * pmdcs).min((2 * pmdcs).max(initial)),
            Self::Rfc2960 => 2 * pmdcs,
            Self::Rfc6928 | Self::HyStart => {
                // RFC 6928 §2 bounds payload; cwnd counts the header of each chunk, too.
                let payload = pmdcs.saturating_sub(DATA_HEADER).max(1);
                (10 * pmdcs).min((2 * pmdcs).max(14_600 * pmdcs / payload))
            }
        }
    }

    /// The most that slow start adds for a SACK, bytes.
    pub(crate) const fn largest_step(self, pmdcs: u64) -> u64 {
        match self {
            Self::Rfc9260 | Self::Rfc2960 | Self::Rfc6928 => pmdcs,
            Self::SlowStartL8 | Self::HyStart => 8 * pmdcs,
        }
    }

    /// The least threshold, and the least window of an idle path, bytes.
    pub(crate) const fn least(self, pmdcs: u64) -> u64 {
        match self {
            Self::Rfc9260 | Self::Rfc6928 | Self::SlowStartL8 | Self::HyStart => 4 * pmdcs,
            Self::Rfc2960 => 2 * pmdcs,
        }
    }

    /// Whether longer round trips end the first slow start.
    pub(crate) const fn watches_slow_start(self) -> bool {
        matches!(self, Self::HyStart)
    }
}

/// When [`EarlyDecrease`](crate::EarlyDecrease) takes a path for congested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DecreaseTrigger {
    /// From an unanswered heartbeat until one is answered or nothing is outstanding, as the
    /// paper's prose has it.
    Heartbeat,
    /// At each SACK that leaves something outstanding, as the paper's pseudo-code has it.
    Always,
}
