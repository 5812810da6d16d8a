mod finishing;
mod gate;
pub(super) mod stream_queues;

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::mem;
use core::num::NonZeroU16;

use sheave_wire::StreamId;

use self::finishing::Finishing;
use self::gate::Gate;
use self::stream_queues::StreamQueues;
pub(crate) use self::stream_queues::{Begun, NextFragment};
use crate::on_demand::{Element, Queue};
use crate::value::ids::PathIndex;
use crate::{Acknowledgement, Message, Redundancy, Schedule, SendOptions, StreamScheduler};

/// Charge of a message beyond its bytes: the records that are kept of it.
const MESSAGE_OVERHEAD: usize = 64;

/// The number of a message, by which it is found again; they wrap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ticket(pub(super) u32);

impl Ticket {
    /// The ticket of messages from before there was one that may be given up.
    pub(crate) const NONE: Self = Self(0);

    pub(super) const fn next(self) -> Self {
        match self.0.wrapping_add(1) {
            0 => Self(1),
            next => Self(next),
        }
    }

    /// Whether it was issued before `other`.
    fn is_before(self, other: Self) -> bool {
        self == Self::NONE || self.0.wrapping_sub(other.0) > u32::MAX / 2
    }
}

/// A message that the user handed in.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    pub(crate) message: Message,
    /// Means nothing to the engine.
    pub(crate) context: u64,
    pub(crate) acknowledgement: Acknowledgement,
    pub(crate) ticket: Ticket,
    /// The path that the user chose.
    pub(crate) direction: Option<PathIndex>,
    /// The paths that it leaves on; the options have been asked.
    pub(crate) redundancy: Redundancy,
}

impl Element for Outgoing {
    const NONE: &'static VecDeque<Self> = &VecDeque::new();
}

impl Outgoing {
    #[inline]
    pub(crate) const fn new(
        message: Message,
        options: SendOptions,
        ticket: Ticket,
        direction: Option<PathIndex>,
    ) -> Self {
        Self {
            message,
            context: options.context,
            acknowledgement: options.acknowledgement,
            ticket,
            direction,
            redundancy: options.redundancy,
        }
    }

    /// Bytes charged to the send buffer.
    pub(crate) fn charge(&self) -> usize {
        Self::charge_for(&self.message)
    }

    /// Bytes that a message would be charged.
    pub(crate) fn charge_for(message: &Message) -> usize {
        message.payload.len() + MESSAGE_OVERHEAD
    }

    /// The part of the charge that is released when the whole message is acknowledged.
    pub(crate) const fn overhead() -> usize {
        MESSAGE_OVERHEAD
    }
}

/// Messages of which nothing was sent yet, and the order in which they will be.
#[derive(Clone, Debug)]
pub(crate) struct SendQueue {
    waiting: Waiting,
    unsent_bytes: usize,
}

/// First come, first served, any other [`StreamScheduler`], and either of them behind a gate.
#[derive(Clone, Debug)]
enum Waiting {
    /// First come, first served over all streams.
    Arrival(Queue<Outgoing>),
    /// A scheduler chooses the stream.
    Scheduled(Box<StreamQueues>),
    /// First come, first served, once what a scheduler began is at its end.
    Finishing(Box<Finishing>),
    /// Streams are being reset.
    Gated(Box<Gate>),
}

impl SendQueue {
    pub(crate) fn new(scheduler: StreamScheduler) -> Self {
        let waiting = scheduler.schedule().map_or(Waiting::EMPTY, |schedule| {
            Waiting::Scheduled(Box::new(StreamQueues::new(schedule)))
        });
        Self {
            waiting,
            unsent_bytes: 0,
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, outgoing: Outgoing) {
        self.unsent_bytes += outgoing.message.payload.len();
        self.waiting.push(outgoing);
    }

    /// Bytes of the message that [`pop`](Self::pop) would take.
    #[inline(always)] // A few instructions, asked for by every chunk.
    pub(crate) fn front_len(&self) -> Option<usize> {
        let next = self.waiting.front();
        next.map(|outgoing| outgoing.message.payload.len())
    }

    /// Takes the next message; its bytes count as unsent until [`on_fragmented`](Self::on_fragmented).
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Outgoing> {
        self.waiting.pop()
    }

    /// Looks at a message of that stream.
    pub(crate) fn find(&self, stream: StreamId, ticket: Ticket) -> Option<&Outgoing> {
        self.waiting.find(stream, ticket)
    }

    /// Takes out a message of that stream, wherever it stands.
    pub(crate) fn remove(&mut self, stream: StreamId, ticket: Ticket) -> Option<Outgoing> {
        let outgoing = self.waiting.remove(stream, ticket)?;
        self.forget_unsent(outgoing.message.payload.len());
        Some(outgoing)
    }

    /// The path that the user chose for the message that [`pop`](Self::pop) would take.
    pub(crate) fn front_direction(&self) -> Option<PathIndex> {
        self.waiting.front()?.direction
    }

    /// The paths that the message leaves on which [`pop`](Self::pop) would take.
    pub(crate) fn front_redundancy(&self) -> Option<Redundancy> {
        Some(self.waiting.front()?.redundancy)
    }

    /// The ticket of the message that [`pop`](Self::pop) would take.
    pub(crate) fn front_ticket(&self) -> Option<Ticket> {
        Some(self.waiting.front()?.ticket)
    }

    /// The rest of a message, `unsent` bytes if any, is given up; it is `message` in the ring.
    pub(crate) fn on_abandoned(&mut self, stream: StreamId, message: u32, unsent: usize) {
        self.forget_unsent(unsent);
        if unsent > 0
            && let Some(stream_queues) = self.waiting.stream_queues_mut()
        {
            stream_queues.on_abandoned(stream, message);
            self.waiting.settle();
        }
    }

    fn forget_unsent(&mut self, bytes: usize) {
        self.unsent_bytes = self.unsent_bytes.saturating_sub(bytes);
    }

    /// From now on the scheduler chooses a stream for each chunk. First come, first served does
    /// not: it goes on with the message that it began.
    pub(crate) fn interleave(&mut self) {
        if let Some(stream_queues) = self.waiting.stream_queues_mut() {
            stream_queues.interleave();
        }
    }

    /// The next fragment, where a scheduler chooses a stream for each chunk.
    #[inline(always)] // See `front_len`.
    pub(crate) fn interleaved(&self) -> Option<Option<NextFragment>> {
        let stream_queues = self.waiting.stream_queues()?;
        stream_queues
            .is_interleaved()
            .then(|| stream_queues.next_fragment())
    }

    /// Lets another scheduler choose from now on; none stands for first come, first served. What
    /// waits is taken over in the order in which it came.
    /// `begun`: where messages are interleaved, what first come, first served has begun.
    pub(crate) fn reschedule(&mut self, schedule: Option<Box<dyn Schedule>>, begun: Option<Begun>) {
        let waiting = mem::replace(&mut self.waiting, Waiting::EMPTY);
        self.waiting = waiting.reschedule(schedule, begun);
    }

    /// The priority of a stream; without meaning to other schedulers.
    pub(crate) fn set_priority(&mut self, stream: StreamId, priority: u16) {
        if let Some(stream_queues) = self.waiting.stream_queues_mut() {
            stream_queues.set_priority(stream, priority);
        }
    }

    /// The weight of a stream; without meaning to other schedulers.
    pub(crate) fn set_weight(&mut self, stream: StreamId, weight: NonZeroU16) {
        if let Some(stream_queues) = self.waiting.stream_queues_mut() {
            stream_queues.set_weight(stream, weight);
        }
    }

    /// `bytes` were cut of the message whose turn it is: `message` in the ring, of which `rest`
    /// bytes are left.
    #[inline]
    pub(crate) fn on_fragmented(&mut self, bytes: usize, message: u32, rest: usize) {
        self.unsent_bytes = self.unsent_bytes.saturating_sub(bytes);
        if let Some(stream_queues) = self.waiting.stream_queues_mut() {
            stream_queues.on_fragmented(bytes, message, rest);
            self.waiting.settle();
        }
    }

    /// Nothing more goes into the packet.
    #[inline]
    pub(crate) fn on_packet_end(&mut self) {
        if let Some(stream_queues) = self.waiting.stream_queues_mut() {
            stream_queues.on_packet_end();
        }
    }

    /// The messages, in no particular order.
    pub(crate) fn messages(&self) -> impl Iterator<Item = &Message> {
        self.waiting.iter().map(|outgoing| &outgoing.message)
    }

    /// Whether any message is partly sent, where a scheduler chooses a stream for each chunk.
    pub(crate) fn has_begun(&self) -> bool {
        let stream_queues = self.waiting.stream_queues();
        stream_queues.is_some_and(|stream_queues| stream_queues.has_begun(None))
    }

    /// Bytes that wait on a stream, overhead included; where they are more than `most`, any number
    /// above.
    pub(crate) fn waiting_on(&self, stream: StreamId, most: usize) -> usize {
        self.waiting.waiting_on(stream, most)
    }

    /// User bytes that were not yet put into a chunk.
    pub(crate) const fn unsent_bytes(&self) -> usize {
        self.unsent_bytes
    }

    /// Messages of which nothing was sent yet.
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        // Most senders have bytes, which are soonest asked for.
        self.unsent_bytes == 0 && self.waiting.is_empty()
    }

    pub(crate) fn trim(&mut self) {
        self.waiting.trim();
    }

    /// Bytes on the heap, user data not counted.
    pub(crate) fn footprint(&self) -> usize {
        self.waiting.footprint()
    }

    /// Holds new messages of these streams back from now on; of all streams if there are none.
    pub(crate) fn gate(&mut self, streams: Vec<StreamId>) {
        self.set_gate(|queue| Gate::for_streams(queue, streams));
    }

    /// Holds everything back of which nothing was sent yet.
    pub(crate) fn shut(&mut self) {
        self.set_gate(Gate::shut);
    }

    /// Lets everything go on that was held back.
    pub(crate) fn open(&mut self) {
        self.waiting = match mem::replace(&mut self.waiting, Waiting::EMPTY) {
            Waiting::Gated(gate) => gate.open(),
            other => other,
        };
    }

    pub(crate) const fn is_gated(&self) -> bool {
        matches!(self.waiting, Waiting::Gated(_))
    }

    /// Whether no message that came before the gate concerns it, the one that is `partly` sent
    /// included.
    pub(crate) fn is_clear(&self, partly: Option<StreamId>) -> bool {
        match &self.waiting {
            Waiting::Gated(gate) => {
                gate.is_clear()
                    && !partly.is_some_and(|stream| gate.covers(stream))
                    && !gate.has_begun()
            }
            _ => true,
        }
    }

    fn set_gate(&mut self, make: impl FnOnce(Waiting) -> Gate) {
        self.open();
        let queue = mem::replace(&mut self.waiting, Waiting::EMPTY);
        self.waiting = Waiting::Gated(Box::new(make(queue)));
    }

    /// Takes out the messages of streams that the peer did not grant.
    pub(crate) fn remove_streams_from(&mut self, first: StreamId) -> Vec<Outgoing> {
        let all_granted = |outgoing: &Outgoing| outgoing.message.stream < first;
        if self.waiting.iter().all(all_granted) {
            return Vec::new();
        }
        let all = self.waiting.take_all();
        let (refused, kept): (Vec<_>, Vec<_>) = all
            .into_iter()
            .partition(|outgoing| outgoing.message.stream >= first);
        for outgoing in kept {
            self.waiting.push(outgoing);
        }
        self.unsent_bytes -= refused
            .iter()
            .map(|one| one.message.payload.len())
            .sum::<usize>();
        refused
    }

    pub(crate) fn into_iter(mut self) -> impl Iterator<Item = Outgoing> {
        self.open();
        self.waiting.take_all().into_iter()
    }
}

impl Waiting {
    const EMPTY: Self = Self::Arrival(Queue::NONE);

    fn reschedule(mut self, schedule: Option<Box<dyn Schedule>>, begun: Option<Begun>) -> Self {
        if let Self::Gated(gate) = &mut self {
            let queue = mem::replace(&mut gate.queue, Self::EMPTY);
            gate.queue = queue.reschedule(schedule, begun);
            return self;
        }
        if matches!((&self, &schedule), (Self::Arrival(_), None)) {
            return self;
        }
        let messages = self.take_all();
        let begun = match self.stream_queues_mut() {
            Some(stream_queues) => stream_queues.take_begun(),
            None => begun,
        };
        let mut waiting = match schedule {
            Some(schedule) => Self::Scheduled(Box::new(StreamQueues::going_on(schedule, begun))),
            None => match begun.and_then(Finishing::of) {
                Some(finishing) => Self::Finishing(Box::new(finishing)),
                None => Self::EMPTY,
            },
        };
        for outgoing in messages {
            waiting.push(outgoing);
        }
        waiting
    }

    /// Goes over to first come, first served if nothing is left to be finished.
    #[inline]
    fn settle(&mut self) {
        match self {
            Self::Finishing(finishing) if finishing.is_done() => {
                *self = Self::Arrival(mem::replace(&mut finishing.then, Queue::NONE));
            }
            Self::Gated(gate) => gate.queue.settle(),
            _ => {}
        }
    }

    /// Gives back the room that no message waits in.
    fn trim(&mut self) {
        self.settle();
        match self {
            Self::Arrival(messages) => messages.trim(),
            Self::Scheduled(stream_queues) => stream_queues.trim(),
            Self::Finishing(finishing) => finishing.then.trim(),
            Self::Gated(gate) => {
                gate.held.shrink_to_fit();
                gate.queue.trim();
            }
        }
    }

    #[inline(always)] // So that the message is moved once.
    fn push(&mut self, outgoing: Outgoing) {
        let messages = match self {
            Self::Arrival(messages) => messages,
            Self::Finishing(finishing) => &mut finishing.then,
            Self::Scheduled(stream_queues) => return stream_queues.push(outgoing),
            Self::Gated(gate) => return gate.push(outgoing),
        };
        messages.push_back(outgoing);
    }

    #[inline(always)] // See `SendQueue::front_len`.
    fn front(&self) -> Option<&Outgoing> {
        match self {
            Self::Arrival(messages) => messages.front(),
            Self::Scheduled(stream_queues) => stream_queues.front(),
            Self::Finishing(_) => None,
            Self::Gated(gate) => gate.front(),
        }
    }

    #[inline(always)] // So that the message is moved once.
    fn pop(&mut self) -> Option<Outgoing> {
        match self {
            Self::Arrival(messages) => messages.existing()?.pop_front(),
            Self::Scheduled(stream_queues) => stream_queues.pop(),
            Self::Finishing(_) => None,
            Self::Gated(gate) => gate.pop(),
        }
    }

    fn find(&self, stream: StreamId, ticket: Ticket) -> Option<&Outgoing> {
        match self {
            Self::Arrival(messages) => messages.get(position(messages, ticket)?),
            Self::Scheduled(stream_queues) => stream_queues.find(stream, ticket),
            Self::Finishing(finishing) => finishing.find(ticket),
            Self::Gated(gate) => gate.find(stream, ticket),
        }
    }

    fn remove(&mut self, stream: StreamId, ticket: Ticket) -> Option<Outgoing> {
        match self {
            Self::Arrival(messages) => {
                let at = position(messages, ticket)?;
                messages.existing()?.remove(at)
            }
            Self::Scheduled(stream_queues) => stream_queues.remove(stream, ticket),
            Self::Finishing(finishing) => finishing.remove(ticket),
            Self::Gated(gate) => gate.remove(stream, ticket),
        }
    }

    /// The charge of what waits on a stream, counted until it is more than `most`.
    fn waiting_on(&self, stream: StreamId, most: usize) -> usize {
        match self {
            Self::Arrival(messages) => charge_on(messages, stream, most),
            Self::Scheduled(stream_queues) => stream_queues.waiting_on(stream, most),
            Self::Finishing(finishing) => charge_on(&finishing.then, stream, most),
            Self::Gated(gate) => {
                let ahead = gate.queue.waiting_on(stream, most);
                ahead.saturating_add(charge_on(&gate.held, stream, most))
            }
        }
    }

    #[inline(always)] // See `SendQueue::front_len`.
    fn stream_queues(&self) -> Option<&StreamQueues> {
        match self {
            Self::Arrival(_) => None,
            other => other.stream_queues_there(),
        }
    }

    fn stream_queues_there(&self) -> Option<&StreamQueues> {
        match self {
            Self::Arrival(_) => None,
            Self::Scheduled(stream_queues) => Some(stream_queues),
            Self::Finishing(finishing) => Some(&finishing.stream_queues),
            Self::Gated(gate) => gate.queue.stream_queues(),
        }
    }

    #[inline(always)] // See `SendQueue::front_len`.
    fn stream_queues_mut(&mut self) -> Option<&mut StreamQueues> {
        match self {
            Self::Arrival(_) => None,
            other => other.stream_queues_there_mut(),
        }
    }

    fn stream_queues_there_mut(&mut self) -> Option<&mut StreamQueues> {
        match self {
            Self::Arrival(_) => None,
            Self::Scheduled(stream_queues) => Some(stream_queues),
            Self::Finishing(finishing) => Some(&mut finishing.stream_queues),
            Self::Gated(gate) => gate.queue.stream_queues_mut(),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Arrival(messages) => messages.len(),
            Self::Scheduled(stream_queues) => stream_queues.len(),
            Self::Finishing(finishing) => finishing.then.len(),
            Self::Gated(gate) => gate.held.len() + gate.queue.len(),
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::Arrival(messages) => messages.is_empty(),
            Self::Scheduled(stream_queues) => stream_queues.is_empty(),
            Self::Finishing(finishing) => finishing.then.is_empty(),
            Self::Gated(gate) => gate.held.is_empty() && gate.queue.is_empty(),
        }
    }

    fn footprint(&self) -> usize {
        match self {
            Self::Arrival(messages) => messages.room(),
            Self::Scheduled(stream_queues) => stream_queues.footprint(),
            Self::Finishing(finishing) => finishing.footprint(),
            Self::Gated(gate) => {
                let held = gate.held.capacity() * size_of::<Outgoing>();
                size_of::<Gate>() + held + gate.queue.footprint()
            }
        }
    }

    fn take_all(&mut self) -> Vec<Outgoing> {
        match self {
            Self::Arrival(messages) => messages.take().into(),
            Self::Scheduled(stream_queues) => stream_queues.take_all(),
            Self::Finishing(finishing) => finishing.then.take().into(),
            Self::Gated(gate) => {
                let mut all = gate.queue.take_all();
                all.extend(gate.held.drain(..));
                all
            }
        }
    }

    fn iter(&self) -> Box<dyn Iterator<Item = &Outgoing> + '_> {
        match self {
            Self::Arrival(messages) => Box::new(messages.iter()),
            Self::Scheduled(stream_queues) => Box::new(stream_queues.iter()),
            Self::Finishing(finishing) => Box::new(finishing.then.iter()),
            Self::Gated(gate) => Box::new(gate.queue.iter().chain(&gate.held)),
        }
    }
}

/// The index of the message of that ticket. Tickets ascend, but for what a gate held back.
fn position(messages: &VecDeque<Outgoing>, ticket: Ticket) -> Option<usize> {
    let is_it = |outgoing: &Outgoing| outgoing.ticket == ticket;
    let at = messages.partition_point(|outgoing| outgoing.ticket.is_before(ticket));
    if messages.get(at).is_some_and(is_it) {
        return Some(at);
    }
    messages.iter().position(is_it)
}

/// The charge of the messages of a stream, counted from the newest until it is more than `most`.
fn charge_on(messages: &VecDeque<Outgoing>, stream: StreamId, most: usize) -> usize {
    let newest_first = messages.iter().rev();
    total(
        newest_first.filter(|outgoing| outgoing.message.stream == stream),
        most,
    )
}

/// The charge of messages, counted until it is more than `most`.
pub(super) fn total<'a>(messages: impl Iterator<Item = &'a Outgoing>, most: usize) -> usize {
    let mut total: usize = 0;
    for outgoing in messages {
        total = total.saturating_add(outgoing.charge());
        if total > most {
            break;
        }
    }
    total
}
