use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::cut::Cut;
use crate::bench::network::Network;
use crate::failure::{Failure, While};
use crate::interrupt::Interrupts;

/// Minimum observation time after a cut.
const WATCHED: Duration = Duration::from_millis(1200);
/// Delivery counts as resumed if the last one is at most this old.
const LATELY: Duration = Duration::from_millis(100);
/// Time without delivery after which a connection counts as lost.
pub const GIVEN_UP: Duration = Duration::from_secs(10);

/// Traffic from the near to the far end during a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traffic {
    /// Messages of 8192 bytes, as fast as possible.
    Bulk,
    /// A 64-byte message every 10 ms.
    Paced,
}

/// A connection over two links.
pub trait Flow: Sync {
    /// Sends a message from the near end, waiting for buffer space.
    fn send(&self, message: &[u8]) -> io::Result<()>;

    /// Receives the next message, of `bytes` bytes, at the far end.
    fn receive(&self, bytes: usize) -> io::Result<()>;

    /// Round-trip time under load, if the connection reports it.
    fn round_trip(&self) -> Option<Duration> {
        None
    }

    /// Ends the connection at both ends; `send` and `receive` return.
    fn close(&self);
}

/// A trial: a cut during a transfer.
pub struct Trial {
    pub traffic: Traffic,
    /// Transfer time before the cut.
    pub before: Duration,
    pub link: usize,
    pub cut: Cut,
}

/// Outcome of a trial.
pub enum Outcome {
    /// Delivery resumed.
    Resumed {
        /// Longest time without a delivery.
        gap: Duration,
        /// Round-trip time just before the cut.
        round_trip: Option<Duration>,
    },
    /// The connection ended, or delivery did not resume within [`GIVEN_UP`], although one path
    /// worked.
    Lost { why: String },
}

/// When messages were delivered.
struct Deliveries(Mutex<Watch>);

struct Watch {
    last: Instant,
    longest: Duration,
    /// The reason why no more deliveries can come.
    over: Option<String>,
}

impl Traffic {
    pub const ALL: [Self; 2] = [Self::Bulk, Self::Paced];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Bulk => "bulk",
            Self::Paced => "64 B/10 ms",
        }
    }

    const fn bytes(self) -> usize {
        match self {
            Self::Bulk => 8192,
            Self::Paced => 64,
        }
    }

    const fn interval(self) -> Duration {
        match self {
            Self::Bulk => Duration::ZERO,
            Self::Paced => Duration::from_millis(10),
        }
    }

    /// Sends until `over` is set.
    fn send(self, flow: &dyn Flow, over: &AtomicBool) -> io::Result<()> {
        let message = vec![7; self.bytes()];
        while !over.load(Ordering::Relaxed) {
            flow.send(&message)?;
            thread::sleep(self.interval());
        }
        Ok(())
    }
}

impl Deliveries {
    fn new() -> Self {
        Self(Mutex::new(Watch {
            last: Instant::now(),
            longest: Duration::ZERO,
            over: None,
        }))
    }

    fn with<T>(&self, work: impl FnOnce(&mut Watch) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn note(&self) {
        self.with(|watch| {
            let now = Instant::now();
            watch.longest = watch.longest.max(now - watch.last);
            watch.last = now;
        });
    }

    /// Outcome of a cut; `None` while undecided.
    fn outcome(&self, began: Instant, round_trip: Option<Duration>) -> Option<Outcome> {
        self.with(|watch| {
            let since = watch.last.elapsed();
            if let Some(why) = &watch.over {
                let after = began.elapsed().as_secs_f64();
                let why = format!("{after:.1} s after the cut: {why}");
                return Some(Outcome::Lost { why });
            }
            if began.elapsed() >= WATCHED && since < LATELY {
                return Some(Outcome::Resumed {
                    gap: watch.longest,
                    round_trip,
                });
            }
            let why = || format!("nothing was delivered for {} s", since.as_secs());
            (since >= GIVEN_UP).then(|| Outcome::Lost { why: why() })
        })
    }
}

impl Trial {
    /// Runs the trial; `None` if interrupted by Ctrl-C.
    pub fn run(
        &self,
        network: &Network,
        flow: &dyn Flow,
        interrupts: &Interrupts,
    ) -> Result<Option<Outcome>, Failure> {
        let (deliveries, over) = (Deliveries::new(), AtomicBool::new(false));
        let bytes = self.traffic.bytes();
        thread::scope(|scope| {
            scope.spawn(|| {
                if let Err(error) = self.traffic.send(flow, &over) {
                    deliveries.with(|watch| watch.over = Some(error.to_string()));
                }
            });
            scope.spawn(|| {
                loop {
                    match flow.receive(bytes) {
                        Ok(()) => deliveries.note(),
                        Err(error) => {
                            return deliveries.with(|watch| watch.over = Some(error.to_string()));
                        }
                    }
                }
            });
            let outcome = self.watch(network, flow, &deliveries, interrupts);
            over.store(true, Ordering::Relaxed);
            flow.close();
            outcome
        })
    }

    /// Cuts the link and observes delivery.
    fn watch(
        &self,
        network: &Network,
        flow: &dyn Flow,
        deliveries: &Deliveries,
        interrupts: &Interrupts,
    ) -> Result<Option<Outcome>, Failure> {
        thread::sleep(self.before);
        let round_trip = flow.round_trip();
        deliveries.with(|watch| watch.longest = Duration::ZERO);
        let wait = || {
            let began = Instant::now();
            loop {
                thread::sleep(Duration::from_millis(5));
                let outcome = deliveries.outcome(began, round_trip);
                if outcome.is_some() || interrupts.exit().is_some() {
                    return outcome;
                }
            }
        };
        let outcome = self.cut.during(network, self.link, wait);
        outcome.while_doing("cannot cut a link")
    }
}
