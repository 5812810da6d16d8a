//! The end of a test in which nothing arrives any more.

use std::time::{Duration, Instant};

use super::report::Recorder;

/// Longest time between two looks.
const LOOK: Duration = Duration::from_millis(500);

/// Watches what arrives, as iperf3's --rcv-timeout has it.
pub struct Idle {
    limit: Duration,
    received: u64,
    since: Instant,
}

impl Idle {
    /// A watch that begins now.
    pub fn new(limit: Duration) -> Self {
        Self {
            limit,
            received: 0,
            since: Instant::now(),
        }
    }

    /// The latest time for the next look.
    pub fn next_look(&self) -> Instant {
        Instant::now() + LOOK.min(self.limit / 4)
    }

    /// Looks at what has arrived.
    ///
    /// # Errors
    /// Nothing has arrived for the whole time.
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
