use std::collections::{HashMap, VecDeque};
use std::mem;
use std::task::Waker;
use std::time::Duration;

use bytes::Bytes;
use sheave_engine::{
    AssocId, CloseReason, Endpoint, Event, Received, ShutdownError, Time, Transmit,
};

use crate::carrier::Ports;
use crate::crew::Reception;
use crate::gathering::Gathering;
use crate::slot::{Hold, Slot, Stage};
use crate::wait::Waiters;

/// How long the port of a closed association stays ours, so that a peer that missed our last
/// packet still gets its answer (RFC 9260 §8.4).
const PORT_GRACE: Duration = Duration::from_secs(10);

/// Everything that the endpoint's threads and the application's threads share, under one lock.
pub(crate) struct State {
    pub(crate) engine: Endpoint,
    pub(crate) slots: HashMap<AssocId, Slot>,
    pub(crate) ports: Ports,
    pub(crate) output: Output,
    pub(crate) lookout: Rest,
    pub(crate) reception: Reception,
    pub(crate) gathering: Gathering,
    pub(crate) life: Life,
    /// When packets last left.
    pub(crate) sent_at: Time,
    /// Those who wait for the endpoint to be closed.
    pub(crate) closers: Waiters,
    /// To be woken once the lock is free.
    pub(crate) awake: Vec<Waker>,
    backlogs: HashMap<u16, Backlog>,
    max_backlog: usize,
    leaving: VecDeque<(Time, u16)>,
}

/// Who sends what the engine has to send.
#[derive(Debug)]
pub(crate) enum Output {
    /// Nobody: whoever gives the engine something to do takes the buffer and sends.
    Idle(Vec<u8>),
    /// A thread is in the middle of it and will find whatever else comes up.
    Busy,
    /// A socket's buffer was full: the lookout goes on from byte `sent` when it has room.
    Blocked {
        transmit: Transmit,
        train: Vec<u8>,
        sent: usize,
        since: Time,
    },
}

/// Whether the lookout is at rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// It is awake and looks at everything before it sleeps.
    Awake,
    /// It sleeps until then unless it is alerted.
    Until(Time),
}

/// Whether the endpoint goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    /// It does.
    Open,
    /// Associations may finish until then.
    Closing(Time),
    /// The endpoint's threads are gone, or about to go.
    Closed {
        /// Associations that had to be aborted.
        aborted: usize,
    },
}

/// Associations of one listener that wait for `accept`.
#[derive(Debug, Default)]
struct Backlog {
    waiting: VecDeque<AssocId>,
    acceptors: Waiters,
}

impl State {
    pub(crate) fn new(engine: Endpoint, max_backlog: usize) -> Self {
        Self {
            engine,
            slots: HashMap::new(),
            ports: Ports::default(),
            output: Output::Idle(Vec::new()),
            lookout: Rest::Awake,
            reception: Reception::default(),
            gathering: Gathering::default(),
            life: Life::Open,
            sent_at: Time::ZERO,
            closers: Waiters::default(),
            awake: Vec::new(),
            backlogs: HashMap::new(),
            max_backlog,
            leaving: VecDeque::new(),
        }
    }

    /// Lets those sleep on who are to be woken, while there is more for them.
    pub(crate) fn put_off_waking(&mut self) {
        self.gathering.put_off(&mut self.awake);
    }

    /// Lets nobody sleep on any longer.
    pub(crate) fn wake_late(&mut self) {
        self.gathering.tell(&mut self.awake);
    }

    /// Takes note of a port that is now listened on.
    pub(crate) fn open_backlog(&mut self, port: u16) {
        self.backlogs.insert(port, Backlog::default());
        self.ports.add(port);
    }

    /// Stops listening: what nobody accepted is aborted.
    pub(crate) fn close_backlog(&mut self, now: Time, port: u16) {
        let Some(mut backlog) = self.backlogs.remove(&port) else {
            return;
        };
        self.engine.stop_listening(port);
        self.ports.remove(port);
        backlog.acceptors.wake_into(&mut self.awake);
        for id in backlog.waiting {
            self.abort(now, id, "nobody accepts associations here any more");
            self.release(now, id);
        }
    }

    /// The ports that are listened on.
    pub(crate) fn listening(&self) -> Vec<u16> {
        self.backlogs.keys().copied().collect()
    }

    /// The next association that waits at `port`, and whether the port is still listened on.
    pub(crate) fn next_waiting(&mut self, port: u16) -> Option<Option<AssocId>> {
        let backlog = self.backlogs.get_mut(&port)?;
        Some(backlog.waiting.pop_front())
    }

    /// Those who wait for an association at `port`.
    pub(crate) fn acceptors(&mut self, port: u16) -> Option<&mut Waiters> {
        let backlog = self.backlogs.get_mut(&port)?;
        Some(&mut backlog.acceptors)
    }

    /// Keeps a slot for an association that a handle is made for.
    pub(crate) fn add_slot(&mut self, id: AssocId, stage: Stage) {
        let port = self.local_port(id);
        self.ports.add(port);
        self.slots.insert(id, Slot::new(port, stage));
    }

    fn local_port(&mut self, id: AssocId) -> u16 {
        let assoc = self.engine.assoc(id);
        assoc.map_or(0, |assoc| assoc.stats().local_port)
    }

    /// The last handle is gone: closes gracefully, or aborts what was never established.
    pub(crate) fn release(&mut self, now: Time, id: AssocId) {
        let Some(slot) = self.slots.get_mut(&id) else {
            return;
        };
        slot.hold = Hold::Released;
        slot.unread.clear();
        match slot.stage {
            Stage::Connecting => self.abort(now, id, "given up while being set up"),
            Stage::Established { .. } => {
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
        // They learn that nothing can be sent any more.
        if let Some(slot) = self.slots.get_mut(&id) {
            slot.writers.wake_into(&mut self.awake);
        }
    }

    pub(crate) fn abort(&mut self, now: Time, id: AssocId, reason: impl Into<Bytes>) {
        if let Some(assoc) = self.engine.assoc(id) {
            assoc.abort(now, reason.into());
        }
    }

    /// Removes the slot if nobody can ask for it any more.
    pub(crate) fn forget(&mut self, id: AssocId) {
        if self.slots.get(&id).is_some_and(Slot::is_forgotten) {
            self.slots.remove(&id);
        }
    }

    /// Throws away what an association without a reader received, so that its peer can finish.
    fn discard(&mut self, now: Time, id: AssocId) {
        if let Some(mut assoc) = self.engine.assoc(id) {
            while assoc.receive(now).is_some() {}
        }
    }

    /// Hands the engine's events to whom they concern.
    pub(crate) fn dispatch_events(&mut self, now: Time) {
        while let Some((id, event)) = self.engine.poll_event() {
            self.dispatch(now, id, event);
        }
    }

    fn dispatch(&mut self, now: Time, id: AssocId, event: Event) {
        let Some(slot) = self.slots.get_mut(&id) else {
            if let Event::Established {
                outbound_streams,
                inbound_streams,
            } = event
            {
                self.welcome(now, id, (outbound_streams, inbound_streams));
            }
            return;
        };
        match event {
            Event::Established {
                outbound_streams: outbound,
                inbound_streams: inbound,
            } => {
                slot.stage = Stage::Established { outbound, inbound };
                slot.stagers.wake_into(&mut self.awake);
            }
            Event::StreamsChanged {
                outbound_streams: outbound,
                inbound_streams: inbound,
            } => {
                slot.stage = Stage::Established { outbound, inbound };
                slot.push_event(event, &mut self.awake);
            }
            Event::Readable => match slot.hold {
                Hold::Held => slot.readers.wake_into(&mut self.awake),
                Hold::Released => self.discard(now, id),
            },
            Event::Writable => slot.writers.wake_into(&mut self.awake),
            Event::PeerShutdown | Event::Restarted => {
                slot.writers.wake_into(&mut self.awake);
                slot.push_event(event, &mut self.awake);
            }
            Event::Closed { reason, unread } => self.on_end(now, id, reason, unread),
            other => slot.push_event(other, &mut self.awake),
        }
    }

    /// An association is gone: its handles learn why.
    pub(crate) fn on_end(
        &mut self,
        now: Time,
        id: AssocId,
        reason: CloseReason,
        unread: Vec<Received>,
    ) {
        if let Some(slot) = self.slots.get_mut(&id) {
            slot.end(reason, unread, &mut self.awake);
            self.leaving.push_back((now + PORT_GRACE, slot.port));
            self.forget(id);
        }
    }

    /// Takes in an association that a peer set up.
    fn welcome(&mut self, now: Time, id: AssocId, (outbound, inbound): (u16, u16)) {
        let port = self.local_port(id);
        let max_backlog = self.max_backlog;
        let backlog = self.backlogs.get_mut(&port);
        match backlog.filter(|backlog| backlog.waiting.len() < max_backlog) {
            Some(backlog) => {
                backlog.waiting.push_back(id);
                backlog.acceptors.wake_into(&mut self.awake);
                self.add_slot(id, Stage::Established { outbound, inbound });
            }
            None => self.abort(now, id, "too many associations wait to be accepted"),
        }
    }

    /// Gives up the ports of associations that closed a while ago.
    pub(crate) fn drop_old_ports(&mut self, now: Time) {
        while let Some((_, port)) = self.leaving.pop_front_if(|(until, _)| *until <= now) {
            self.ports.remove(port);
        }
    }

    /// Begins to close the endpoint: listeners stop, associations finish until `until`.
    pub(crate) fn close(&mut self, now: Time, until: Time) {
        match self.life {
            Life::Open => {}
            // The shorter wait wins.
            Life::Closing(earlier) => {
                self.life = Life::Closing(earlier.min(until));
                return;
            }
            Life::Closed { .. } => return,
        }
        self.life = Life::Closing(until);
        for port in self.listening() {
            self.close_backlog(now, port);
        }
        let ids: Vec<AssocId> = self.engine.associations().collect();
        for id in ids {
            self.shut_down(now, id);
        }
    }

    /// Aborts every association that is left and returns their number.
    pub(crate) fn abort_all(&mut self, now: Time) -> usize {
        let ids: Vec<AssocId> = self.engine.associations().collect();
        for &id in &ids {
            self.abort(now, id, "the endpoint is closed");
        }
        self.dispatch_events(now);
        ids.len()
    }

    /// The end of the endpoint's threads: nobody waits for anything any more.
    pub(crate) fn finish(&mut self, aborted: usize) {
        self.life = Life::Closed { aborted };
        self.closers.wake_into(&mut self.awake);
        self.wake_late();
        for slot in self.slots.values_mut() {
            if slot.stage.end().is_none() {
                slot.end(CloseReason::Aborted, Vec::new(), &mut self.awake);
            }
        }
        self.slots.retain(|_, slot| !slot.is_forgotten());
        for mut backlog in mem::take(&mut self.backlogs).into_values() {
            backlog.acceptors.wake_into(&mut self.awake);
        }
    }
}
