//! The driver: what connects the engine with the sockets, the clock and the application.
//!
//! One lock guards the engine, and whoever holds it may do what is to be done. The endpoint's own
//! threads are its [`workers`](crate::workers): one of them polls the sockets and the timers.
//! While it sleeps, an application's thread that sends a message puts it on the network itself: a
//! message out costs no thread switch, a message in costs one. It costs none either for a thread that
//! answers and waits again: it [polls itself](crate::vacancy) while it waits. While the poller is awake,
//! or when one message follows the other closely, the workers alone send: they make full packets and
//! long trains of what has come together, and packets that leave from one processor keep their order.
//!
//! The lock is free during system calls, and while checksums are verified and written. The right to
//! send passes with the buffer ([`Output`]): one thread sends at a time, and it sends what others
//! produce meanwhile, so nothing is left lying. Nobody sends more than a few trains before the
//! packets that came in meanwhile are looked at.
//!
//! The poller is only alerted, through a pipe, when there is something to send or a deadline moved
//! before the time until which it sleeps. While there is traffic it sleeps at most 10 ms, so that
//! timers that start with each message (which are all farther away) do not cause an alert each.

use std::io::{self, PipeReader};
use std::mem;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use sheave_engine::{Checksum, Endpoint, Event, Node, PeerAddress, Time};

use crate::Config;
use crate::address_news::{AddressChange, AddressNews};
use crate::alarm::Alarm;
use crate::carrier::{Carrier, Real, Sent, System};
use crate::clock::Clock;
use crate::error::BindError;
use crate::locked::{Locked, Sending};
use crate::poller::Poller;
use crate::routes::SystemRoutes;
use crate::siblings::Siblings;
use crate::state::{Lifecycle, Output, PollerState, State};
use crate::sys::fork::Process;
use crate::vacancy::Rousal;
use crate::wait;

/// Trains that an application's thread sends before it leaves the rest to the driver.
const APPLICATION_TRAINS: usize = 2;
/// A train that finds no room in the kernel for this long is lost, so that a stuck interface
/// cannot hold up the other paths.
pub(crate) const BLOCKED_AT_MOST: Duration = Duration::from_millis(20);

/// Messages that follow each other within this time are a stream.
const STREAM_GAP: Duration = Duration::from_micros(20);

/// The call of an application's thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// The thread sent a message.
    Send,
    /// Something else.
    Other,
}

/// The state that the threads of an endpoint share.
pub(crate) struct Shared {
    pub(crate) carrier: Carrier,
    pub(crate) clock: Clock,
    pub(crate) siblings: Siblings,
    pub(crate) checksum: Checksum,
    state: Mutex<State>,
    /// The process in which all this was made.
    process: Process,
    /// The state that a child of that process has instead, since its parent goes on with the real one.
    orphaned: OnceLock<Mutex<State>>,
    pub(crate) alarm: Arc<Alarm>,
    /// The pipe through which the polling thread is alerted.
    pub(crate) alerts: PipeReader,
    pub(crate) poller: Mutex<Poller>,
    pub(crate) news: Option<AddressNews>,
    /// Threads of the endpoint.
    pub(crate) workers: usize,
    pub(crate) busy_poll: Duration,
    filtered: AtomicU64,
}

/// Whether more can be sent at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Remaining {
    Nothing,
    Trains,
}

impl Shared {
    /// Binds the sockets.
    pub(crate) fn bind(config: &Config) -> Result<Self, BindError> {
        Self::bind_on(config, Arc::new(Real))
    }

    /// Binds like [`bind`](Self::bind), on that system.
    pub(crate) fn bind_on(config: &Config, system: Arc<dyn System>) -> Result<Self, BindError> {
        let news = AddressNews::open(config);
        let carrier = Carrier::bind_on(config, Arc::clone(&system))?;
        if let Some(news) = &news {
            news.begin_with(carrier.addresses());
        }
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|error| BindError::System {
            what: "read the system's random source",
            error: io::Error::other(error),
        })?;
        let failed = |error| BindError::System {
            what: "make a pipe",
            error,
        };
        let (reader, alert) = io::pipe().map_err(failed)?;
        rustix::io::ioctl_fionbio(&reader, true).map_err(|error| failed(error.into()))?;
        rustix::io::ioctl_fionbio(&alert, true).map_err(|error| failed(error.into()))?;
        let addresses = carrier.engine_addresses();
        let mut engine = Endpoint::new(addresses, config.endpoint.clone(), seed);
        engine.set_routes(Arc::new(SystemRoutes::default()));
        Ok(Self {
            carrier,
            clock: Clock::start(system),
            siblings: Siblings::new(config.endpoint.shard),
            checksum: config.endpoint.checksum,
            state: Mutex::new(State::new(engine, config.backlog)),
            process: Process::this(),
            orphaned: OnceLock::new(),
            alarm: Alarm::new(alert),
            alerts: reader,
            poller: Mutex::new(Poller::new()),
            news,
            workers: config.workers.get(),
            busy_poll: config.busy_poll,
            filtered: AtomicU64::new(0),
        })
    }

    /// The state; that of a closed endpoint in a child of the process that the endpoint is of.
    pub(crate) fn lock(&self) -> Locked<'_> {
        let state = match self.is_inherited() {
            // The lock may be held for ever by a thread that was not forked.
            true => self.orphaned.get_or_init(|| Mutex::new(State::closed())),
            false => &self.state,
        };
        // A panic under the lock has ended all associations: the state is fit to be read.
        let state = state.lock().unwrap_or_else(PoisonError::into_inner);
        Locked::new(self, state)
    }

    /// Whether this process has it from its parent by a fork, which goes on with the sockets and
    /// has the threads.
    pub(crate) fn is_inherited(&self) -> bool {
        self.process.is_another()
    }

    /// Does `act` on the state and what follows from it: events, packets, timers, wake-ups.
    pub(crate) fn act<R>(&self, act: impl FnOnce(&mut State, Time) -> R) -> R {
        let now = self.clock.now();
        let mut state = self.lock();
        let outcome = act(&mut state, now);
        self.settle_for_application(state, now, Act::Other);
        outcome
    }

    /// Opens another socket, which the poller polls from its next turn on.
    pub(crate) fn add_address(&self, ip: IpAddr) -> Result<(), BindError> {
        if self.is_inherited() {
            return Err(BindError::System {
                what: "add an address to an endpoint of the parent process",
                error: io::ErrorKind::Unsupported.into(),
            });
        }
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

    /// Goes on with the addresses that this machine has now.
    pub(crate) fn follow_addresses(&self) {
        let Some(news) = &self.news else {
            return;
        };
        let AddressChange { gained, lost } = news.look(&self.carrier);
        self.act(|state, now| {
            // Over DTLS the engine knows connections alone.
            if !self.carrier.has_dtls() {
                state.engine.handle_addresses(now, &gained, &lost);
            }
            if self.carrier.udp_port().is_none() {
                self.carrier.set_ports(&state.ports);
            }
        });
    }

    /// The rest of an application's call.
    pub(crate) fn settle_for_application(&self, mut state: Locked<'_>, now: Time, act: Act) {
        if matches!(state.lifecycle, Lifecycle::Closed { .. }) {
            return self.leave(state, Remaining::Nothing);
        }
        if act == Act::Send {
            state.vacancy.on_send();
        }
        if state.coalescing.has_unanswered() {
            // The workers are awake and do all of it in a moment.
            return;
        }
        // Whoever sends one message after the other is better served by the driver, which makes
        // full packets and long trains of what has come together when it wakes up.
        let streaming = now.since(state.sent_at) < STREAM_GAP && act == Act::Send;
        let trains = match state.poller {
            PollerState::Awake => 0,
            // The answer to what its reader has just got does not follow another message.
            PollerState::Vacant { since, .. } if state.sent_at <= since => APPLICATION_TRAINS,
            PollerState::Vacant { .. } | PollerState::Until(_) if streaming => 0,
            PollerState::Vacant { .. } | PollerState::Until(_) => APPLICATION_TRAINS,
        };
        let (state, left) = self.settle(state, now, trains);
        self.leave(state, left);
    }

    /// Releases the state: wakes those who wait, and the poller if there is more to do.
    pub(crate) fn leave(&self, mut state: Locked<'_>, left: Remaining) {
        let more = left == Remaining::Trains || matches!(state.lifecycle, Lifecycle::Closing(_));
        let must_alert = match state.poller {
            PollerState::Awake => false,
            PollerState::Until(rest) => {
                more || state.engine.poll_timeout().is_some_and(|next| next < rest)
            }
            PollerState::Vacant { .. } => more,
        };
        let rousal = must_alert.then(|| state.rouse());
        let awake = mem::take(&mut state.awake);
        drop(state);
        wait::wake(awake);
        if let Some(rousal) = rousal {
            self.rouse(rousal);
        }
    }

    /// Rouses whoever has to poll, with the lock free.
    pub(crate) fn rouse(&self, rousal: Rousal) {
        match rousal {
            Rousal::Alarm => self.alert(),
            Rousal::Worker(thread) => thread.unpark(),
            Rousal::Nobody => {}
        }
    }

    /// Wakes the poller.
    pub(crate) fn alert(&self) {
        if self.is_inherited() {
            return;
        }
        self.alarm.ring();
    }

    /// Hands out events and sends at most `trains` trains, unless another thread is sending.
    pub(crate) fn settle<'a>(
        &'a self,
        mut state: Locked<'a>,
        now: Time,
        trains: usize,
    ) -> (Locked<'a>, Remaining) {
        state.coalescing.on_answered();
        state.dispatch_events(now);
        self.admit_ports(&state);
        let mut train = match mem::replace(&mut state.output, Output::Busy) {
            Output::Idle(train) => train,
            other => {
                state.output = other;
                return (state, Remaining::Nothing);
            }
        };
        let max_segments = self.carrier.max_segments();
        for _ in 0..trains {
            let Some(unsealed) = state.engine.poll_unsealed(now, &mut train, max_segments) else {
                state.output = Output::Idle(train);
                state.dispatch_events(now);
                return (state, Remaining::Nothing);
            };
            state.dispatch_events(now);
            state.sent_at = now;
            drop(state);
            let sending = Sending::new(self);
            let transmit = unsealed.seal(&mut train);
            let sent = self.carrier.send(&transmit, &train);
            sending.done();
            state = self.lock();
            self.report_icmp(&mut state, now);
            if let Sent::Blocked { sent } = sent {
                state.output = Output::Blocked {
                    transmit,
                    train,
                    sent,
                    since: now,
                    attempts: 1,
                };
                return (state, Remaining::Trains);
            }
        }
        state.output = Output::Idle(train);
        (state, Remaining::Trains)
    }

    /// Tells the engine what was said of packets that were sent.
    #[inline]
    pub(crate) fn report_icmp(&self, state: &mut State, now: Time) {
        for report in self.carrier.take_icmp_reports() {
            state.engine.handle_icmp(now, report.icmp());
        }
    }

    /// An event of the engine's, with the peer's address in place of the name of its connection.
    pub(crate) fn named_by_address(&self, event: Event) -> Event {
        match event {
            Event::Path { remote, change } if self.carrier.has_dtls() => {
                let name = PeerAddress::encapsulated(remote, 0);
                let remote = self.carrier.real_peer(name).ip;
                Event::Path { remote, change }
            }
            other => other,
        }
    }

    /// Ends the associations whose DTLS connections are gone, and closes the connections that none
    /// uses.
    pub(crate) fn follow_connections(&self, state: &mut State, now: Time) {
        if !self.carrier.has_dtls() {
            return;
        }
        for failure in self.carrier.take_failures() {
            state.on_connection_lost(now, failure.alias, &failure.error);
        }
        self.carrier.sweep(|| state.peer_names());
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
    pub(crate) fn resume<'a>(&'a self, mut state: Locked<'a>, now: Time) -> Locked<'a> {
        let output = mem::replace(&mut state.output, Output::Busy);
        let Output::Blocked {
            transmit,
            train,
            sent: before,
            since,
            attempts,
        } = output
        else {
            state.output = output;
            return state;
        };
        drop(state);
        let sending = Sending::new(self);
        let rest = train.get(before..).unwrap_or_default();
        let sent = self.carrier.send(&transmit, rest);
        sending.done();
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
                attempts: attempts.saturating_add(1),
            },
        };
        state
    }

    /// The last act: aborts what did not finish and tells everyone who waits.
    pub(crate) fn close<'a>(&'a self, state: Locked<'a>, now: Time) {
        let mut state = state;
        let aborted = state.abort_all(now);
        let (mut state, _) = self.settle(state, now, usize::MAX);
        state.finish(aborted);
        self.carrier.close_connections();
        let awake = mem::take(&mut state.awake);
        drop(state);
        wait::wake(awake);
    }
}
