use core::time::Duration;

use crate::Time;

/// `BBR.MinRTTFilterLen`.
const REMEMBERED: Duration = Duration::from_secs(10);
/// `BBR.ProbeRTTInterval`.
const PROBED_EVERY: Duration = Duration::from_secs(5);

/// The recent least round trip, and when to measure it again (§5.3.4.3).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LeastRoundTrip {
    /// `BBR.min_rtt`, and its time of measurement.
    least: Option<(Duration, Time)>,
    /// `BBR.probe_rtt_min_delay`, and its time of measurement.
    recent: Option<(Duration, Time)>,
    /// The smoothed round trip, used before the first sample; heartbeats measure it, too.
    smoothed: Option<Duration>,
}

/// Age of the recent least round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Age {
    Fresh,
    /// The sample is old enough to measure again.
    Expired,
}

impl LeastRoundTrip {
    pub(super) fn least(&self) -> Option<Duration> {
        self.least.map(|(least, _)| least).or(self.smoothed)
    }

    /// `UpdateMinRTT`; returns the age of the recent sample.
    pub(super) fn on_sample(
        &mut self,
        now: Time,
        sample: Option<Duration>,
        smoothed: Option<Duration>,
    ) -> Age {
        self.smoothed = smoothed;
        let age = match self.recent {
            Some((_, at)) if now.since(at) > PROBED_EVERY => Age::Expired,
            _ => Age::Fresh,
        };
        if let Some(sample) = sample
            && (age == Age::Expired || self.recent.is_none_or(|(recent, _)| sample < recent))
        {
            self.recent = Some((sample, now));
        }
        let Some(recent) = self.recent else {
            return age;
        };
        let takes = self
            .least
            .is_none_or(|(least, at)| recent.0 < least || now.since(at) > REMEMBERED);
        if takes {
            self.least = Some(recent);
        }
        age
    }

    /// Records the end of a ProbeRTT, which postpones the next one.
    pub(super) fn on_probed(&mut self, now: Time) {
        if let Some((_, at)) = &mut self.recent {
            *at = now;
        }
    }
}
