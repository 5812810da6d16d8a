//! Initial and minimum windows, and slow-start growth.

use sheave_wire::Data;

/// Initial and minimum congestion window, and slow-start growth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WindowRules {
    /// RFC 9260 §7.2: initial window of 4404 bytes (IPv4) or 4344 (IPv6), bounded between two and
    /// four packets; ssthresh at least four packets; slow start adds at most one packet per SACK (L
    /// = 1, §7.2.1).
    #[default]
    Rfc9260,
    /// RFC 2960 §7.2: initial window of two packets, ssthresh at least two packets.
    Rfc2960,
    /// Initial window of 14,600 bytes of user data, bounded between two and ten packets, as RFC
    /// 6928 §2 defines for TCP; ssthresh as in RFC 9260. [`max_burst`](crate::Options::max_burst)
    /// limits it, too.
    Rfc6928,
    /// Windows as with `Rfc9260`, but slow start adds all bytes that a SACK acknowledges, up to
    /// eight packets (RFC 9260 §7.2.1 with L = 8, which RFC 9406 sets for TCP without pacing). A
    /// receiver that reads whole trains of packets at once (GRO) sends one SACK per train; with L =
    /// 1 the window would then grow by one packet per round trip instead of doubling.
    SlowStartL8,
    /// Initial window as with `Rfc6928`, slow start as with `SlowStartL8`; the first slow start
    /// ends when round trips grow, before a loss occurs (HyStart++, RFC 9406).
    HyStart,
}

/// Bytes of a DATA chunk before its user data.
const DATA_HEADER: u64 = Data::HEADER_LEN as u64;

impl WindowRules {
    /// The initial window in bytes: `initial`, bounded by multiples of `pmdcs` (RFC 9260 §7.2.1).
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

    /// The most that slow start adds per SACK, bytes.
    pub(crate) const fn largest_step(self, pmdcs: u64) -> u64 {
        match self {
            Self::Rfc9260 | Self::Rfc2960 | Self::Rfc6928 => pmdcs,
            Self::SlowStartL8 | Self::HyStart => 8 * pmdcs,
        }
    }

    /// The minimum threshold, which is also the minimum window of an idle path, bytes.
    pub(crate) const fn least(self, pmdcs: u64) -> u64 {
        match self {
            Self::Rfc9260 | Self::Rfc6928 | Self::SlowStartL8 | Self::HyStart => 4 * pmdcs,
            Self::Rfc2960 => 2 * pmdcs,
        }
    }

    /// Whether growing round trips end the first slow start.
    pub(crate) const fn watches_slow_start(self) -> bool {
        matches!(self, Self::HyStart)
    }
}

/// When [`EarlyDecrease`](crate::EarlyDecrease) considers a path congested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DecreaseTrigger {
    /// From an unanswered heartbeat until a heartbeat is answered or nothing is outstanding, as the
    /// paper's prose says.
    Heartbeat,
    /// At each SACK after which data is still outstanding, as the paper's pseudo-code says.
    Always,
}
