//! The driver: connects the engine with the sockets, the clock and the application.
//!
//! A single lock guards the engine; any thread that holds it may run the engine's pending work. The
//! endpoint's own threads are its [`workers`](crate::workers), one of which polls the sockets and
//! the timers. While the poller sleeps, an application thread that sends a message also transmits
//! it, so that sending costs no thread switch, and receiving costs one. A thread that repeatedly
//! receives and answers [polls the sockets itself](crate::vacancy), which saves that switch too.
//! While the poller is awake, or when messages follow each other closely, only the workers
//! transmit: they build full packets and long trains from the messages queued meanwhile, and
//! packets sent from one processor stay in order.
//!
//! The lock is released during system calls and while checksums are verified and written. The right
//! to send is held with the buffer ([`Output`]): one thread sends at a time, including packets that
//! other threads produce meanwhile, so none is left behind. A thread sends at most a few trains
//! before packets received meanwhile are handled.
//!
//! The poller is alerted, through a pipe, only if there are packets to send or a deadline moved
//! ahead of its wake-up time. Under traffic it sleeps at most 10 ms, so that the timers started by
//! each message, which are all longer, do not each cause an alert.

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
use crate::key_management::Keys;
use crate::locked::{Locked, Sending};
use crate::poller::Poller;
use crate::routes::SystemRoutes;
use crate::siblings::Siblings;
use crate::state::{Lifecycle, Output, PollerState, State};
use crate::sys::fork::Process;
use crate::vacancy::Rousal;
use crate::wait;

/// Maximum trains that an application thread sends per call; the workers send the rest.
const APPLICATION_TRAINS: usize = 2;
/// Time after which a train blocked by a full socket buffer is dropped, so that a stuck interface
/// cannot block the other paths.
pub(crate) const BLOCKED_AT_MOST: Duration = Duration::from_millis(20);

/// Maximum gap between sends for the workers to take over the sending.
const STREAM_GAP: Duration = Duration::from_micros(20);

/// The kind of call that an application thread made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Sent a message.
    Send,
    /// Any other call.
    Other,
}

/// State shared by an endpoint's threads.
pub(crate) struct Shared {
    pub(crate) carrier: Carrier,
    pub(crate) clock: Clock,
    pub(crate) siblings: Siblings,
    pub(crate) checksum: Checksum,
    state: Mutex<State>,
    /// The process that created this endpoint.
    process: Process,
    /// State used after a fork in the child, where the endpoint counts as closed; the real one
    /// belongs to the parent.
    orphaned: OnceLock<Mutex<State>>,
    pub(crate) alarm: Arc<Alarm>,
    /// Read end of the pipe that wakes the poller.
    pub(crate) alerts: PipeReader,
    pub(crate) poller: Mutex<Poller>,
    pub(crate) news: Option<AddressNews>,
    /// Number of worker threads.
    pub(crate) workers: usize,
    pub(crate) busy_poll: Duration,
    filtered: AtomicU64,
}

/// Whether trains remain that can be sent at once.
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

    /// Like [`bind`](Self::bind), on the given system.
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
            state: Mutex::new(State::new(engine, Keys::new(config), config.backlog)),
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

    /// Locks the state; in a forked child, that of a closed endpoint.
    pub(crate) fn lock(&self) -> Locked<'_> {
        let state = match self.is_inherited() {
            // A thread that does not exist in the child may hold the lock for ever.
            true => self.orphaned.get_or_init(|| Mutex::new(State::closed())),
            false => &self.state,
        };
        // A panic under the lock has already ended all associations, so the state is consistent.
        let state = state.lock().unwrap_or_else(PoisonError::into_inner);
        Locked::new(self, state)
    }

    /// Whether this process is a forked child of the one that created the endpoint, which keeps the
    /// sockets and the threads.
    pub(crate) fn is_inherited(&self) -> bool {
        self.process.is_another()
    }

    /// Runs `act` on the state, then handles the resulting events, packets, timers and wake-ups.
    pub(crate) fn act<R>(&self, act: impl FnOnce(&mut State, Time) -> R) -> R {
        let now = self.clock.now();
        let mut state = self.lock();
        let outcome = act(&mut state, now);
        self.settle_for_application(state, now, Act::Other);
        outcome
    }

    /// Opens a socket at `ip`; the poller watches it from its next turn on.
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

    /// Adopts the machine's current addresses.
    pub(crate) fn follow_addresses(&self) {
        let Some(news) = &self.news else {
            return;
        };
        let AddressChange { gained, lost } = news.look(&self.carrier);
        self.act(|state, now| {
            // Over DTLS, the engine sees only aliases of connections, not addresses.
            if !self.carrier.has_dtls() {
                state.engine.handle_addresses(now, &gained, &lost);
            }
            if self.carrier.udp_port().is_none() {
                self.carrier.set_ports(&state.ports);
            }
        });
    }

    /// Finishes a call of an application thread: sends, dispatches events, wakes threads.
    pub(crate) fn settle_for_application(&self, mut state: Locked<'_>, now: Time, act: Act) {
        if matches!(state.lifecycle, Lifecycle::Closed { .. }) {
            return self.leave(state, Remaining::Nothing);
        }
        if act == Act::Send {
            state.vacancy.on_send();
        }
        if state.coalescing.has_unanswered() {
            // An awake worker is about to do all that.
            return;
        }
        // A thread that sends messages in quick succession leaves them to the workers, which build
        // full packets and long trains of them.
        let streaming = now.since(state.sent_at) < STREAM_GAP && act == Act::Send;
        let trains = match state.poller {
            PollerState::Awake => 0,
            // The first message since the reader got its own is an answer, not part of a burst.
            PollerState::Vacant { since, .. } if state.sent_at <= since => APPLICATION_TRAINS,
            PollerState::Vacant { .. } | PollerState::Until(_) if streaming => 0,
            PollerState::Vacant { .. } | PollerState::Until(_) => APPLICATION_TRAINS,
        };
        let (state, left) = self.settle(state, now, trains);
        self.leave(state, left);
    }

    /// Releases the lock; wakes waiting threads and tasks, and the poller if there is more to do.
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

    /// Wakes the thread that has to poll; the lock must be free.
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

    /// Dispatches events and, unless another thread is sending, sends at most `trains` trains.
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

    /// Passes ICMP reports about sent packets to the engine.
    #[inline]
    pub(crate) fn report_icmp(&self, state: &mut State, now: Time) {
        for report in self.carrier.take_icmp_reports() {
            state.engine.handle_icmp(now, report.icmp());
        }
    }

    /// Replaces a DTLS connection's alias in an event by the peer's address.
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

    /// Ends associations whose DTLS connections failed, and closes unused connections.
    pub(crate) fn follow_connections(&self, state: &mut State, now: Time) {
        if !self.carrier.has_dtls() {
            return;
        }
        for failure in self.carrier.take_failures() {
            state.on_connection_lost(now, failure.alias, &failure.error);
        }
        self.carrier.sweep(|| state.peer_names());
    }

    /// Updates the raw sockets' port filter before a packet leaves from a new port.
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
    /// Resumes a train interrupted by a full socket buffer.
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

    /// Closes the endpoint: aborts the remaining associations and wakes all waiters.
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
