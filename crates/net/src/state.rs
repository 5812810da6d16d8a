use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::mem;
use std::net::IpAddr;
use std::task::Waker;
use std::time::Duration;

use bytes::Bytes;
use sheave_engine::{
    AssocId, CloseReason, Endpoint, EndpointOptions, Event, PeerAddress, Received, ShutdownError,
    Time, Transmit,
};

use crate::assoc_state::{AssocState, Hold, Stage};
use crate::carrier::Ports;
use crate::dtls::DtlsError;
use crate::error::{ConnectError, unprotected};
use crate::key_management::{KeyProgress, Keys, Refusal};
use crate::receive_coalescing::ReceiveCoalescing;
use crate::reception::Reception;
use crate::vacancy::Vacancy;
use crate::wait::Waiters;

/// Time for which a closed association's port stays open, so that a peer that missed our last
/// packet still gets an answer (RFC 9260 §8.4).
const PORT_GRACE: Duration = Duration::from_secs(10);

/// State shared by the endpoint's and the application's threads, under one lock.
pub(crate) struct State {
    pub(crate) engine: Endpoint,
    pub(crate) assocs: HashMap<AssocId, AssocState>,
    pub(crate) ports: Ports,
    pub(crate) output: Output,
    pub(crate) poller: PollerState,
    pub(crate) vacancy: Vacancy,
    pub(crate) reception: Reception,
    pub(crate) coalescing: ReceiveCoalescing,
    pub(crate) lifecycle: Lifecycle,
    /// When packets were last sent.
    pub(crate) sent_at: Time,
    /// Threads and tasks waiting for the endpoint to close.
    pub(crate) close_waiters: Waiters,
    /// Wakers to wake once the lock is free.
    pub(crate) awake: Vec<Waker>,
    pub(crate) keys: Keys,
    backlogs: BTreeMap<ListenerId, Backlog>,
    next_listener: u64,
    max_backlog: usize,
    leaving: VecDeque<(Time, u16)>,
}

/// The thread that sends the engine's packets.
#[derive(Debug)]
pub(crate) enum Output {
    /// No thread: the next one that makes the engine produce packets takes the buffer and sends.
    Idle(Vec<u8>),
    /// A thread is sending and will also send packets produced meanwhile.
    Busy,
    /// A socket's buffer was full: the poller resumes from byte `sent` when it has room.
    Blocked {
        transmit: Transmit,
        train: Vec<u8>,
        sent: usize,
        since: Time,
        /// Attempts so far.
        attempts: u32,
    },
}

/// The state of the polling thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PollerState {
    /// The poller is awake and checks everything before it sleeps.
    Awake,
    /// The poller sleeps until this time unless alerted.
    Until(Time),
    /// No thread polls: the role is [kept free](crate::vacancy) for a reader.
    Vacant {
        /// When the role became free.
        since: Time,
        /// When a worker takes the role.
        until: Time,
    },
}

/// The stage of the endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lifecycle {
    /// The endpoint is open.
    Open,
    /// The endpoint is closing; associations may finish until this time.
    Closing(Time),
    /// The endpoint's threads have ended or are about to.
    Closed {
        /// Number of aborted associations.
        aborted: usize,
    },
}

/// Identifies a listener of the endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ListenerId(u64);

/// A listener's associations that wait for `accept`.
#[derive(Debug)]
struct Backlog {
    port: u16,
    /// Addresses to listen on; empty means all of the endpoint's.
    local: Vec<IpAddr>,
    waiting: VecDeque<AssocId>,
    accept_waiters: Waiters,
}

impl Backlog {
    /// Whether an association on `port`, whose peer knows the addresses `local`, belongs to this
    /// listener. Two listeners on one port have no address in common.
    fn is_at(&self, port: u16, local: &[IpAddr]) -> bool {
        let is_here = |ip| self.local.is_empty() || self.local.contains(ip);
        self.port == port && local.iter().any(is_here)
    }
}

impl State {
    pub(crate) fn new(engine: Endpoint, keys: Keys, max_backlog: usize) -> Self {
        Self {
            engine,
            assocs: HashMap::new(),
            ports: Ports::default(),
            output: Output::Idle(Vec::new()),
            poller: PollerState::Awake,
            vacancy: Vacancy::default(),
            reception: Reception::default(),
            coalescing: ReceiveCoalescing::default(),
            lifecycle: Lifecycle::Open,
            sent_at: Time::ZERO,
            close_waiters: Waiters::default(),
            awake: Vec::new(),
            keys,
            backlogs: BTreeMap::new(),
            next_listener: 0,
            max_backlog,
            leaving: VecDeque::new(),
        }
    }

    /// The state of a closed endpoint that never had an association.
    pub(crate) fn closed() -> Self {
        Self {
            lifecycle: Lifecycle::Closed { aborted: 0 },
            ..Self::new(nothing(), Keys::default(), 0)
        }
    }

    /// Ends all associations after a panic, discarding the possibly inconsistent engine.
    pub(crate) fn break_down(&mut self) {
        if matches!(self.lifecycle, Lifecycle::Closed { .. }) {
            return;
        }
        // Leaked, because dropping inconsistent state with user-supplied parts might panic again.
        mem::forget(mem::replace(&mut self.engine, nothing()));
        let open = self
            .assocs
            .values()
            .filter(|entry| entry.stage.end().is_none());
        self.finish(open.count());
    }

    /// Defers pending wake-ups while more packets for the same waiters may arrive.
    pub(crate) fn defer_waking(&mut self) {
        self.coalescing.defer(&mut self.awake);
    }

    /// Makes the deferred wake-ups due.
    pub(crate) fn wake_deferred(&mut self) {
        self.coalescing.flush(&mut self.awake);
    }

    /// Adds the backlog of a new listener on `port` at these addresses.
    pub(crate) fn open_backlog(&mut self, port: u16, local: Vec<IpAddr>) -> ListenerId {
        let id = ListenerId(self.next_listener);
        self.next_listener += 1;
        let backlog = Backlog {
            port,
            local,
            waiting: VecDeque::new(),
            accept_waiters: Waiters::default(),
        };
        self.backlogs.insert(id, backlog);
        self.ports.add(port);
        id
    }

    /// Stops listening; associations not yet accepted are aborted.
    pub(crate) fn close_backlog(&mut self, now: Time, id: ListenerId) {
        let Some(mut backlog) = self.backlogs.remove(&id) else {
            return;
        };
        self.engine.stop_listening_on(backlog.port, &backlog.local);
        self.ports.remove(backlog.port);
        backlog.accept_waiters.wake_into(&mut self.awake);
        for id in backlog.waiting {
            self.abort(now, id, "nobody accepts associations here any more");
            self.release(now, id);
        }
    }

    /// Ids of all listeners.
    pub(crate) fn listening(&self) -> Vec<ListenerId> {
        self.backlogs.keys().copied().collect()
    }

    /// Takes the next association waiting at a listener; `None` if the listener is closed.
    pub(crate) fn next_waiting(&mut self, id: ListenerId) -> Option<Option<AssocId>> {
        let backlog = self.backlogs.get_mut(&id)?;
        Some(backlog.waiting.pop_front())
    }

    /// Number of associations waiting at a listener; `None` if the listener is closed.
    pub(crate) fn backlog_size(&self, id: ListenerId) -> Option<usize> {
        Some(self.backlogs.get(&id)?.waiting.len())
    }

    /// Threads and tasks waiting in `accept` at a listener.
    pub(crate) fn accept_waiters(&mut self, id: ListenerId) -> Option<&mut Waiters> {
        let backlog = self.backlogs.get_mut(&id)?;
        Some(&mut backlog.accept_waiters)
    }

    /// Adds the state of an association for which a handle is being created.
    pub(crate) fn add_assoc(&mut self, id: AssocId, stage: Stage) {
        let Some(port) = self.local_port(id) else {
            return;
        };
        self.ports.add(port);
        let peer = self.peer_of(id);
        self.assocs.insert(id, AssocState::new(port, peer, stage));
    }

    /// The peer's primary address.
    pub(crate) fn peer_of(&mut self, id: AssocId) -> Option<PeerAddress> {
        let paths = self.engine.assoc(id)?.path_stats();
        let primary = paths.iter().find(|path| path.primary).or(paths.first())?;
        Some(PeerAddress {
            ip: primary.remote,
            encapsulation: primary.encapsulation,
        })
    }

    /// The engine's names for the peers of all associations.
    pub(crate) fn peer_names(&self) -> HashSet<IpAddr> {
        let peers = self.assocs.values().filter_map(|entry| entry.peer);
        peers.map(|peer| peer.ip).collect()
    }

    /// Ends the associations over a failed DTLS connection (RFC 8261 §6.1).
    pub(crate) fn on_connection_lost(&mut self, now: Time, name: IpAddr, error: &DtlsError) {
        let over = |(id, entry): (&AssocId, &AssocState)| {
            let concerned = entry.peer.is_some_and(|peer| peer.ip == name);
            (concerned && entry.stage.end().is_none()).then_some(*id)
        };
        let ids: Vec<AssocId> = self.assocs.iter().filter_map(over).collect();
        for id in ids {
            if let Some(entry) = self.assocs.get_mut(&id) {
                entry.lost = Some(ConnectError::Dtls(error.clone()));
            }
            self.abort(now, id, error.to_string());
        }
        self.dispatch_events(now);
    }

    /// The local SCTP port of an association; `None` once it is gone.
    fn local_port(&mut self, id: AssocId) -> Option<u16> {
        let assoc = self.engine.assoc(id)?;
        Some(assoc.stats().local_port)
    }

    /// Handles the drop of the last handle: closes gracefully, or aborts if never established.
    pub(crate) fn release(&mut self, now: Time, id: AssocId) {
        let Some(entry) = self.assocs.get_mut(&id) else {
            return;
        };
        entry.hold = Hold::Released;
        entry.unread.clear();
        match entry.stage {
            Stage::Connecting => self.abort(now, id, "given up while being set up"),
            Stage::Answered { .. } | Stage::Established { .. } => {
                self.discard(now, id);
                self.shut_down(now, id);
            }
            Stage::Ended { .. } => {}
        }
        self.forget(id);
    }

    /// Begins the graceful shutdown, if it has not begun.
    pub(crate) fn shut_down(&mut self, now: Time, id: AssocId) {
        if let Some(mut assoc) = self.engine.assoc(id) {
            match assoc.shutdown(now) {
                Ok(()) | Err(ShutdownError::AlreadyShuttingDown) => {}
            }
        }
        // Senders must learn that sending is over.
        if let Some(entry) = self.assocs.get_mut(&id) {
            entry.send_waiters.wake_into(&mut self.awake);
        }
    }

    pub(crate) fn abort(&mut self, now: Time, id: AssocId, reason: impl Into<Bytes>) {
        if let Some(assoc) = self.engine.assoc(id) {
            assoc.abort(now, reason.into());
        }
    }

    /// Removes the state if no handle or subscription can use it.
    pub(crate) fn forget(&mut self, id: AssocId) {
        if self.assocs.get(&id).is_some_and(AssocState::is_forgotten) {
            self.assocs.remove(&id);
        }
    }

    /// Discards received messages of an association without handles, so that its peer can finish.
    fn discard(&mut self, now: Time, id: AssocId) {
        if let Some(mut assoc) = self.engine.assoc(id) {
            while assoc.receive(now).is_some() {}
        }
    }

    /// Dispatches the engine's events.
    pub(crate) fn dispatch_events(&mut self, now: Time) {
        while let Some(progress) = self.keys.poll_event(now, &mut self.engine) {
            match progress {
                KeyProgress::Event(id, event) => self.dispatch(now, id, event),
                KeyProgress::Refused(id, refusal) => self.on_refused(id, refusal),
                // The end of the association follows.
                KeyProgress::Lost(_, refusal) => self.keys.refuse(refusal, &mut self.awake),
            }
        }
    }

    fn dispatch(&mut self, now: Time, id: AssocId, event: Event) {
        let Some(entry) = self.assocs.get_mut(&id) else {
            if let Event::Established {
                outbound_streams,
                inbound_streams,
            } = event
            {
                self.on_incoming(now, id, (outbound_streams, inbound_streams));
            }
            return;
        };
        match event {
            Event::Answered {
                outbound_streams: outbound,
                inbound_streams: inbound,
            } => {
                entry.stage = Stage::Answered { outbound, inbound };
                entry.send_waiters.wake_into(&mut self.awake);
            }
            Event::Established {
                outbound_streams: outbound,
                inbound_streams: inbound,
            } => {
                entry.stage = Stage::Established { outbound, inbound };
                entry.stage_waiters.wake_into(&mut self.awake);
                entry.send_waiters.wake_into(&mut self.awake);
            }
            Event::StreamsChanged {
                outbound_streams: outbound,
                inbound_streams: inbound,
            } => {
                entry.stage = Stage::Established { outbound, inbound };
                entry.push_event(event, &mut self.awake);
            }
            Event::Readable => match entry.hold {
                Hold::Held => entry.receive_waiters.wake_into(&mut self.awake),
                Hold::Released => self.discard(now, id),
            },
            Event::Writable => entry.send_waiters.wake_into(&mut self.awake),
            Event::PeerShutdown | Event::Restarted => {
                entry.send_waiters.wake_into(&mut self.awake);
                entry.push_event(event, &mut self.awake);
            }
            Event::Closed { reason, unread } => self.on_end(now, id, reason, unread),
            other => entry.push_event(other, &mut self.awake),
        }
    }

    /// Records that an association could not be protected.
    fn on_refused(&mut self, id: Option<AssocId>, refusal: Refusal) {
        match id.and_then(|id| self.assocs.get_mut(&id)) {
            Some(entry) => entry.lost = Some(unprotected(refusal.fault)),
            None => self.keys.refuse(refusal, &mut self.awake),
        }
    }

    /// Records why an association ended and wakes its waiters.
    pub(crate) fn on_end(
        &mut self,
        now: Time,
        id: AssocId,
        reason: CloseReason,
        unread: Vec<Received>,
    ) {
        if let Some(entry) = self.assocs.get_mut(&id) {
            entry.end(reason, unread, &mut self.awake);
            self.leaving.push_back((now + PORT_GRACE, entry.port));
            self.forget(id);
        }
    }

    /// Queues an association set up by a peer for `accept`.
    fn on_incoming(&mut self, now: Time, id: AssocId, (outbound, inbound): (u16, u16)) {
        let Some(assoc) = self.engine.assoc(id) else {
            return;
        };
        let (port, local) = (assoc.stats().local_port, assoc.local_addresses());
        let max_backlog = self.max_backlog;
        let mut backlogs = self.backlogs.values_mut();
        let backlog = backlogs.find(|backlog| backlog.is_at(port, &local));
        match backlog.filter(|backlog| backlog.waiting.len() < max_backlog) {
            Some(backlog) => {
                backlog.waiting.push_back(id);
                backlog.accept_waiters.wake_into(&mut self.awake);
                self.add_assoc(id, Stage::Established { outbound, inbound });
            }
            None => self.abort(now, id, "too many associations wait to be accepted"),
        }
    }

    /// Closes the ports of associations whose grace time ([`PORT_GRACE`]) is over.
    pub(crate) fn drop_old_ports(&mut self, now: Time) {
        let is_over = |leaving: &(Time, _)| leaving.0 <= now;
        while self.leaving.front().is_some_and(is_over)
            && let Some((_, port)) = self.leaving.pop_front()
        {
            self.ports.remove(port);
        }
    }

    /// Starts to close the endpoint: listeners stop, and associations may finish until `until`.
    pub(crate) fn close(&mut self, now: Time, until: Time) {
        match self.lifecycle {
            Lifecycle::Open => {}
            // The earlier deadline wins.
            Lifecycle::Closing(earlier) => {
                self.lifecycle = Lifecycle::Closing(earlier.min(until));
                return;
            }
            Lifecycle::Closed { .. } => return,
        }
        self.lifecycle = Lifecycle::Closing(until);
        for listener in self.listening() {
            self.close_backlog(now, listener);
        }
        let ids: Vec<AssocId> = self.engine.associations().collect();
        for id in ids {
            self.shut_down(now, id);
        }
    }

    /// Aborts all remaining associations and returns their number.
    pub(crate) fn abort_all(&mut self, now: Time) -> usize {
        let ids: Vec<AssocId> = self.engine.associations().collect();
        for &id in &ids {
            self.abort(now, id, "the endpoint is closed");
        }
        self.dispatch_events(now);
        ids.len()
    }

    /// Marks the endpoint closed and wakes all waiters.
    pub(crate) fn finish(&mut self, aborted: usize) {
        self.lifecycle = Lifecycle::Closed { aborted };
        self.close_waiters.wake_into(&mut self.awake);
        self.keys.close(&mut self.awake);
        self.wake_deferred();
        for entry in self.assocs.values_mut() {
            if entry.stage.end().is_none() {
                entry.end(CloseReason::Aborted, Vec::new(), &mut self.awake);
            }
        }
        self.assocs.retain(|_, entry| !entry.is_forgotten());
        for mut backlog in mem::take(&mut self.backlogs).into_values() {
            backlog.accept_waiters.wake_into(&mut self.awake);
        }
    }
}

/// An engine without an association.
fn nothing() -> Endpoint {
    Endpoint::new(Vec::new(), EndpointOptions::default(), [0; 32])
}
