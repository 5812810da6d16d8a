//! The driver: what connects the engine with the sockets, the clock and the application.
//!
//! One lock guards the engine, and whoever holds it may do what is to be done. The endpoint's own
//! threads are its [`crew`](crate::crew): one of them looks out, at the sockets and for the timers.
//! While it sleeps, an application's thread that sends a message puts it on the network itself: a
//! message out costs no thread switch, a message in costs one. While it is awake, or when one
//! message follows the other closely, the crew sends alone: it makes full packets and long trains of
//! what has come together, and packets that leave from one processor keep their order.
//!
//! The lock is free during system calls, and while checksums are verified and written. The right to
//! send passes with the buffer ([`Output`]): one thread sends at a time, and it sends what others
//! produce meanwhile, so nothing is left lying. Nobody sends more than a few trains before the
//! packets that came in meanwhile are looked at.
//!
//! The lookout is only alerted, through a pipe, when there is something to send or a deadline moved
//! before the time until which it sleeps. While there is traffic it sleeps at most 10 ms, so that
//! timers that start with each message (which are all farther away) do not cause an alert each.

use std::io::{self, PipeReader, PipeWriter, Write};
use std::mem;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use sheave_engine::{Checksum, Endpoint, Node, Time};

use crate::carrier::{Carrier, Sent};
use crate::clock::Clock;
use crate::crew::Lookout;
use crate::siblings::Siblings;
use crate::state::{Life, Output, Rest, State};
use crate::{BindError, Config};

/// Trains that an application's thread sends before it leaves the rest to the driver.
const APPLICATION_TRAINS: usize = 2;
/// A train that finds no room in the kernel for this long is lost, so that a stuck interface
/// cannot hold up the other paths.
pub(crate) const BLOCKED_AT_MOST: Duration = Duration::from_millis(20);

/// Messages that follow each other within this time are a stream.
const STREAM_GAP: Duration = Duration::from_micros(20);

/// What an application's thread did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// It sent a message.
    Send,
    /// Something else.
    Other,
}

/// What the threads of an endpoint share.
pub(crate) struct Shared {
    pub(crate) carrier: Carrier,
    pub(crate) clock: Clock,
    pub(crate) siblings: Siblings,
    pub(crate) checksum: Checksum,
    state: Mutex<State>,
    alert: PipeWriter,
    /// Where the lookout hears of an alert.
    pub(crate) alerts: PipeReader,
    pub(crate) lookout: Mutex<Lookout>,
    /// Threads of the endpoint.
    pub(crate) workers: usize,
    pub(crate) busy_poll: Duration,
    filtered: AtomicU64,
}

/// Whether more can be sent at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    Nothing,
    Trains,
}

impl Shared {
    /// Binds the sockets.
    pub(crate) fn bind(config: &Config) -> Result<Self, BindError> {
        let carrier = Carrier::bind(config)?;
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|error| BindError::System {
            what: "read the system's random source",
            error: io::Error::other(error),
        })?;
        let system = |error| BindError::System {
            what: "make a pipe",
            error,
        };
        let (reader, alert) = io::pipe().map_err(system)?;
        rustix::io::ioctl_fionbio(&reader, true).map_err(|error| system(error.into()))?;
        rustix::io::ioctl_fionbio(&alert, true).map_err(|error| system(error.into()))?;
        let engine = Endpoint::new(carrier.addresses().to_vec(), config.endpoint.clone(), seed);
        Ok(Self {
            carrier,
            clock: Clock::start(),
            siblings: Siblings::new(config.endpoint.shard),
            checksum: config.endpoint.checksum,
            state: Mutex::new(State::new(engine, config.backlog)),
            alert,
            alerts: reader,
            lookout: Mutex::new(Lookout::new()),
            workers: config.workers.get(),
            busy_poll: config.busy_poll,
            filtered: AtomicU64::new(0),
        })
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        // A panic under the lock ends the driver's thread, which ends every association; the
        // state itself is always fit to be read.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does `act` on the state and what follows from it: events, packets, timers, wake-ups.
    pub(crate) fn act<R>(&self, act: impl FnOnce(&mut State, Time) -> R) -> R {
        let now = self.clock.now();
        let mut state = self.lock();
        let outcome = act(&mut state, now);
        self.settle_for_application(state, now, Act::Other);
        outcome
    }

    /// Opens another socket, which the lookout looks at from its next turn on.
    pub(crate) fn add_address(&self, ip: IpAddr) -> Result<(), BindError> {
        self.carrier.add(ip)?;
        self.act(|state, _| {
            state.engine.add_local_address(ip);
            if self.carrier.udp_port().is_none() {
                self.carrier.set_ports(&state.ports);
            }
        });
        self.alert();
        Ok(())
    }

    /// The rest of an application's call.
    pub(crate) fn settle_for_application(&self, state: MutexGuard<'_, State>, now: Time, act: Act) {
        if state.gathering.owes_answers() {
            // The crew is awake and does all of it in a moment.
            return;
        }
        // Whoever sends one message after the other is better served by the driver, which makes
        // full packets and long trains of what has come together when it wakes up.
        let streaming = now.since(state.sent_at) < STREAM_GAP && act == Act::Send;
        let trains = match state.lookout {
            Rest::Awake => 0,
            Rest::Until(_) if streaming => 0,
            Rest::Until(_) => APPLICATION_TRAINS,
        };
        let (state, left) = self.settle(state, now, trains);
        self.leave(state, left);
    }

    /// Lets go of the state: wakes who waits, and the lookout if it is to do more.
    pub(crate) fn leave(&self, mut state: MutexGuard<'_, State>, left: Left) {
        let must_alert = match state.lookout {
            Rest::Awake => false,
            Rest::Until(rest) => {
                left == Left::Trains
                    || state.engine.poll_timeout().is_some_and(|next| next < rest)
                    || matches!(state.life, Life::Closing(_))
            }
        };
        if must_alert {
            state.lookout = Rest::Awake;
        }
        let awake = mem::take(&mut state.awake);
        drop(state);
        awake.into_iter().for_each(Waker::wake);
        if must_alert {
            self.alert();
        }
    }

    /// Wakes the lookout.
    pub(crate) fn alert(&self) {
        // A full pipe wakes it as well.
        let _ = (&self.alert).write(&[0]);
    }

    /// Hands out events and sends at most `trains` trains, unless another thread is sending.
    pub(crate) fn settle<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        now: Time,
        trains: usize,
    ) -> (MutexGuard<'a, State>, Left) {
        state.gathering.on_answered();
        state.dispatch_events(now);
        self.admit_ports(&state);
        let mut train = match mem::replace(&mut state.output, Output::Busy) {
            Output::Idle(train) => train,
            other => {
                state.output = other;
                return (state, Left::Nothing);
            }
        };
        let max_segments = self.carrier.max_segments();
        for _ in 0..trains {
            let Some(unsealed) = state.engine.poll_unsealed(now, &mut train, max_segments) else {
                state.output = Output::Idle(train);
                state.dispatch_events(now);
                return (state, Left::Nothing);
            };
            state.dispatch_events(now);
            state.sent_at = now;
            drop(state);
            let transmit = unsealed.seal(&mut train);
            let sent = self.carrier.send(&transmit, &train);
            state = self.lock();
            self.heed(&mut state, now);
            if let Sent::Blocked { sent } = sent {
                state.output = Output::Blocked {
                    transmit,
                    train,
                    sent,
                    since: now,
                };
                return (state, Left::Trains);
            }
        }
        state.output = Output::Idle(train);
        (state, Left::Trains)
    }

    /// Tells the engine what was said of packets that were sent.
    #[inline]
    pub(crate) fn heed(&self, state: &mut State, now: Time) {
        for heard in self.carrier.take_complaints() {
            state.engine.handle_icmp(now, heard.icmp());
        }
    }

    /// Brings the raw sockets' filter up to date before a packet leaves from a new port.
    fn admit_ports(&self, state: &State) {
        if self.carrier.udp_port().is_none() {
            let revision = state.ports.revision();
            if self.filtered.swap(revision, Ordering::Relaxed) != revision {
                self.carrier.set_ports(&state.ports);
            }
        }
    }
}

impl Shared {
    /// Goes on with a train that found a socket's buffer full.
    pub(crate) fn resume<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        now: Time,
    ) -> MutexGuard<'a, State> {
        let output = mem::replace(&mut state.output, Output::Busy);
        let Output::Blocked {
            transmit,
            train,
            sent: before,
            since,
        } = output
        else {
            state.output = output;
            return state;
        };
        drop(state);
        let rest = train.get(before..).unwrap_or_default();
        let sent = self.carrier.send(&transmit, rest);
        let mut state = self.lock();
        state.output = match sent {
            Sent::Done => Output::Idle(train),
            Sent::Blocked { .. } if now.since(since) >= BLOCKED_AT_MOST => {
                let segment = transmit.segment_size.unwrap_or(rest.len()).max(1);
                self.carrier.lose(rest.len().div_ceil(segment));
                Output::Idle(train)
            }
            Sent::Blocked { sent } => Output::Blocked {
                transmit,
                train,
                sent: before + sent,
                since,
            },
        };
        state
    }

    /// The last act: aborts what did not finish and tells everyone who waits.
    pub(crate) fn close<'a>(&'a self, mut state: MutexGuard<'a, State>, now: Time) {
        let aborted = state.abort_all(now);
        let (mut state, _) = self.settle(state, now, usize::MAX);
        state.finish(aborted);
        let awake = mem::take(&mut state.awake);
        drop(state);
        awake.into_iter().for_each(Waker::wake);
    }
}
