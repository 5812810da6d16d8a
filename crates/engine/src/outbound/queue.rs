mod lanes;

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

use sheave_wire::StreamId;

use self::lanes::Lanes;
use crate::on_demand::{Queue, Queued};
use crate::{Message, SendOptions, StreamScheduler};

/// What a message is charged beyond its bytes: the records that are kept of it.
const MESSAGE_OVERHEAD: usize = 64;

/// A message that the user handed in.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    pub(crate) message: Message,
    pub(crate) options: SendOptions,
}

impl Queued for Outgoing {
    const NONE: &'static VecDeque<Self> = &VecDeque::new();
}

impl Outgoing {
    pub(crate) const fn new(message: Message, options: SendOptions) -> Self {
        Self { message, options }
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
#[derive(Debug)]
pub(crate) struct SendQueue {
    waiting: Waiting,
    unsent_bytes: usize,
}

/// One shape for each [`StreamScheduler`].
#[derive(Debug)]
enum Waiting {
    /// First come, first served over all streams.
    Arrival(Queue<Outgoing>),
    /// Streams take turns.
    Turns(Box<Lanes>),
    /// As `Turns`, among the streams with the lowest rank that have something.
    Ranks(Box<Lanes>),
}

impl SendQueue {
    pub(crate) fn new(scheduler: StreamScheduler) -> Self {
        let waiting = match scheduler {
            StreamScheduler::FirstCome => Waiting::Arrival(Queue::NONE),
            StreamScheduler::RoundRobin => Waiting::Turns(Box::default()),
            StreamScheduler::Priority => Waiting::Ranks(Box::default()),
        };
        Self {
            waiting,
            unsent_bytes: 0,
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, outgoing: Outgoing) {
        self.unsent_bytes += outgoing.message.payload.len();
        match &mut self.waiting {
            Waiting::Arrival(messages) => messages.push_back(outgoing),
            Waiting::Turns(lanes) | Waiting::Ranks(lanes) => lanes.push(outgoing),
        }
    }

    /// Bytes of the message that [`pop`](Self::pop) would take.
    #[inline(always)] // Three instructions, asked for by every chunk.
    pub(crate) fn front_len(&self) -> Option<usize> {
        let next = match &self.waiting {
            Waiting::Arrival(messages) => messages.front(),
            Waiting::Turns(lanes) | Waiting::Ranks(lanes) => lanes.front(),
        };
        next.map(|outgoing| outgoing.message.payload.len())
    }

    /// Takes the next message; its bytes count as unsent until [`on_cut`](Self::on_cut).
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Outgoing> {
        match &mut self.waiting {
            Waiting::Arrival(messages) => messages.existing()?.pop_front(),
            Waiting::Turns(lanes) | Waiting::Ranks(lanes) => lanes.pop(),
        }
    }

    /// The priority of a stream; without meaning to other schedulers.
    pub(crate) fn set_priority(&mut self, stream: StreamId, priority: u16) {
        if let Waiting::Ranks(lanes) = &mut self.waiting {
            lanes.set_rank(stream, priority);
        }
    }

    #[inline]
    pub(crate) fn on_cut(&mut self, bytes: usize) {
        self.unsent_bytes = self.unsent_bytes.saturating_sub(bytes);
    }

    /// User bytes that were not yet put into a chunk.
    pub(crate) const fn unsent_bytes(&self) -> usize {
        self.unsent_bytes
    }

    pub(crate) fn is_empty(&self) -> bool {
        let none_waits = match &self.waiting {
            Waiting::Arrival(messages) => messages.is_empty(),
            Waiting::Turns(lanes) | Waiting::Ranks(lanes) => lanes.is_empty(),
        };
        none_waits && self.unsent_bytes == 0
    }

    pub(crate) fn trim(&mut self) {
        if let Waiting::Arrival(messages) = &mut self.waiting {
            messages.trim();
        }
    }

    /// Bytes on the heap, user data not counted.
    pub(crate) fn footprint(&self) -> usize {
        match &self.waiting {
            Waiting::Arrival(messages) => messages.room(),
            Waiting::Turns(lanes) | Waiting::Ranks(lanes) => {
                size_of::<Lanes>() + lanes.iter().count() * size_of::<Outgoing>()
            }
        }
    }

    /// Takes out the messages of streams that the peer did not grant.
    pub(crate) fn remove_streams_from(&mut self, first: StreamId) -> Vec<Outgoing> {
        if self.iter().all(|outgoing| outgoing.message.stream < first) {
            return Vec::new();
        }
        let all: Vec<_> = match &mut self.waiting {
            Waiting::Arrival(messages) => messages.take().into(),
            Waiting::Turns(lanes) | Waiting::Ranks(lanes) => lanes.take_all().collect(),
        };
        let (refused, kept): (Vec<_>, Vec<_>) = all
            .into_iter()
            .partition(|outgoing| outgoing.message.stream >= first);
        for outgoing in kept {
            self.unsent_bytes -= outgoing.message.payload.len();
            self.push(outgoing);
        }
        self.unsent_bytes -= refused
            .iter()
            .map(|one| one.message.payload.len())
            .sum::<usize>();
        refused
    }

    pub(crate) fn into_iter(mut self) -> impl Iterator<Item = Outgoing> {
        core::iter::from_fn(move || self.pop())
    }

    fn iter(&self) -> Box<dyn Iterator<Item = &Outgoing> + '_> {
        match &self.waiting {
            Waiting::Arrival(messages) => Box::new(messages.iter()),
            Waiting::Turns(lanes) | Waiting::Ranks(lanes) => Box::new(lanes.iter()),
        }
    }
}
