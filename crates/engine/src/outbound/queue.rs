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

/// Charge per message beyond its bytes, for bookkeeping.
const MESSAGE_OVERHEAD: usize = 64;

/// The number that identifies a message; numbers wrap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ticket(pub(super) u32);

impl Ticket {
    /// The ticket of messages sent before tickets were needed.
    pub(crate) const NONE: Self = Self(0);

    pub(super) const fn next(self) -> Self {
        match self.0.wrapping_add(1) {
            0 => Self(1),
            next => Self(next),
        }
    }

    /// Whether this ticket was issued before `other`.
    fn is_before(self, other: Self) -> bool {
        self == Self::NONE || self.0.wrapping_sub(other.0) > u32::MAX / 2
    }
}

/// A message that the user handed in.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    pub(crate) message: Message,
    /// Passed through uninterpreted by the engine.
    pub(crate) context: u64,
    pub(crate) acknowledgement: Acknowledgement,
    pub(crate) ticket: Ticket,
    /// The path that the user chose.
    pub(crate) direction: Option<PathIndex>,
    /// The paths on which the message leaves, with the options' default applied.
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

    /// The part of the charge released when the whole message is acknowledged.
    pub(crate) const fn overhead() -> usize {
        MESSAGE_OVERHEAD
    }
}

/// Messages not sent at all yet, in the order chosen by the scheduler.
#[derive(Clone, Debug)]
pub(crate) struct SendQueue {
    waiting: Waiting,
    unsent_bytes: usize,
}

/// Queued messages: first come, first served, or under another [`StreamScheduler`]; either may be
/// behind a gate.
#[derive(Clone, Debug)]
enum Waiting {
    /// First come, first served over all streams.
    Arrival(Queue<Outgoing>),
    /// A scheduler chooses the stream.
    Scheduled(Box<StreamQueues>),
    /// First come, first served, after finishing the messages begun by another scheduler.
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

    /// Length in bytes of the message that [`pop`](Self::pop) would take.
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

    /// Finds a message of the stream.
    pub(crate) fn find(&self, stream: StreamId, ticket: Ticket) -> Option<&Outgoing> {
        self.waiting.find(stream, ticket)
    }

    /// Removes a message of the stream from any position.
    pub(crate) fn remove(&mut self, stream: StreamId, ticket: Ticket) -> Option<Outgoing> {
        let outgoing = self.waiting.remove(stream, ticket)?;
        self.forget_unsent(outgoing.message.payload.len());
        Some(outgoing)
    }

    /// The path that the user chose for the message that [`pop`](Self::pop) would take.
    pub(crate) fn front_direction(&self) -> Option<PathIndex> {
        self.waiting.front()?.direction
    }

    /// The paths of the message that [`pop`](Self::pop) would take.
    pub(crate) fn front_redundancy(&self) -> Option<Redundancy> {
        Some(self.waiting.front()?.redundancy)
    }

    /// The ticket of the message that [`pop`](Self::pop) would take.
    pub(crate) fn front_ticket(&self) -> Option<Ticket> {
        Some(self.waiting.front()?.ticket)
    }

    /// Removes the rest of an abandoned message, `unsent` bytes; its number in the ring is
    /// `message`.
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

    /// Lets the scheduler choose a stream for each chunk. First come, first served still finishes
    /// each message that it began.
    pub(crate) fn interleave(&mut self) {
        if let Some(stream_queues) = self.waiting.stream_queues_mut() {
            stream_queues.interleave();
        }
    }

    /// The next fragment, if a scheduler chooses a stream for each chunk.
    #[inline(always)] // See `front_len`.
    pub(crate) fn interleaved(&self) -> Option<Option<NextFragment>> {
        let stream_queues = self.waiting.stream_queues()?;
        stream_queues
            .is_interleaved()
            .then(|| stream_queues.next_fragment())
    }

    /// Replaces the scheduler; `None` is first come, first served. Waiting messages keep their
    /// order of arrival. `begun` is the message begun by first come, first served, if messages are
    /// interleaved.
    pub(crate) fn reschedule(&mut self, schedule: Option<Box<dyn Schedule>>, begun: Option<Begun>) {
        let waiting = mem::replace(&mut self.waiting, Waiting::EMPTY);
        self.waiting = waiting.reschedule(schedule, begun);
    }

    /// Sets the priority of a stream; ignored by schedulers without priorities.
    pub(crate) fn set_priority(&mut self, stream: StreamId, priority: u16) {
        if let Some(stream_queues) = self.waiting.stream_queues_mut() {
            stream_queues.set_priority(stream, priority);
        }
    }

    /// Sets the weight of a stream; ignored by schedulers without weights.
    pub(crate) fn set_weight(&mut self, stream: StreamId, weight: NonZeroU16) {
        if let Some(stream_queues) = self.waiting.stream_queues_mut() {
            stream_queues.set_weight(stream, weight);
        }
    }

    /// `bytes` were cut from the scheduler's current message, which is `message` in the ring and
    /// has `rest` bytes left.
    #[inline]
    pub(crate) fn on_fragmented(&mut self, bytes: usize, message: u32, rest: usize) {
        self.unsent_bytes = self.unsent_bytes.saturating_sub(bytes);
        if let Some(stream_queues) = self.waiting.stream_queues_mut() {
            stream_queues.on_fragmented(bytes, message, rest);
            self.waiting.settle();
        }
    }

    /// The packet is complete.
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

    /// Whether any message is partly sent, if a scheduler chooses a stream for each chunk.
    pub(crate) fn has_begun(&self) -> bool {
        let stream_queues = self.waiting.stream_queues();
        stream_queues.is_some_and(|stream_queues| stream_queues.has_begun(None))
    }

    /// Bytes waiting on a stream, overhead included. If they exceed `most`, any larger number.
    pub(crate) fn waiting_on(&self, stream: StreamId, most: usize) -> usize {
        self.waiting.waiting_on(stream, most)
    }

    /// User bytes not yet put into a chunk.
    pub(crate) const fn unsent_bytes(&self) -> usize {
        self.unsent_bytes
    }

    /// Messages not sent at all yet.
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        // Most senders have unsent bytes, and this test is the cheaper one.
        self.unsent_bytes == 0 && self.waiting.is_empty()
    }

    pub(crate) fn trim(&mut self) {
        self.waiting.trim();
    }

    /// Bytes on the heap, excluding user data.
    pub(crate) fn footprint(&self) -> usize {
        self.waiting.footprint()
    }

    /// Holds back new messages of these streams; an empty list means all streams.
    pub(crate) fn gate(&mut self, streams: Vec<StreamId>) {
        self.set_gate(|queue| Gate::for_streams(queue, streams));
    }

    /// Holds back all messages not yet begun.
    pub(crate) fn shut(&mut self) {
        self.set_gate(Gate::shut);
    }

    /// Releases everything held back.
    pub(crate) fn open(&mut self) {
        self.waiting = match mem::replace(&mut self.waiting, Waiting::EMPTY) {
            Waiting::Gated(gate) => gate.open(),
            other => other,
        };
    }

    pub(crate) const fn is_gated(&self) -> bool {
        matches!(self.waiting, Waiting::Gated(_))
    }

    /// Whether all messages queued before the gate and affected by it were sent, including the
    /// `partly` sent one.
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

    /// Removes the messages of streams that the peer did not grant.
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

    /// Switches to first come, first served once no begun message is left to finish.
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

    /// Frees unused memory.
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

    /// The charge of messages waiting on a stream, counted until it exceeds `most`.
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

/// The index of the ticket's message. Tickets ascend, except for messages that a gate held back.
fn position(messages: &VecDeque<Outgoing>, ticket: Ticket) -> Option<usize> {
    let is_it = |outgoing: &Outgoing| outgoing.ticket == ticket;
    let at = messages.partition_point(|outgoing| outgoing.ticket.is_before(ticket));
    if messages.get(at).is_some_and(is_it) {
        return Some(at);
    }
    messages.iter().position(is_it)
}

/// The charge of a stream's messages, counted from the newest until it exceeds `most`.
fn charge_on(messages: &VecDeque<Outgoing>, stream: StreamId, most: usize) -> usize {
    let newest_first = messages.iter().rev();
    total(
        newest_first.filter(|outgoing| outgoing.message.stream == stream),
        most,
    )
}

/// The total charge of messages, counted until it exceeds `most`.
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
