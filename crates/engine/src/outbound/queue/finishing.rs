use super::stream_queues::{Begun, StreamQueues};
use super::{Outgoing, Ticket, position};
use crate::StreamScheduler;
use crate::on_demand::Queue;

/// First come, first served, after messages of several streams were begun in turn (RFC 8260
/// §2.2.1); those are finished first.
#[derive(Clone, Debug)]
pub(super) struct Finishing {
    /// Holds only the begun messages.
    pub(super) stream_queues: StreamQueues,
    pub(super) then: Queue<Outgoing>,
}

impl Finishing {
    /// `None` if there is no message to finish.
    pub(super) fn of(begun: Begun) -> Option<Self> {
        let schedule = StreamScheduler::RoundRobin.schedule()?;
        let stream_queues = StreamQueues::going_on(schedule, Some(begun));
        stream_queues.has_begun(None).then_some(Self {
            stream_queues,
            then: Queue::NONE,
        })
    }

    pub(super) fn is_done(&self) -> bool {
        !self.stream_queues.has_begun(None)
    }

    pub(super) fn find(&self, ticket: Ticket) -> Option<&Outgoing> {
        self.then.get(position(&self.then, ticket)?)
    }

    pub(super) fn remove(&mut self, ticket: Ticket) -> Option<Outgoing> {
        let at = position(&self.then, ticket)?;
        self.then.existing()?.remove(at)
    }

    /// Bytes on the heap, excluding user data.
    pub(super) fn footprint(&self) -> usize {
        size_of::<Self>() - size_of::<StreamQueues>()
            + self.stream_queues.footprint()
            + self.then.room()
    }
}
