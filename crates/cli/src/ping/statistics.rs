//! Statistics of ping.

use std::time::Duration;

/// Counts of questions and answers, and round-trip times.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Questions sent.
    pub transmitted: u64,
    /// Answers in time.
    pub received: u64,
    /// Answers that report an error.
    pub errors: u64,
    sum: f64,
    sum_of_squares: f64,
    min: f64,
    max: f64,
}

/// Round-trip times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// The shortest.
    pub min: Duration,
    pub mean: Duration,
    /// The longest.
    pub max: Duration,
    /// Their standard deviation.
    pub deviation: Duration,
}

impl Statistics {
    /// Adds an answer with this round-trip time.
    pub fn add(&mut self, rtt: Duration) {
        let rtt = rtt.as_secs_f64();
        self.min = if self.received == 0 {
            rtt
        } else {
            self.min.min(rtt)
        };
        self.max = self.max.max(rtt);
        self.sum += rtt;
        self.sum_of_squares += rtt * rtt;
        self.received += 1;
    }

    /// Whether every question was answered.
    pub fn is_complete(&self) -> bool {
        self.received + self.errors >= self.transmitted
    }

    /// Percentage of unanswered questions, rounded as by ping.
    pub fn loss_percent(&self) -> u64 {
        let lost = self.transmitted.saturating_sub(self.received);
        (lost * 100).checked_div(self.transmitted).unwrap_or(0)
    }

    /// The round-trip times, if any answer arrived.
    pub fn times(&self) -> Option<Times> {
        if self.received == 0 {
            return None;
        }
        let count = self.received as f64;
        let mean = self.sum / count;
        let variance = (self.sum_of_squares / count - mean * mean).max(0.0);
        Some(Times {
            min: Duration::from_secs_f64(self.min),
            mean: Duration::from_secs_f64(mean),
            max: Duration::from_secs_f64(self.max),
            deviation: Duration::from_secs_f64(variance.sqrt()),
        })
    }
}

#[cfg(test)]
mod tests;
