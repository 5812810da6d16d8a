//! Ends a test in which no data arrives.

use std::time::{Duration, Instant};

use super::report::Recorder;

/// Longest interval between two checks.
const LOOK: Duration = Duration::from_millis(500);

/// Watches the received bytes, for --rcv-timeout.
pub struct Idle {
    limit: Duration,
    received: u64,
    since: Instant,
}

impl Idle {
    /// Starts watching.
    pub fn new(limit: Duration) -> Self {
        Self {
            limit,
            received: 0,
            since: Instant::now(),
        }
    }

    /// The time of the next check.
    pub fn next_look(&self) -> Instant {
        Instant::now() + LOOK.min(self.limit / 4)
    }

    /// Checks the received bytes.
    /// Errors: no data has arrived for the whole time limit.
    pub fn check(&mut self, recorder: &Recorder) -> Result<(), String> {
        match recorder.received() {
            Some(received) if received == self.received && self.since.elapsed() >= self.limit => {
                let limit = self.limit.as_millis();
                Err(format!(
                    "no data has arrived for {limit} ms (--rcv-timeout)"
                ))
            }
            Some(received) if received == self.received => Ok(()),
            received => {
                self.received = received.unwrap_or(0);
                self.since = Instant::now();
                Ok(())
            }
        }
    }
}
