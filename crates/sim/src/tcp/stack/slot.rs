use std::collections::BTreeSet;

use sheave_engine::Time;

use super::ConnectionId;
use crate::tcp::Phase;
use crate::tcp::receiver::Receiver;
use crate::tcp::tcb::Tcb;

/// A connection and what the stack remembers of it.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) tcb: Tcb,
    /// Whether `ready` names it.
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

/// Whether an application waits for room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writable {
    Wanted,
    Unasked,
}

/// The side that began a connection.
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

/// The state of a connection that the application can see.
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

    /// When something is to happen to the connection though nothing comes.
    pub(super) fn deadline(&self) -> Option<Time> {
        match self.tcb.phase() {
            Phase::Closed => None,
            _ => self.tcb.deadline(),
        }
    }

    /// Sees to it that `deadlines` has none later than the connection's.
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
