use alloc::boxed::Box;
use alloc::vec::Vec;
use core::num::{NonZeroU16, NonZeroU32};
use core::{iter, mem};

use sheave_wire::StreamId;

use super::{Outgoing, Ticket, total};
use crate::per_stream::PerStream;
use crate::{HasMore, Schedule};

/// A queue per stream, and a scheduler that chooses the next stream (RFC 8260 §3). All queues
/// share one block of memory, so the cost per message does not depend on the number of streams.
#[derive(Clone, Debug)]
pub(super) struct StreamQueues {
    slots: Vec<QueueSlot>,
    /// The first free slot.
    free: Option<Index>,
    queues: PerStream<StreamQueue>,
    waiting: usize,
    /// Number of messages ever queued; wraps.
    arrivals: u32,
    schedule: Box<dyn Schedule>,
    /// Allocated if messages are interleaved.
    begun: Option<Box<Begun>>,
}

/// A slot number, counted from 1.
type Index = NonZeroU32;

#[derive(Clone, Debug)]
struct QueueSlot {
    outgoing: Option<Outgoing>,
    /// The next slot of the same stream, or the next free slot.
    next: Option<Index>,
    /// Number of messages queued before this one.
    arrival: u32,
}

/// The messages of one stream not yet begun.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct StreamQueue {
    first: Option<Index>,
    last: Option<Index>,
}

/// The partly sent messages, at most one per stream (RFC 8260 §2.2.2).
#[derive(Clone, Debug, Default)]
pub(crate) struct Begun {
    messages: PerStream<Partly>,
    count: usize,
}

/// A partly sent message.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Partly {
    /// Number of the message in the ring.
    message: u32,
    /// Bytes still to be cut; 0 if there is no such message.
    rest: u32,
}

/// The next fragment to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NextFragment {
    /// Bytes of the message still to be cut.
    pub(crate) rest: usize,
    /// The message's number in the ring, if part of it was sent before.
    pub(crate) begun: Option<u32>,
}

impl Begun {
    /// Creates the list from at most one message: its stream, its number in the ring, and its bytes
    /// still to be cut.
    pub(crate) fn of_one(one: Option<(StreamId, (u32, usize))>) -> Self {
        let mut begun = Self::default();
        if let Some((stream, (message, rest))) = one {
            let rest = u32::try_from(rest).unwrap_or(u32::MAX);
            begun.messages.replace(stream, Partly { message, rest });
            begun.count = 1;
        }
        begun
    }

    /// Streams with a partly sent message, in ascending order.
    fn streams(&self) -> impl Iterator<Item = StreamId> + '_ {
        let partly = self.messages.entries();
        partly.filter_map(|(stream, partly)| (partly.rest > 0).then_some(stream))
    }
}

impl StreamQueues {
    pub(super) fn new(schedule: Box<dyn Schedule>) -> Self {
        Self {
            slots: Vec::new(),
            free: None,
            queues: PerStream::default(),
            waiting: 0,
            arrivals: 0,
            schedule,
            begun: None,
        }
    }

    /// Creates queues that finish these begun messages, if messages are interleaved.
    pub(super) fn going_on(schedule: Box<dyn Schedule>, begun: Option<Begun>) -> Self {
        let mut stream_queues = Self::new(schedule);
        for stream in begun.iter().flat_map(Begun::streams) {
            stream_queues.schedule.on_ready(stream);
        }
        stream_queues.begun = begun.map(Box::new);
        stream_queues
    }

    /// Takes out the partly sent messages, to hand them to the next scheduler's queues.
    pub(super) fn take_begun(&mut self) -> Option<Begun> {
        self.begun.take().map(|begun| *begun)
    }

    /// Lets the scheduler choose a stream for each chunk; no message is partly sent.
    pub(super) fn interleave(&mut self) {
        self.begun.get_or_insert_default();
    }

    pub(super) const fn is_interleaved(&self) -> bool {
        self.begun.is_some()
    }

    pub(super) fn push(&mut self, outgoing: Outgoing) {
        let stream = outgoing.message.stream;
        let idle = self.has_more(stream) == HasMore::No;
        let Some(index) = self.slot(outgoing) else {
            return;
        };
        let mut queue = self.queues.get(stream);
        match queue.last.and_then(|last| self.at_mut(last)) {
            Some(last) => last.next = Some(index),
            None => queue.first = Some(index),
        }
        queue.last = Some(index);
        self.queues.replace(stream, queue);
        self.waiting += 1;
        if idle {
            self.schedule.on_ready(stream);
        }
    }

    /// The next message, if no message of its stream is partly sent.
    pub(super) fn front(&self) -> Option<&Outgoing> {
        let first = self.queues.get(self.schedule.next()?).first?;
        self.at(first)?.outgoing.as_ref()
    }

    /// The next fragment, if messages are interleaved.
    pub(super) fn next_fragment(&self) -> Option<NextFragment> {
        let stream = self.schedule.next()?;
        let partly = self.begun.as_ref()?.messages.get(stream);
        if partly.rest > 0 {
            return Some(NextFragment {
                rest: partly.rest as usize,
                begun: Some(partly.message),
            });
        }
        let rest = self.front()?.message.payload.len();
        Some(NextFragment { rest, begun: None })
    }

    pub(super) fn pop(&mut self) -> Option<Outgoing> {
        let stream = self.schedule.next()?;
        let (_, outgoing) = self.take(stream)?;
        if !self.is_interleaved() {
            let bytes = outgoing.message.payload.len();
            let more = self.has_more(stream);
            self.schedule.on_sent(stream, bytes, more);
        }
        Some(outgoing)
    }

    /// Finds a message of the stream, searching from the oldest.
    pub(super) fn find(&self, stream: StreamId, ticket: Ticket) -> Option<&Outgoing> {
        let mut at = self.queues.get(stream).first;
        while let Some(slot) = at.and_then(|index| self.at(index)) {
            let outgoing = slot.outgoing.as_ref();
            if outgoing.is_some_and(|outgoing| outgoing.ticket == ticket) {
                return outgoing;
            }
            at = slot.next;
        }
        None
    }

    /// The charge of messages waiting on a stream, counted until it exceeds `most`.
    pub(super) fn waiting_on(&self, stream: StreamId, most: usize) -> usize {
        let mut at = self.queues.get(stream).first;
        let queued = iter::from_fn(|| {
            let slot = self.at(at?)?;
            at = slot.next;
            slot.outgoing.as_ref()
        });
        total(queued, most)
    }

    /// Removes a message of the stream from any position.
    pub(super) fn remove(&mut self, stream: StreamId, ticket: Ticket) -> Option<Outgoing> {
        let mut before = None;
        let mut at = self.queues.get(stream).first;
        while let Some(index) = at {
            let slot = self.at(index)?;
            let outgoing = slot.outgoing.as_ref();
            if outgoing.is_some_and(|outgoing| outgoing.ticket == ticket) {
                return self.unlink(stream, before, index);
            }
            before = at;
            at = slot.next;
        }
        None
    }

    fn unlink(&mut self, stream: StreamId, before: Option<Index>, at: Index) -> Option<Outgoing> {
        let free = self.free;
        let slot = self.at_mut(at)?;
        let outgoing = slot.outgoing.take();
        let next = mem::replace(&mut slot.next, free);
        self.free = Some(at);
        let mut queue = self.queues.get(stream);
        match before.and_then(|before| self.at_mut(before)) {
            Some(before) => before.next = next,
            None => queue.first = next,
        }
        if next.is_none() {
            queue.last = before;
        }
        self.queues.replace(stream, queue);
        self.waiting -= 1;
        self.withdraw_if_empty(stream);
        outgoing
    }

    /// Drops the rest of the abandoned message that is `message` in the ring.
    pub(super) fn on_abandoned(&mut self, stream: StreamId, message: u32) {
        let Some(begun) = &mut self.begun else {
            // Ends the packet that was reserved for the abandoned message.
            return self.schedule.on_packet_end();
        };
        let partly = begun.messages.get(stream);
        if partly.rest == 0 || partly.message != message {
            return;
        }
        begun.messages.replace(stream, Partly::default());
        begun.count -= 1;
        self.withdraw_if_empty(stream);
    }

    fn withdraw_if_empty(&mut self, stream: StreamId) {
        if self.has_more(stream) == HasMore::No {
            self.schedule.on_withdrawn(stream);
        }
    }

    /// `bytes` were cut from the scheduler's current message, which is `message` in the ring and
    /// has `rest` bytes left. No effect unless messages are interleaved.
    pub(super) fn on_fragmented(&mut self, bytes: usize, message: u32, rest: usize) {
        let Some(begun) = &mut self.begun else {
            return;
        };
        let Some(stream) = self.schedule.next() else {
            return;
        };
        let rest = u32::try_from(rest).unwrap_or(u32::MAX);
        let before = begun.messages.replace(stream, Partly { message, rest });
        begun.count += usize::from(rest > 0);
        begun.count -= usize::from(before.rest > 0);
        let more = self.has_more(stream);
        self.schedule.on_sent(stream, bytes, more);
    }

    pub(super) fn on_packet_end(&mut self) {
        self.schedule.on_packet_end();
    }

    pub(super) fn set_priority(&mut self, stream: StreamId, priority: u16) {
        self.schedule.set_priority(stream, priority);
    }

    pub(super) fn set_weight(&mut self, stream: StreamId, weight: NonZeroU16) {
        self.schedule.set_weight(stream, weight);
    }

    /// Number of messages not yet begun.
    pub(super) const fn len(&self) -> usize {
        self.waiting
    }

    /// Whether no message is waiting to be begun.
    pub(super) const fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// Whether a message of the stream is partly sent; `None` means any stream.
    pub(super) fn has_begun(&self, stream: Option<StreamId>) -> bool {
        self.begun.as_ref().is_some_and(|begun| match stream {
            Some(stream) => begun.messages.get(stream).rest > 0,
            None => begun.count > 0,
        })
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Outgoing> {
        self.slots.iter().filter_map(|slot| slot.outgoing.as_ref())
    }

    /// Removes all messages not yet begun, in order of arrival.
    pub(super) fn take_all(&mut self) -> Vec<Outgoing> {
        let mut streams: Vec<StreamId> = self.iter().map(|one| one.message.stream).collect();
        streams.sort_unstable();
        streams.dedup();
        let mut all = Vec::with_capacity(self.waiting);
        for stream in streams {
            // Keeps the order within a stream even if the arrival count wrapped.
            let mut latest = 0;
            while let Some((arrival, outgoing)) = self.take(stream) {
                latest = arrival.wrapping_sub(self.arrivals).max(latest);
                all.push((latest, outgoing));
            }
            self.withdraw_if_empty(stream);
        }
        all.sort_by_key(|(arrival, _)| *arrival);
        all.into_iter().map(|(_, outgoing)| outgoing).collect()
    }

    /// Frees the memory of the slots if no message waits.
    pub(super) fn trim(&mut self) {
        if self.waiting == 0 {
            self.slots = Vec::new();
            self.free = None;
            self.queues.trim();
            self.schedule.trim();
            if let Some(begun) = &mut self.begun
                && begun.count == 0
            {
                **begun = Begun::default();
            }
        }
    }

    /// Bytes on the heap, excluding user data.
    pub(super) fn footprint(&self) -> usize {
        let begun = self.begun.as_ref();
        size_of::<Self>()
            + size_of_val(&*self.schedule)
            + self.slots.capacity() * size_of::<QueueSlot>()
            + self.queues.footprint()
            + begun.map_or(0, |begun| size_of::<Begun>() + begun.messages.footprint())
    }

    fn has_more(&self, stream: StreamId) -> HasMore {
        if self.queues.get(stream).first.is_some() || self.has_begun(Some(stream)) {
            HasMore::Yes
        } else {
            HasMore::No
        }
    }

    /// Takes the first message of a stream, with its arrival number.
    fn take(&mut self, stream: StreamId) -> Option<(u32, Outgoing)> {
        let mut queue = self.queues.get(stream);
        let index = queue.first?;
        let free = self.free;
        let slot = self.at_mut(index)?;
        let outgoing = slot.outgoing.take();
        queue.first = mem::replace(&mut slot.next, free);
        if queue.first.is_none() {
            queue.last = None;
        }
        let arrival = slot.arrival;
        self.free = Some(index);
        self.queues.replace(stream, queue);
        self.waiting -= 1;
        Some((arrival, outgoing?))
    }

    /// Stores a message in a slot.
    fn slot(&mut self, outgoing: Outgoing) -> Option<Index> {
        let arrival = self.arrivals;
        self.arrivals = arrival.wrapping_add(1);
        if let Some(index) = self.free {
            let slot = self.at_mut(index)?;
            slot.outgoing = Some(outgoing);
            slot.arrival = arrival;
            self.free = slot.next.take();
            return Some(index);
        }
        self.slots.push(QueueSlot {
            outgoing: Some(outgoing),
            next: None,
            arrival,
        });
        Index::new(u32::try_from(self.slots.len()).ok()?)
    }

    fn at(&self, index: Index) -> Option<&QueueSlot> {
        self.slots.get(index.get() as usize - 1)
    }

    fn at_mut(&mut self, index: Index) -> Option<&mut QueueSlot> {
        self.slots.get_mut(index.get() as usize - 1)
    }
}

#[cfg(test)]
mod tests;
