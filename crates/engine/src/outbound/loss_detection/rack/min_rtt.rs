use core::time::Duration;

use crate::Time;

/// Half the time for which a minimum round trip may be kept; RFC 8985 §6.2, step 1, leaves it open.
const HALF_LIFE: Duration = Duration::from_secs(30);

/// The minimum round trip of the last 30 to 60 seconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MinRtt {
    since: Time,
    now: Option<Duration>,
    before: Option<Duration>,
}

impl MinRtt {
    pub(super) fn on_sample(&mut self, rtt: Duration, at: Time) {
        if at.since(self.since) >= HALF_LIFE {
            self.before = self.now.take();
            self.since = at;
        }
        self.now = Some(self.now.map_or(rtt, |least| least.min(rtt)));
    }

    pub(super) fn get(&self) -> Option<Duration> {
        match (self.now, self.before) {
            (Some(now), Some(before)) => Some(now.min(before)),
            (now, before) => now.or(before),
        }
    }
}

#[cfg(test)]
mod tests;
