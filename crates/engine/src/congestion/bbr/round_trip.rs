use core::time::Duration;

use crate::Time;

/// `BBR.MinRTTFilterLen`.
const REMEMBERED: Duration = Duration::from_secs(10);
/// `BBR.ProbeRTTInterval`.
const PROBED_EVERY: Duration = Duration::from_secs(5);

/// The least round trip lately, and when it is time to look for a new one (§5.3.4.3).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LeastRoundTrip {
    /// `BBR.min_rtt`, and when it was measured.
    least: Option<(Duration, Time)>,
    /// `BBR.probe_rtt_min_delay`, and when it was measured.
    recent: Option<(Duration, Time)>,
    /// The smoothed one, which heartbeats measure, too: better than none.
    smoothed: Option<Duration>,
}

/// The age of the recent least round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Age {
    Fresh,
    /// So old that it is time to look for it.
    Expired,
}

impl LeastRoundTrip {
    pub(super) fn least(&self) -> Option<Duration> {
        self.least.map(|(least, _)| least).or(self.smoothed)
    }

    /// `UpdateMinRTT`. How old the recent one was.
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

    /// Notes the end of a probe; the next one is a while away.
    pub(super) fn on_probed(&mut self, now: Time) {
        if let Some((_, at)) = &mut self.recent {
            *at = now;
        }
    }
}
