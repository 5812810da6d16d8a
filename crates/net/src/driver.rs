//! The driver: what connects the engine with the sockets, the clock and the application.
//!
//! One lock guards the engine, and whoever holds it may do what is to be done. One thread per
//! endpoint waits at the sockets and for the timers, takes packets in, sends what they release,
//! and wakes whoever waits for their effect. While that thread sleeps, an application's thread
//! that sends a message puts it on the network itself: a message out costs no thread switch, a
//! message in costs one. While it is awake, or when one message follows the other closely, the
//! driver's thread sends alone: it makes full packets and long trains of what has come together,
//! and packets that leave from one processor keep their order.
//!
//! The lock is free during system calls. The right to send passes with the buffer
//! ([`Output`]): one thread sends at a time, and it sends what others produce meanwhile, so
//! nothing is left lying. Nobody sends more than a few trains before the packets that came in
//! meanwhile are looked at.
//!
//! The driver's thread is only alerted, through a pipe, when there is something to send or a
//! deadline moved before the time until which it sleeps. While there is traffic it sleeps at most
//! 10 ms, so that timers that start with each message (which are all farther away) do not cause an
//! alert each.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::mem;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use sheave_engine::{Checksum, Endpoint, Node, Time};

use crate::carrier::{Batch, Carrier, Sent};
use crate::clock::Clock;
use crate::siblings::Siblings;
use crate::state::{DriverRest, Life, Output, State};
use crate::{BindError, Config};

/// Trains that an application's thread sends before it leaves the rest to the driver.
const APPLICATION_TRAINS: usize = 2;
/// Trains that the driver sends before it looks for packets that came in.
const DRIVER_TRAINS: usize = 2;
/// Longest sleep while there is traffic.
const SHORT_NAP: Duration = Duration::from_millis(10);
/// Naps longer than this have no bound but the next deadline.
const LONG_NAP: Duration = Duration::from_secs(1);
/// A train that finds no room in the kernel for this long is lost, so that a stuck interface
/// cannot hold up the other paths.
const BLOCKED_AT_MOST: Duration = Duration::from_millis(20);

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
    checksum: Checksum,
    state: Mutex<State>,
    alert: PipeWriter,
    filtered: AtomicU64,
}

/// Whether more can be sent at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    Nothing,
    Trains,
}

impl Shared {
    /// Binds the sockets; returns the pipe's end that wakes the driver's thread.
    pub(crate) fn bind(config: &Config) -> Result<(Self, PipeReader), BindError> {
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
        let shared = Self {
            carrier,
            clock: Clock::start(),
            siblings: Siblings::new(config.endpoint.shard),
            checksum: config.endpoint.checksum,
            state: Mutex::new(State::new(engine, config.backlog)),
            alert,
            filtered: AtomicU64::new(0),
        };
        Ok((shared, reader))
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

    /// Opens another socket, which the driver's thread looks at from its next turn on.
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
        // Whoever sends one message after the other is better served by the driver, which makes
        // full packets and long trains of what has come together when it wakes up.
        let streaming = now.since(state.sent_at) < STREAM_GAP && act == Act::Send;
        let trains = match state.driver {
            DriverRest::Awake => 0,
            DriverRest::Until(_) if streaming => 0,
            DriverRest::Until(_) => APPLICATION_TRAINS,
        };
        let (mut state, left) = self.settle(state, now, trains);
        let must_alert = match state.driver {
            DriverRest::Awake => false,
            DriverRest::Until(rest) => {
                left == Left::Trains
                    || state.engine.poll_timeout().is_some_and(|next| next < rest)
                    || matches!(state.life, Life::Closing(_))
            }
        };
        if must_alert {
            state.driver = DriverRest::Awake;
        }
        let awake = mem::take(&mut state.awake);
        drop(state);
        awake.into_iter().for_each(Waker::wake);
        if must_alert {
            self.alert();
        }
    }

    /// Wakes the driver's thread.
    pub(crate) fn alert(&self) {
        // A full pipe wakes it as well.
        let _ = (&self.alert).write(&[0]);
    }

    /// Hands out events and sends at most `trains` trains, unless another thread is sending.
    fn settle<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        now: Time,
        trains: usize,
    ) -> (MutexGuard<'a, State>, Left) {
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
    fn heed(&self, state: &mut State, now: Time) {
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

/// The thread that waits at the sockets.
pub(crate) struct Driver {
    shared: Arc<Shared>,
    alert: PipeReader,
    batch: Batch,
    nap: Duration,
    busy_poll: Duration,
    /// When there was something last.
    quiet_since: Instant,
}

/// Ends every association should the driver's thread panic, so that nobody waits for ever.
struct Watchdog(Arc<Shared>);

impl Drop for Watchdog {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        if !matches!(state.life, Life::Closed { .. }) {
            state.finish(0);
        }
        let awake = mem::take(&mut state.awake);
        drop(state);
        awake.into_iter().for_each(Waker::wake);
    }
}

impl Driver {
    pub(crate) fn new(shared: Arc<Shared>, alert: PipeReader, busy_poll: Duration) -> Self {
        Self {
            shared,
            alert,
            batch: Batch::new(),
            nap: SHORT_NAP,
            busy_poll,
            quiet_since: Instant::now(),
        }
    }

    /// Works until the endpoint is closed.
    pub(crate) fn run(mut self) {
        let shared = Arc::clone(&self.shared);
        let _watchdog = Watchdog(Arc::clone(&shared));
        let alert = self.alert.try_clone();
        let Ok(alert) = alert else { return };
        let mut polled = Vec::with_capacity(4);
        while let Some(rest) = self.turn() {
            polled.clear();
            polled.push(PollFd::new(&alert, PollFlags::IN));
            for socket in shared.carrier.sockets() {
                polled.push(PollFd::new(socket, PollFlags::IN));
            }
            if let Some(blocked) = rest.blocked
                && let Some(socket) = shared.carrier.socket(blocked)
            {
                polled[blocked + 1] = PollFd::new(socket, PollFlags::IN | PollFlags::OUT);
            }
            let ready = self.wait(&mut polled, rest.span);
            self.shared.lock().driver = DriverRest::Awake;
            self.nap = match ready {
                0 if rest.span >= self.nap => self.nap.saturating_mul(2),
                0 => self.nap,
                _ => SHORT_NAP,
            };
            if ready == 0 {
                continue;
            }
            if !polled[0].revents().is_empty() {
                let mut bytes = [0; 64];
                let _ = self.alert.read(&mut bytes);
            }
            for (position, entry) in polled[1..].iter().enumerate() {
                if entry.revents().contains(PollFlags::ERR) {
                    self.hear(position);
                }
                if !entry.revents().is_empty() {
                    self.take_in(position);
                }
            }
        }
    }

    /// Waits for at most `span` and returns how many have something: first awake for as long as the
    /// user wants since there was something last, then asleep.
    fn wait(&mut self, polled: &mut [PollFd<'_>], span: Duration) -> usize {
        let mut left = span;
        if !self.busy_poll.is_zero() {
            let began = Instant::now();
            let vigil = self.busy_poll.saturating_sub(self.quiet_since.elapsed());
            while began.elapsed() < vigil.min(span) {
                let ready = poll(polled, Some(&timespec(Duration::ZERO))).unwrap_or(0);
                if ready > 0 {
                    self.quiet_since = Instant::now();
                    return ready;
                }
                std::hint::spin_loop();
            }
            left = span.saturating_sub(began.elapsed());
        }
        let ready = poll(polled, Some(&timespec(left))).unwrap_or(0);
        if ready > 0 {
            self.quiet_since = Instant::now();
        }
        ready
    }

    /// Takes in what is said of packets that a socket sent.
    fn hear(&self, position: usize) {
        self.shared.carrier.listen_for_complaints(position);
        let now = self.shared.clock.now();
        self.shared.heed(&mut self.shared.lock(), now);
    }

    /// Takes in what waits at a socket, batch by batch, and sends in between.
    fn take_in(&mut self, position: usize) {
        let shared = Arc::clone(&self.shared);
        // Other sockets and the timers get their turn too.
        for _ in 0..8 {
            if shared.carrier.receive(position, &mut self.batch).is_err() {
                return;
            }
            self.batch.verify(shared.checksum);
            let now = shared.clock.now();
            let mut state = shared.lock();
            self.digest(&mut state, now);
            let (mut state, _) = shared.settle(state, now, DRIVER_TRAINS);
            let awake = mem::take(&mut state.awake);
            drop(state);
            awake.into_iter().for_each(Waker::wake);
            if !self.batch.is_full() {
                return;
            }
        }
    }

    /// Gives the engine the packets that came in.
    fn digest(&self, state: &mut State, now: Time) {
        let raw = self.shared.carrier.udp_port().is_none();
        for (datagram, known) in self.batch.datagrams() {
            // A raw socket sees the packets of other stacks too, should its filter be wider than
            // our ports; those are not out of the blue but somebody else's.
            if raw && !destination_port(datagram.payload).is_some_and(|p| state.ports.contains(p)) {
                self.shared.carrier.count_foreign();
                continue;
            }
            match self.shared.siblings.sort(datagram) {
                Some(datagram) => state.engine.handle_verified(now, datagram, known),
                None => self.shared.carrier.count_misdirected(),
            }
        }
    }

    /// Runs timers, sends, and says how long to sleep; `None` when the endpoint is closed.
    fn turn(&mut self) -> Option<Rest> {
        let shared = Arc::clone(&self.shared);
        let now = shared.clock.now();
        let mut state = shared.lock();
        state.drop_old_ports(now);
        for stray in shared.siblings.take() {
            state.engine.handle_datagram(now, stray.datagram());
        }
        if state.engine.poll_timeout().is_some_and(|due| due <= now) {
            state.engine.handle_timeout(now);
        }
        let state = shared.resume(state, now);
        let (mut state, left) = shared.settle(state, now, DRIVER_TRAINS);
        if let Life::Closing(until) = state.life
            && (until <= now || state.engine.stats().associations == 0)
        {
            shared.close(state, now);
            return None;
        }
        let rest = self.rest(&state, now, left);
        state.driver = DriverRest::Until(now + rest.span);
        let awake = mem::take(&mut state.awake);
        drop(state);
        awake.into_iter().for_each(Waker::wake);
        Some(rest)
    }

    fn rest(&self, state: &State, now: Time, left: Left) -> Rest {
        let blocked = match &state.output {
            Output::Blocked { transmit, .. } => self.shared.carrier.position(transmit.local),
            Output::Idle(_) | Output::Busy => None,
        };
        let mut span = match self.nap {
            nap if nap > LONG_NAP => Duration::from_secs(3600),
            nap => nap,
        };
        if let Some(due) = state.engine.poll_timeout() {
            span = span.min(due.since(now));
        }
        if let Life::Closing(until) = state.life {
            span = span.min(until.since(now));
        }
        match (blocked, left) {
            (Some(_), _) => span = span.min(BLOCKED_AT_MOST),
            (None, Left::Trains) => span = Duration::ZERO,
            (None, Left::Nothing) => {}
        }
        Rest { span, blocked }
    }
}

/// How long the driver sleeps.
struct Rest {
    span: Duration,
    /// The socket whose send buffer is full.
    blocked: Option<usize>,
}

impl Shared {
    /// Goes on with a train that found a socket's buffer full.
    fn resume<'a>(&'a self, mut state: MutexGuard<'a, State>, now: Time) -> MutexGuard<'a, State> {
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

    /// The driver's last act: aborts what did not finish and tells everyone who waits.
    fn close<'a>(&'a self, mut state: MutexGuard<'a, State>, now: Time) {
        let aborted = state.abort_all(now);
        let (mut state, _) = self.settle(state, now, usize::MAX);
        state.finish(aborted);
        let awake = mem::take(&mut state.awake);
        drop(state);
        awake.into_iter().for_each(Waker::wake);
    }
}

/// The destination port of an SCTP packet.
fn destination_port(packet: &[u8]) -> Option<u16> {
    let bytes = packet.get(2..4)?;
    Some(u16::from_be_bytes(bytes.try_into().ok()?))
}

fn timespec(span: Duration) -> Timespec {
    Timespec {
        tv_sec: span.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: span.subsec_nanos().into(),
    }
}
