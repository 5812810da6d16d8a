use std::collections::{BTreeSet, VecDeque};

use sheave_engine::Time;

use super::{ConnectionId, Event};
use crate::tcp::Phase;
use crate::tcp::receiver::Receiver;
use crate::tcp::tcb::Tcb;

/// A connection with the stack's state about it.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) tcb: Tcb,
    /// Whether the connection is in `ready`.
    pub(super) ready: ReadyState,
    /// The connection's entry in `deadlines`.
    pub(super) filed: Option<Time>,
    pub(super) writable: Writable,
    pub(super) origin: Opener,
    pub(super) told_finish: Told,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadyState {
    Queued,
    No,
}

/// Whether the application is waiting for space in the send buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writable {
    Wanted,
    Unasked,
}

/// The side that opened a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opener {
    Us,
    Peer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    Yes,
    No,
}

/// State of a connection that is visible to the application.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sight {
    pub(super) phase: Phase,
    pub(super) readable: usize,
}

impl Slot {
    pub(super) const fn new(tcb: Tcb, origin: Opener) -> Self {
        Self {
            tcb,
            ready: ReadyState::No,
            filed: None,
            writable: Writable::Unasked,
            origin,
            told_finish: Told::No,
        }
    }

    pub(super) fn sight(&self) -> Sight {
        Sight {
            phase: self.tcb.phase(),
            readable: self.tcb.receiver().map_or(0, Receiver::readable),
        }
    }

    /// Queues events for what has changed.
    pub(super) fn tell(
        &mut self,
        id: ConnectionId,
        before: Sight,
        after: Sight,
        events: &mut VecDeque<Event>,
    ) {
        if before.readable == 0 && after.readable > 0 {
            events.push_back(Event::Readable(id));
        }
        if self.writable == Writable::Wanted && self.tcb.sender().has_much_room() {
            self.writable = Writable::Unasked;
            events.push_back(Event::Writable(id));
        }
        let finished = self.tcb.receiver().is_some_and(Receiver::is_finished);
        if finished && self.told_finish == Told::No {
            self.told_finish = Told::Yes;
            events.push_back(Event::PeerFinished(id));
        }
    }

    /// Adds the connection to `ready` unless it has ended.
    pub(super) fn enlist(&mut self, id: ConnectionId, ready: &mut VecDeque<ConnectionId>) {
        if self.ready == ReadyState::No && self.tcb.phase() != Phase::Closed {
            self.ready = ReadyState::Queued;
            ready.push_back(id);
        }
    }

    /// When the connection must be handled even without a segment.
    pub(super) fn deadline(&self) -> Option<Time> {
        match self.tcb.phase() {
            Phase::Closed => None,
            _ => self.tcb.deadline(),
        }
    }

    /// Ensures that `deadlines` has an entry no later than the connection's deadline.
    pub(super) fn file_deadline(
        &mut self,
        id: ConnectionId,
        deadlines: &mut BTreeSet<(Time, ConnectionId)>,
    ) {
        let Some(deadline) = self.deadline() else {
            return;
        };
        match self.filed {
            Some(filed) if filed <= deadline => return,
            Some(late) => {
                deadlines.remove(&(late, id));
            }
            None => {}
        }
        deadlines.insert((deadline, id));
        self.filed = Some(deadline);
    }
}
