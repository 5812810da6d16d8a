use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use sheave::stats::PathState;
use sheave::{Association, CloseReason, Config, Endpoint, Message, Options, StreamId, Target};

use super::cut::{Cut, Direction};
use crate::bench::network::Network;
use crate::failure::{Failure, While};
use crate::interrupt::Interrupts;

/// The SCTP port of the far end.
const PORT: u16 = 7;
/// Longest time for the set-up, with a proof of both paths.
const SET_UP: Duration = Duration::from_secs(20);
/// Least time for which delivery is watched after a cut.
const WATCHED: Duration = Duration::from_millis(1200);
/// Delivery goes on if the last was so lately.
const LATELY: Duration = Duration::from_millis(100);
/// Delivery that stands still for so long does not go on.
const GIVEN_UP: Duration = Duration::from_secs(90);
/// Bytes of a message in bulk.
const BULK: usize = 8192;
/// Bytes of a request, and of the answer.
const REQUEST: usize = 200;

/// The data that flows while a link is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traffic {
    /// Bulk data, from the near end to the far one.
    Bulk,
    /// A request and its answer, one after the other.
    Requests,
}

/// An association and a cut.
pub struct Trial {
    pub options: Options,
    pub traffic: Traffic,
    /// Time for which data flows before the cut.
    pub before: Duration,
    pub link: usize,
    pub direction: Direction,
}

/// The end of a trial.
pub enum Outcome {
    /// Delivery went on; the longest time without.
    Resumed { gap: Duration },
    /// The association ended, or delivery never went on, though a path lived.
    Lost { why: String },
}

/// When things were delivered.
struct Deliveries(Mutex<Watch>);

struct Watch {
    last: Instant,
    longest: Duration,
}

/// Two endpoints with an association between them.
struct Pair {
    near: Association,
    far: Association,
    _endpoints: [Endpoint; 2],
}

impl Traffic {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bulk => "bulk",
            Self::Requests => "request/response",
        }
    }
}

impl Deliveries {
    fn new() -> Self {
        Self(Mutex::new(Watch {
            last: Instant::now(),
            longest: Duration::ZERO,
        }))
    }

    fn note(&self) {
        let mut watch = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        watch.longest = watch.longest.max(now - watch.last);
        watch.last = now;
    }

    /// Begins to look for the longest gap.
    fn begin(&self) {
        let mut watch = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        watch.longest = Duration::ZERO;
    }

    /// The longest gap so far, and how long ago the last delivery was.
    fn so_far(&self) -> (Duration, Duration) {
        let watch = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let since = watch.last.elapsed();
        (watch.longest.max(since), since)
    }
}

impl Trial {
    /// Carries it out; `None` if Ctrl-C came meanwhile.
    pub fn run(
        &self,
        network: &Network,
        interrupts: &Interrupts,
    ) -> Result<Option<Outcome>, Failure> {
        let pair = self.connect(network)?;
        let (deliveries, over) = (Deliveries::new(), AtomicBool::new(false));
        thread::scope(|scope| {
            scope.spawn(|| self.send(&pair, &deliveries, &over));
            scope.spawn(|| self.serve(&pair, &deliveries));
            let outcome = self.watch(network, &pair, &deliveries, interrupts);
            over.store(true, Ordering::Relaxed);
            pair.near.abort("the trial is over");
            pair.far.abort("the trial is over");
            outcome
        })
    }

    fn connect(&self, network: &Network) -> Result<Pair, Failure> {
        let bind = |ips| {
            Endpoint::bind(Config {
                linger: Duration::from_millis(100),
                ..Config::udp(ips, 0)
            })
        };
        let near = network.near.perform(|| bind(network.near_addresses()));
        let far = network.far.perform(|| bind(network.far_addresses()));
        let near = near.while_doing("near end")?.while_doing("near end")?;
        let far = far.while_doing("far end")?.while_doing("far end")?;
        let listener = far.listen(PORT, self.options.clone());
        let listener = listener.while_doing("far end")?;
        let target = Target::over_udp(network.far_addresses(), far.udp_port().unwrap_or(0), PORT);
        let target = target.with_options(self.options.clone());
        let one = near.connect_timeout(target, SET_UP);
        let one = one.while_doing("cannot connect")?;
        let other = listener.accept_timeout(SET_UP);
        let other = other.ok_or_else(|| Failure::new("nobody came"))?;
        for association in [&one, &other] {
            prove(association)?;
        }
        Ok(Pair {
            near: one,
            far: other,
            _endpoints: [near, far],
        })
    }

    /// The near end: sends until it is over.
    fn send(&self, pair: &Pair, deliveries: &Deliveries, over: &AtomicBool) {
        let (size, answered) = match self.traffic {
            Traffic::Bulk => (BULK, false),
            Traffic::Requests => (REQUEST, true),
        };
        let payload = sheave::Bytes::from(vec![7; size]);
        while !over.load(Ordering::Relaxed) {
            let message = Message::new(StreamId(0), payload.clone());
            if pair.near.send(message).is_err() {
                return;
            }
            if answered {
                match pair.near.receive() {
                    Ok(Some(_)) => deliveries.note(),
                    Ok(None) | Err(_) => return,
                }
            }
        }
    }

    /// The far end: takes what comes, and answers requests.
    fn serve(&self, pair: &Pair, deliveries: &Deliveries) {
        while let Ok(Some(received)) = pair.far.receive() {
            match self.traffic {
                Traffic::Bulk => deliveries.note(),
                Traffic::Requests => {
                    if pair.far.send(received.message).is_err() {
                        return;
                    }
                }
            }
        }
    }

    /// Cuts the link, and watches what becomes of delivery.
    fn watch(
        &self,
        network: &Network,
        pair: &Pair,
        deliveries: &Deliveries,
        interrupts: &Interrupts,
    ) -> Result<Option<Outcome>, Failure> {
        thread::sleep(self.before);
        deliveries.begin();
        let cut = Cut::new(network, self.link, self.direction);
        let cut = cut.while_doing("cannot cut a link")?;
        let outcome = outcome(pair, deliveries, interrupts);
        drop(cut);
        Ok(outcome)
    }
}

/// Waits for the end of a trial whose link has just been cut; `None` if Ctrl-C came.
fn outcome(pair: &Pair, deliveries: &Deliveries, interrupts: &Interrupts) -> Option<Outcome> {
    let began = Instant::now();
    loop {
        thread::sleep(Duration::from_millis(5));
        for (end, association) in [("near", &pair.near), ("far", &pair.far)] {
            if let Some(reason) = association.close_reason() {
                return Some(lost(end, &reason, began));
            }
        }
        let (gap, since) = deliveries.so_far();
        if began.elapsed() >= WATCHED && since < LATELY {
            return Some(Outcome::Resumed { gap });
        }
        if since >= GIVEN_UP {
            let why = format!("nothing was delivered for {} s", since.as_secs());
            return Some(Outcome::Lost { why });
        }
        if interrupts.exit().is_some() {
            return None;
        }
    }
}

fn lost(end: &str, reason: &CloseReason, began: Instant) -> Outcome {
    let after = began.elapsed().as_secs_f64();
    let why = format!("{end} end, {after:.1} s after the cut: {reason:?}");
    Outcome::Lost { why }
}

/// Waits until both paths of an association have proved to carry packets.
fn prove(association: &Association) -> Result<(), Failure> {
    let deadline = Instant::now() + SET_UP;
    loop {
        let paths = association.path_stats();
        if paths.len() == 2 && paths.iter().all(|path| path.state == PathState::Active) {
            return Ok(());
        }
        if Instant::now() >= deadline {
            return Err(Failure::new("a path that nobody cut carries nothing"));
        }
        thread::sleep(Duration::from_millis(2));
    }
}
