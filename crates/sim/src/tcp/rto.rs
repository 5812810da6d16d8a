use core::time::Duration;

use sheave_engine::Time;

use super::Options;

/// The granularity of timers (G of RFC 6298 §2).
const GRANULARITY: Duration = Duration::from_millis(1);
/// Minimum timeout for data after the SYN was retransmitted (RFC 6298 §5.7).
const AFTER_LOST_SYN: Duration = Duration::from_secs(3);

/// The retransmission timeout of a connection (RFC 6298).
///
/// A single segment is timed at a time, and never one that may have been retransmitted (Karn, §3).
#[derive(Clone, Debug)]
pub(crate) struct Rto {
    srtt: Option<Duration>,
    rttvar: Duration,
    rto: Duration,
    min: Duration,
    max: Duration,
    timed: Option<Timed>,
}

/// The segment being timed.
#[derive(Clone, Copy, Debug)]
struct Timed {
    end: u64,
    sent: Time,
}

impl Rto {
    /// RFC 6298 §2.1
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            srtt: None,
            rttvar: Duration::ZERO,
            rto: options.rto_initial,
            min: options.rto_min,
            max: options.rto_max,
            timed: None,
        }
    }

    /// Records that new data up to `end` was sent.
    pub(crate) fn on_sent(&mut self, now: Time, end: u64) {
        self.timed.get_or_insert(Timed { end, sent: now });
    }

    /// Records a retransmission, which stops the current timing.
    pub(crate) fn on_retransmit(&mut self) {
        self.timed = None;
    }

    /// Handles acknowledgement of everything below `una`; returns the measured round trip, if any.
    pub(crate) fn on_ack(&mut self, now: Time, una: u64) -> Option<Duration> {
        let timed = self.timed.filter(|timed| timed.end <= una)?;
        self.timed = None;
        let rtt = now.since(timed.sent);
        self.measure(rtt);
        Some(rtt)
    }

    // RFC 6298 §2.2 and §2.3: RTTVAR first, from the old SRTT.
    fn measure(&mut self, rtt: Duration) {
        let srtt = match self.srtt {
            None => {
                self.rttvar = rtt / 2;
                rtt
            }
            Some(srtt) => {
                self.rttvar = (self.rttvar * 3 + srtt.abs_diff(rtt)) / 4;
                (srtt * 7 + rtt) / 8
            }
        };
        self.srtt = Some(srtt);
        let rto = srtt + GRANULARITY.max(self.rttvar * 4);
        self.rto = rto.max(self.min).min(self.max);
    }

    /// Backs off after the timer expired (RFC 6298 §5.5).
    pub(crate) fn back_off(&mut self) {
        self.rto = (self.rto * 2).min(self.max);
        self.timed = None;
    }

    /// Handles the answer to a retransmitted SYN (RFC 6298 §5.7).
    pub(crate) fn after_lost_syn(&mut self) {
        self.rto = AFTER_LOST_SYN.max(self.min).min(self.max);
    }

    /// The current timeout.
    pub(crate) const fn rto(&self) -> Duration {
        self.rto
    }

    /// The smoothed round trip, once measured.
    pub(crate) const fn srtt(&self) -> Option<Duration> {
        self.srtt
    }
}

#[cfg(test)]
mod tests;
