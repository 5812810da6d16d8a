use alloc::boxed::Box;
use core::time::Duration;

use crate::congestion::{CongestionControl, Rate};
use crate::{Options, Pacing, Time};

/// Duration of a burst.
const BURST: Duration = Duration::from_millis(1);
/// Minimum packets of a burst.
const LEAST_BURST: u64 = 2;
/// Largest delay of the driver's wakeup that costs no rate (our choice): a busy machine may let a
/// process wait for some milliseconds.
const LATENESS: Duration = Duration::from_millis(10);

/// Token bucket of one path, in bytes.
#[derive(Clone, Debug)]
pub(crate) struct Pacer {
    tokens: u64,
    filled_at: Time,
    /// Time until which nothing leaves after the bucket ran empty.
    closed_until: Option<Time>,
    opening: Opening,
    scope: Scope,
}

/// The last refill of the bucket after it ran empty.
#[derive(Clone, Copy, Debug, Default)]
struct Opening {
    /// Time at which the rate allowed it.
    due: Time,
    /// Time at which the driver called.
    at: Time,
}

impl Opening {
    /// Time from which the wait of a bucket that runs empty now counts. Compensates for a late
    /// driver call by up to `LATENESS`, unless there was little to send at that call.
    fn start(self, now: Time) -> Time {
        let since = now.since(self.at);
        if since >= BURST {
            return now;
        }
        let late = self.at.since(self.due);
        self.due + late.saturating_sub(LATENESS) + since
    }
}

/// The data that the pacer delays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    NewData,
    /// New data and retransmissions.
    All,
}

impl Pacer {
    pub(crate) fn chosen(options: &Options) -> Option<Box<Self>> {
        let scope = match options.pacing {
            _ if options.congestion.goes_by_rates() => Scope::All,
            Pacing::On => Scope::NewData,
            Pacing::Off => return None,
        };
        Some(Box::new(Self {
            tokens: u64::MAX,
            filled_at: Time::ZERO,
            closed_until: None,
            opening: Opening::default(),
            scope,
        }))
    }

    /// Whether retransmissions bypass the pacer.
    pub(crate) fn lets_all_repeats(&self) -> bool {
        self.scope == Scope::NewData
    }

    /// Whether retransmissions may leave now.
    pub(crate) fn lets_repeats(&self) -> bool {
        self.lets_all_repeats() || self.is_open()
    }

    pub(crate) const fn is_open(&self) -> bool {
        self.closed_until.is_none()
    }

    /// Time at which the pacer opens, if closed.
    pub(crate) const fn opens_at(&self) -> Option<Time> {
        self.closed_until
    }

    /// Updates the bucket to `now`; `pace` is `None` before the first round trip.
    pub(crate) fn on_time(&mut self, now: Time, pace: Option<&Pace>) {
        let Some(pace) = pace else {
            (self.tokens, self.closed_until) = (u64::MAX, None);
            return;
        };
        let burst = pace.burst();
        let earned = pace.bytes_in(now.since(self.filled_at));
        match self.closed_until {
            Some(until) if until <= now => self.open(until, now, burst),
            _ => {
                self.tokens = self.tokens.saturating_add(earned).min(burst);
                self.filled_at = now;
            }
        }
    }

    pub(crate) fn on_sent(&mut self, now: Time, bytes: u64, pace: Option<&Pace>) {
        let Some(pace) = pace else { return };
        let debt = bytes.saturating_sub(self.tokens);
        self.tokens = self.tokens.saturating_sub(bytes);
        if self.tokens == 0 {
            let start = self.opening.start(now);
            let until = start + pace.time_for(pace.burst().saturating_add(debt));
            if until > now {
                self.closed_until = Some(until);
            } else {
                self.open(until, now, pace.burst());
            }
        }
    }

    /// Refills the bucket, which was due at `due`.
    fn open(&mut self, due: Time, now: Time, burst: u64) {
        self.opening = Opening { due, at: now };
        (self.tokens, self.filled_at, self.closed_until) = (burst, now, None);
    }
}

/// The sending rate of a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    rate: Rate,
    pmdcs: u64,
}

impl Pace {
    /// The rate of a path; `None` before its first round trip.
    pub(crate) fn of(
        congestion: &dyn CongestionControl,
        srtt: Option<Duration>,
        pmdcs: u64,
    ) -> Option<Self> {
        let srtt = srtt?;
        let rate = match congestion.pacing() {
            // Our choice: at least a burst of two packets per round trip. A lower rate, measured on
            // short messages, would delay the next message for many round trips.
            Some(rate) => Rate::of(LEAST_BURST * pmdcs, srtt).map_or(rate, |least| rate.max(least)),
            None => {
                let nanos = u64::try_from(srtt.as_nanos()).ok()?.max(1);
                // A window smaller than a packet still allows one.
                let cwnd = congestion.cwnd().max(pmdcs);
                let quarters = if cwnd < congestion.ssthresh() { 8 } else { 5 };
                let rate = u128::from(cwnd) * quarters * 1_000_000_000 / (4 * u128::from(nanos));
                Rate {
                    bytes_per_second: u64::try_from(rate).unwrap_or(u64::MAX),
                }
            }
        };
        let bytes_per_second = rate.bytes_per_second.max(1);
        Some(Self {
            rate: Rate { bytes_per_second },
            pmdcs,
        })
    }

    fn burst(&self) -> u64 {
        self.bytes_in(BURST).max(LEAST_BURST * self.pmdcs)
    }

    fn bytes_in(&self, time: Duration) -> u64 {
        self.rate.bytes_in(time)
    }

    fn time_for(&self, bytes: u64) -> Duration {
        let nanos = u128::from(bytes) * 1_000_000_000 / u128::from(self.rate.bytes_per_second);
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests;
