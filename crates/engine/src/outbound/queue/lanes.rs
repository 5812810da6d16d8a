use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem;
use core::num::{NonZeroU16, NonZeroU32};

use sheave_wire::StreamId;

use super::{Outgoing, Ticket};
use crate::per_stream::PerStream;
use crate::{Left, Schedule};

/// One queue for each stream, and a scheduler that says which stream is next (RFC 8260 §3). All
/// queues share one block of memory, so that a message costs the same however many there are.
#[derive(Debug)]
pub(super) struct Lanes {
    places: Vec<Place>,
    /// The first of the places that are free.
    free: Option<Index>,
    lanes: PerStream<Lane>,
    waiting: usize,
    /// Messages that ever came; it wraps.
    arrivals: u32,
    schedule: Box<dyn Schedule>,
    /// Allocated where messages are interleaved.
    begun: Option<Box<Begun>>,
}

/// A place's number, counted from 1.
type Index = NonZeroU32;

#[derive(Debug)]
struct Place {
    outgoing: Option<Outgoing>,
    /// The one behind it in its stream, or the next free one.
    next: Option<Index>,
    /// How many came before it.
    arrival: u32,
}

/// The messages of one stream of which nothing was sent yet.
#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    first: Option<Index>,
    last: Option<Index>,
}

/// The messages that are partly sent: of each stream one at most (RFC 8260 §2.2.2).
#[derive(Debug, Default)]
pub(crate) struct Begun {
    messages: PerStream<Partly>,
    count: usize,
}

/// A message that is partly sent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Partly {
    /// As the ring counts them.
    message: u32,
    /// Bytes still to be cut; none if there is no such message.
    rest: u32,
}

/// What is cut next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    /// Bytes of it that are still to be cut.
    pub(crate) rest: usize,
    /// Its number in the ring, if some of it was cut before.
    pub(crate) begun: Option<u32>,
}

impl Begun {
    /// At most one: its stream, its number in the ring, and its bytes that are still to be cut.
    pub(crate) fn of_one(one: Option<(StreamId, (u32, usize))>) -> Self {
        let mut begun = Self::default();
        if let Some((stream, (message, rest))) = one {
            let rest = u32::try_from(rest).unwrap_or(u32::MAX);
            begun.messages.replace(stream, Partly { message, rest });
            begun.count = 1;
        }
        begun
    }

    /// Streams with a message that is partly sent, ascending.
    fn streams(&self) -> impl Iterator<Item = StreamId> + '_ {
        let partly = self.messages.entries();
        partly.filter_map(|(stream, partly)| (partly.rest > 0).then_some(stream))
    }
}

impl Lanes {
    pub(super) fn new(schedule: Box<dyn Schedule>) -> Self {
        Self {
            places: Vec::new(),
            free: None,
            lanes: PerStream::default(),
            waiting: 0,
            arrivals: 0,
            schedule,
            begun: None,
        }
    }

    /// One that has these messages to send to their ends, where messages are interleaved.
    pub(super) fn going_on(schedule: Box<dyn Schedule>, begun: Option<Begun>) -> Self {
        let mut lanes = Self::new(schedule);
        for stream in begun.iter().flat_map(Begun::streams) {
            lanes.schedule.on_ready(stream);
        }
        lanes.begun = begun.map(Box::new);
        lanes
    }

    /// What is partly sent, where messages are interleaved: for the one that comes after.
    pub(super) fn take_begun(&mut self) -> Option<Begun> {
        self.begun.take().map(|begun| *begun)
    }

    /// From now on the scheduler chooses a stream for each chunk; nothing is partly sent.
    pub(super) fn interleave(&mut self) {
        self.begun.get_or_insert_default();
    }

    pub(super) const fn is_interleaved(&self) -> bool {
        self.begun.is_some()
    }

    pub(super) fn push(&mut self, outgoing: Outgoing) {
        let stream = outgoing.message.stream;
        let idle = self.left(stream) == Left::Nothing;
        let Some(index) = self.place(outgoing) else {
            return;
        };
        let mut lane = self.lanes.get(stream);
        match lane.last.and_then(|last| self.at_mut(last)) {
            Some(last) => last.next = Some(index),
            None => lane.first = Some(index),
        }
        lane.last = Some(index);
        self.lanes.replace(stream, lane);
        self.waiting += 1;
        if idle {
            self.schedule.on_ready(stream);
        }
    }

    /// The message whose turn it is, if none of its stream is partly sent.
    pub(super) fn front(&self) -> Option<&Outgoing> {
        let first = self.lanes.get(self.schedule.next()?).first?;
        self.at(first)?.outgoing.as_ref()
    }

    /// What is cut next, where messages are interleaved.
    pub(super) fn turn(&self) -> Option<Turn> {
        let stream = self.schedule.next()?;
        let partly = self.begun.as_ref()?.messages.get(stream);
        if partly.rest > 0 {
            return Some(Turn {
                rest: partly.rest as usize,
                begun: Some(partly.message),
            });
        }
        let rest = self.front()?.message.payload.len();
        Some(Turn { rest, begun: None })
    }

    pub(super) fn pop(&mut self) -> Option<Outgoing> {
        let stream = self.schedule.next()?;
        let (_, outgoing) = self.take(stream)?;
        if !self.is_interleaved() {
            let bytes = outgoing.message.payload.len();
            let left = self.left(stream);
            self.schedule.on_sent(stream, bytes, left);
        }
        Some(outgoing)
    }

    /// Looks for a message of that stream, from the oldest on.
    pub(super) fn find(&self, stream: StreamId, ticket: Ticket) -> Option<&Outgoing> {
        let mut at = self.lanes.get(stream).first;
        while let Some(place) = at.and_then(|index| self.at(index)) {
            let outgoing = place.outgoing.as_ref();
            if outgoing.is_some_and(|outgoing| outgoing.ticket == ticket) {
                return outgoing;
            }
            at = place.next;
        }
        None
    }

    /// Takes a message of that stream out, wherever it stands.
    pub(super) fn remove(&mut self, stream: StreamId, ticket: Ticket) -> Option<Outgoing> {
        let mut before = None;
        let mut at = self.lanes.get(stream).first;
        while let Some(index) = at {
            let place = self.at(index)?;
            let outgoing = place.outgoing.as_ref();
            if outgoing.is_some_and(|outgoing| outgoing.ticket == ticket) {
                return self.unlink(stream, before, index);
            }
            before = at;
            at = place.next;
        }
        None
    }

    fn unlink(&mut self, stream: StreamId, before: Option<Index>, at: Index) -> Option<Outgoing> {
        let free = self.free;
        let place = self.at_mut(at)?;
        let outgoing = place.outgoing.take();
        let next = mem::replace(&mut place.next, free);
        self.free = Some(at);
        let mut lane = self.lanes.get(stream);
        match before.and_then(|before| self.at_mut(before)) {
            Some(before) => before.next = next,
            None => lane.first = next,
        }
        if next.is_none() {
            lane.last = before;
        }
        self.lanes.replace(stream, lane);
        self.waiting -= 1;
        self.withdraw_if_empty(stream);
        outgoing
    }

    /// What is left of the message that is `message` in the ring is not to be sent.
    pub(super) fn on_abandoned(&mut self, stream: StreamId, message: u32) {
        let Some(begun) = &mut self.begun else {
            return;
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
        if self.left(stream) == Left::Nothing {
            self.schedule.on_withdrawn(stream);
        }
    }

    /// `bytes` of the message whose turn it is were cut; it has that number in the ring, and
    /// `rest` bytes are left of it. Where messages are not interleaved, that means nothing here.
    pub(super) fn on_cut(&mut self, bytes: usize, message: u32, rest: usize) {
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
        let left = self.left(stream);
        self.schedule.on_sent(stream, bytes, left);
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

    /// Whether no message waits of which nothing was sent.
    pub(super) const fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// Whether a message of that stream is partly sent; of any stream if none is named.
    pub(super) fn has_begun(&self, stream: Option<StreamId>) -> bool {
        self.begun.as_ref().is_some_and(|begun| match stream {
            Some(stream) => begun.messages.get(stream).rest > 0,
            None => begun.count > 0,
        })
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Outgoing> {
        self.places
            .iter()
            .filter_map(|place| place.outgoing.as_ref())
    }

    /// Takes out all messages of which nothing was sent, in the order in which they came.
    pub(super) fn take_all(&mut self) -> Vec<Outgoing> {
        let mut streams: Vec<StreamId> = self.iter().map(|one| one.message.stream).collect();
        streams.sort_unstable();
        streams.dedup();
        let mut all = Vec::with_capacity(self.waiting);
        for stream in streams {
            // A stream keeps its order even where the count has wrapped.
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

    /// Gives back the room that no message waits in.
    pub(super) fn trim(&mut self) {
        if self.waiting == 0 {
            self.places = Vec::new();
            self.free = None;
        }
    }

    /// Bytes on the heap, user data not counted.
    pub(super) fn footprint(&self) -> usize {
        let begun = self.begun.as_ref();
        size_of::<Self>()
            + size_of_val(&*self.schedule)
            + self.places.capacity() * size_of::<Place>()
            + self.lanes.footprint()
            + begun.map_or(0, |begun| size_of::<Begun>() + begun.messages.footprint())
    }

    fn left(&self, stream: StreamId) -> Left {
        if self.lanes.get(stream).first.is_some() || self.has_begun(Some(stream)) {
            Left::More
        } else {
            Left::Nothing
        }
    }

    /// Takes the first message of a stream, and tells how many came before it.
    fn take(&mut self, stream: StreamId) -> Option<(u32, Outgoing)> {
        let mut lane = self.lanes.get(stream);
        let index = lane.first?;
        let free = self.free;
        let place = self.at_mut(index)?;
        let outgoing = place.outgoing.take();
        lane.first = mem::replace(&mut place.next, free);
        if lane.first.is_none() {
            lane.last = None;
        }
        let arrival = place.arrival;
        self.free = Some(index);
        self.lanes.replace(stream, lane);
        self.waiting -= 1;
        Some((arrival, outgoing?))
    }

    /// Finds a place for a message.
    fn place(&mut self, outgoing: Outgoing) -> Option<Index> {
        let arrival = self.arrivals;
        self.arrivals = arrival.wrapping_add(1);
        if let Some(index) = self.free {
            let place = self.at_mut(index)?;
            place.outgoing = Some(outgoing);
            place.arrival = arrival;
            self.free = place.next.take();
            return Some(index);
        }
        self.places.push(Place {
            outgoing: Some(outgoing),
            next: None,
            arrival,
        });
        Index::new(u32::try_from(self.places.len()).ok()?)
    }

    fn at(&self, index: Index) -> Option<&Place> {
        self.places.get(index.get() as usize - 1)
    }

    fn at_mut(&mut self, index: Index) -> Option<&mut Place> {
        self.places.get_mut(index.get() as usize - 1)
    }
}

#[cfg(test)]
mod tests;
