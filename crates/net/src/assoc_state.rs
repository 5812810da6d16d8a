use std::collections::VecDeque;
use std::task::Waker;

use sheave_engine::{CloseReason, Event, PeerAddress, Received};

use crate::error::ConnectError;
use crate::wait::Waiters;

/// Maximum queued events; further ones are dropped and counted.
const MAX_EVENTS: usize = 1024;

/// The driver's state of an association for its handles.
#[derive(Debug)]
pub(crate) struct AssocState {
    /// Whether a handle still exists.
    pub(crate) hold: Hold,
    /// Number of event subscriptions.
    pub(crate) watchers: usize,
    /// The local SCTP port.
    pub(crate) port: u16,
    /// The engine's name for the peer's address at set-up.
    pub(crate) peer: Option<PeerAddress>,
    /// The error that ended the association below SCTP, if one did.
    pub(crate) lost: Option<ConnectError>,
    /// The stage of the association.
    pub(crate) stage: Stage,
    /// Messages that were unread when the association ended.
    pub(crate) unread: VecDeque<Received>,
    /// Threads and tasks waiting for a message.
    pub(crate) receive_waiters: Waiters,
    /// Threads and tasks waiting for send-buffer space, or until sending is possible at all.
    pub(crate) send_waiters: Waiters,
    /// Threads and tasks waiting for the association to be established or to end.
    pub(crate) stage_waiters: Waiters,
    events: VecDeque<Event>,
    lost_events: u64,
    event_waiters: Waiters,
}

/// Whether the user still has a handle to an association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    /// A handle exists.
    Held,
    /// No handle exists: the association closes in the background, and received messages are
    /// discarded.
    Released,
}

/// The stage of an association.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The handshake has no answer yet.
    Connecting,
    /// The peer has answered; messages sent now leave with the handshake.
    Answered {
        /// Streams that we may send on.
        outbound: u16,
        /// Streams that the peer may send on.
        inbound: u16,
    },
    /// The association has been established.
    Established {
        /// Streams that we may send on.
        outbound: u16,
        /// Streams that the peer may send on.
        inbound: u16,
    },
    /// The association is gone.
    Ended {
        /// The reason.
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
            Self::Answered { outbound, inbound }
            | Self::Established { outbound, inbound }
            | Self::Ended {
                outbound, inbound, ..
            } => (outbound, inbound),
        }
    }

    /// The reason why the association ended, if it did.
    pub(crate) fn end(&self) -> Option<&CloseReason> {
        match self {
            Self::Ended { reason, .. } => Some(reason),
            Self::Connecting | Self::Answered { .. } | Self::Established { .. } => None,
        }
    }
}

impl AssocState {
    pub(crate) fn new(port: u16, peer: Option<PeerAddress>, stage: Stage) -> Self {
        Self {
            hold: Hold::Held,
            watchers: 0,
            port,
            peer,
            lost: None,
            stage,
            unread: VecDeque::new(),
            receive_waiters: Waiters::default(),
            send_waiters: Waiters::default(),
            stage_waiters: Waiters::default(),
            events: VecDeque::new(),
            lost_events: 0,
            event_waiters: Waiters::default(),
        }
    }

    /// Whether a thread or task waits for a message.
    pub(crate) fn has_reader(&self) -> bool {
        !self.receive_waiters.is_empty()
    }

    /// Whether a thread or task waits that a slow reader must not delay.
    pub(crate) fn has_impatient(&self) -> bool {
        self.has_reader() || !self.send_waiters.is_empty()
    }

    /// Whether the entry can be removed: ended, with no handle or subscription left.
    pub(crate) fn is_forgotten(&self) -> bool {
        self.hold == Hold::Released && self.watchers == 0 && self.stage.end().is_some()
    }

    /// Queues an event for subscribers; `Closed` is queued even if the queue is full.
    pub(crate) fn push_event(&mut self, event: Event, awake: &mut Vec<Waker>) {
        let end = matches!(event, Event::Closed { .. });
        if self.hold == Hold::Released && self.watchers == 0 {
            return;
        }
        if self.events.len() >= MAX_EVENTS && !end {
            self.lost_events += 1;
            return;
        }
        self.events.push_back(event);
        self.event_waiters.wake_into(awake);
    }

    pub(crate) fn pop_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    pub(crate) fn has_event(&self) -> bool {
        !self.events.is_empty()
    }

    pub(crate) fn lost_events(&self) -> u64 {
        self.lost_events
    }

    pub(crate) fn event_waiters(&mut self) -> &mut Waiters {
        &mut self.event_waiters
    }

    /// Ends the association and wakes all its waiters.
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
        self.receive_waiters.wake_into(awake);
        self.send_waiters.wake_into(awake);
        self.stage_waiters.wake_into(awake);
        self.event_waiters.wake_into(awake);
    }
}
