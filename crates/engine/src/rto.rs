mod gains;
mod handover;

use core::num::NonZeroU64;
use core::time::Duration;

use self::gains::Gains;
use crate::Options;

/// Granularity of drivers' timers, nanoseconds; RFC 9260 §6.3.1 leaves G open.
const GRANULARITY: u64 = 1_000_000;

/// The retransmission timeout of one path (RFC 9260 §6.3.1), in nanoseconds.
///
/// The caller decides which packets may be measured (Karn's rule, once per round trip).
#[derive(Clone, Copy, Debug)]
pub(crate) struct RtoEstimator {
    /// `None` before the first measurement.
    srtt: Option<NonZeroU64>,
    rttvar: u64,
    rto: u64,
    gains: Gains,
}

impl RtoEstimator {
    /// Starts without a measurement, with a timeout of RTO.Initial (rule C1).
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            srtt: None,
            rttvar: 0,
            rto: nanos(options.rto_initial),
            gains: Gains::default(),
        }
    }

    /// Adds a round-trip measurement and undoes any back-off.
    pub(crate) fn on_sample(&mut self, rtt: Duration, options: &Options) {
        let rtt = nanos(rtt);
        let (srtt, rttvar) = match self.srtt {
            // Rule C2.
            None => (rtt, rtt / 2),
            // Rule C3: RTTVAR first, from the old SRTT.
            Some(srtt) => {
                let old = srtt.get();
                let surprise = old.abs_diff(rtt);
                let (alpha, beta) = self.gains.shifts(surprise, self.rttvar, options);
                (
                    approach(old, rtt, alpha),
                    approach(self.rttvar, surprise, beta),
                )
            }
        };
        self.srtt = Some(NonZeroU64::new(srtt).unwrap_or(NonZeroU64::MIN));
        self.rttvar = rttvar;
        self.rto = self.measured(options);
    }

    /// The timeout without back-off.
    pub(crate) fn fresh(&self, options: &Options) -> Duration {
        Duration::from_nanos(self.measured(options))
    }

    fn measured(&self, options: &Options) -> u64 {
        let Some(srtt) = self.srtt else {
            return nanos(options.rto_initial);
        };
        // Rule G1: with constant delay RTTVAR falls to 0, and an RTO equal to SRTT would expire on
        // the slightest timer jitter. RTTVAR itself is kept exact.
        let margin = self.rttvar.max(GRANULARITY).saturating_mul(4);
        within_bounds(srtt.get().saturating_add(margin), options)
    }

    /// A timer of this path expired: doubles the timeout, up to RTO.Max (rule E2 of §6.3.3).
    pub(crate) fn back_off(&mut self, options: &Options) {
        self.rto = within_bounds(self.rto.saturating_mul(2), options);
    }

    /// The current timeout.
    pub(crate) const fn rto(&self) -> Duration {
        Duration::from_nanos(self.rto)
    }

    /// The smoothed round-trip time; `None` before the first measurement.
    pub(crate) fn srtt(&self) -> Option<Duration> {
        self.srtt.map(|srtt| Duration::from_nanos(srtt.get()))
    }

    /// The round-trip time variation; `None` before the first measurement.
    pub(crate) fn rttvar(&self) -> Option<Duration> {
        self.srtt.map(|_| Duration::from_nanos(self.rttvar))
    }
}

/// `value` moved towards `target` by 1/2^`shift` of the difference.
fn approach(value: u64, target: u64, shift: u8) -> u64 {
    let step = value.abs_diff(target) >> shift.min(63);
    if target > value {
        value.saturating_add(step)
    } else {
        value.saturating_sub(step)
    }
}

/// Rules C6 and C7.
fn within_bounds(rto: u64, options: &Options) -> u64 {
    rto.max(nanos(options.rto_min)).min(nanos(options.rto_max))
}

fn nanos(span: Duration) -> u64 {
    u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
