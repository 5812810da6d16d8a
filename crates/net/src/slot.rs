use std::collections::VecDeque;
use std::task::Waker;

use sheave_engine::{CloseReason, Event, Received};

use crate::wait::Waiters;

/// Events kept for whoever takes them; further ones are lost and counted.
const MAX_EVENTS: usize = 1024;

/// What the driver keeps of an association for its handles.
#[derive(Debug)]
pub(crate) struct Slot {
    /// Whether a handle still exists.
    pub(crate) hold: Hold,
    /// Takers of events.
    pub(crate) watchers: usize,
    /// The local SCTP port.
    pub(crate) port: u16,
    /// How far it has come.
    pub(crate) stage: Stage,
    /// What had arrived and was not read when it ended.
    pub(crate) unread: VecDeque<Received>,
    /// Those who wait for a message.
    pub(crate) readers: Waiters,
    /// Those who wait for room to send.
    pub(crate) writers: Waiters,
    /// Those who wait for it to be established or to end.
    pub(crate) stagers: Waiters,
    events: VecDeque<Event>,
    lost: u64,
    takers: Waiters,
}

/// Whether the user still has a handle to an association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    /// Yes.
    Held,
    /// No: it closes in the background and what it receives is discarded.
    Released,
}

/// How far an association has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Being set up.
    Connecting,
    /// It has been established.
    Established {
        /// Streams that we may send on.
        outbound: u16,
        /// Streams that the peer may send on.
        inbound: u16,
    },
    /// It is gone.
    Ended {
        /// Why.
        reason: CloseReason,
        /// Streams that we were allowed to send on.
        outbound: u16,
        /// Streams that the peer was allowed to send on.
        inbound: u16,
    },
}

impl Stage {
    /// Streams out and in.
    pub(crate) fn streams(&self) -> (u16, u16) {
        match *self {
            Self::Connecting => (0, 0),
            Self::Established { outbound, inbound }
            | Self::Ended {
                outbound, inbound, ..
            } => (outbound, inbound),
        }
    }

    /// Why it ended, if it did.
    pub(crate) fn end(&self) -> Option<&CloseReason> {
        match self {
            Self::Ended { reason, .. } => Some(reason),
            Self::Connecting | Self::Established { .. } => None,
        }
    }
}

impl Slot {
    pub(crate) fn new(port: u16, stage: Stage) -> Self {
        Self {
            hold: Hold::Held,
            watchers: 0,
            port,
            stage,
            unread: VecDeque::new(),
            readers: Waiters::default(),
            writers: Waiters::default(),
            stagers: Waiters::default(),
            events: VecDeque::new(),
            lost: 0,
            takers: Waiters::default(),
        }
    }

    /// Whether nobody will ever ask for it again.
    pub(crate) fn is_forgotten(&self) -> bool {
        self.hold == Hold::Released && self.watchers == 0 && self.stage.end().is_some()
    }

    /// Keeps an event for its takers. The end is always kept.
    pub(crate) fn push_event(&mut self, event: Event, awake: &mut Vec<Waker>) {
        let end = matches!(event, Event::Closed { .. });
        if self.hold == Hold::Released && self.watchers == 0 {
            return;
        }
        if self.events.len() >= MAX_EVENTS && !end {
            self.lost += 1;
            return;
        }
        self.events.push_back(event);
        self.takers.wake_into(awake);
    }

    pub(crate) fn pop_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    pub(crate) fn lost_events(&self) -> u64 {
        self.lost
    }

    pub(crate) fn takers(&mut self) -> &mut Waiters {
        &mut self.takers
    }

    /// Ends it: whoever waits for anything learns why.
    pub(crate) fn end(
        &mut self,
        reason: CloseReason,
        unread: Vec<Received>,
        awake: &mut Vec<Waker>,
    ) {
        let (outbound, inbound) = self.stage.streams();
        self.unread = match self.hold {
            Hold::Held => unread.into(),
            Hold::Released => VecDeque::new(),
        };
        self.push_event(
            Event::Closed {
                reason: reason.clone(),
                unread: Vec::new(),
            },
            awake,
        );
        self.stage = Stage::Ended {
            reason,
            outbound,
            inbound,
        };
        self.readers.wake_into(awake);
        self.writers.wake_into(awake);
        self.stagers.wake_into(awake);
        self.takers.wake_into(awake);
    }
}
