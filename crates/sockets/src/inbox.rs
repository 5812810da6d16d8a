//! Messages and notifications that a socket has to read, in order.

use core::net::SocketAddr;
use std::collections::VecDeque;

use bytes::Bytes;
use sheave_engine::{Part, Received, Time};
use sheave_wire::{StreamId, Tsn};

use crate::AssocId32;

/// Something to read.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    /// Messages that the engine still has.
    Mark {
        assoc: AssocId32,
        count: usize,
    },
    Message(Piece),
    Notification {
        assoc: AssocId32,
        peer: SocketAddr,
        bytes: Bytes,
        offset: usize,
    },
}

/// A message or a part of it, and how much of it was read.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) assoc: AssocId32,
    pub(crate) peer: SocketAddr,
    pub(crate) received: Received,
    /// The peer's TSNs up to this one had arrived.
    pub(crate) cumulative: Tsn,
    pub(crate) context: u32,
    /// Time from which on it could be read; that of the read where the program did not ask for it before.
    pub(crate) arrived: Time,
    pub(crate) offset: usize,
}

impl Piece {
    pub(crate) const fn ends(&self) -> bool {
        matches!(self.received.part, Part::Whole | Part::Last)
    }

    /// The stream of its message, and the SSN or MID there.
    pub(crate) const fn message(&self) -> (StreamId, u32) {
        (
            self.received.message.stream,
            self.received.origin.ssn_or_mid,
        )
    }
}

impl Item {
    pub(crate) const fn assoc(&self) -> AssocId32 {
        match self {
            Self::Mark { assoc, .. } | Self::Notification { assoc, .. } => *assoc,
            Self::Message(piece) => piece.assoc,
        }
    }
}

/// The queue of a socket.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inbox {
    pub(crate) items: VecDeque<Item>,
    /// Items that were read whole: the number of the one in front.
    pub(crate) taken: u64,
    /// The association of a message of which a part was read, while nothing else may be before its end.
    within: Option<AssocId32>,
    /// Items that wait for that end.
    behind: VecDeque<Item>,
}

impl Inbox {
    pub(crate) fn mark(&mut self, assoc: AssocId32, more: usize) {
        if more == 0 {
            return;
        }
        let mark = Item::Mark { assoc, count: more };
        let queue = self.queue_for(&mark);
        match queue.back_mut() {
            Some(Item::Mark { assoc: last, count }) if *last == assoc => *count += more,
            _ => queue.push_back(mark),
        }
    }

    pub(crate) fn push(&mut self, item: Item) {
        self.queue_for(&item).push_back(item);
    }

    fn queue_for(&mut self, item: &Item) -> &mut VecDeque<Item> {
        match self.is_behind(item) {
            true => &mut self.behind,
            false => &mut self.items,
        }
    }

    /// Whether something has to wait for the end of a message.
    fn is_behind(&self, item: &Item) -> bool {
        let is_notification = matches!(item, Item::Notification { .. });
        self.within
            .is_some_and(|assoc| is_notification || item.assoc() != assoc)
    }

    /// A part of a message was read that is not its last: nothing else is until its end.
    pub(crate) fn begin(&mut self, assoc: AssocId32) {
        if self.within.is_none() {
            self.within = Some(assoc);
            for item in core::mem::take(&mut self.items) {
                self.push(item);
            }
        }
    }

    /// Whether the last part of a message waits here.
    pub(crate) fn has_end_of(&self, part: &Piece) -> bool {
        let mut all = self.items.iter().chain(&self.behind);
        all.any(|item| match item {
            Item::Message(other) => {
                other.assoc == part.assoc && other.message() == part.message() && other.ends()
            }
            _ => false,
        })
    }

    /// The message that an association has begun, if it has, is over.
    pub(crate) fn end(&mut self, assoc: AssocId32) {
        if self.within == Some(assoc) {
            self.within = None;
            self.items.append(&mut self.behind);
        }
    }

    /// Entries, those that must not be read yet among them.
    pub(crate) fn entries(&self) -> usize {
        self.items.len() + self.behind.len()
    }

    /// Messages and notifications that can be read, at least.
    pub(crate) fn len(&self) -> usize {
        let count = |item: &Item| match item {
            Item::Mark { count, .. } => *count,
            _ => 1,
        };
        self.items.iter().map(count).sum()
    }

    pub(crate) fn has_messages_of(&self, assoc: AssocId32) -> bool {
        let mut all = self.items.iter().chain(&self.behind);
        all.any(|item| item.assoc() == assoc && !matches!(item, Item::Notification { .. }))
    }

    /// Takes out all of one association.
    pub(crate) fn split(&mut self, assoc: AssocId32) -> Self {
        let mut own = Self {
            within: self.within.filter(|within| *within == assoc),
            ..Self::default()
        };
        self.end(assoc);
        let mut part = |queue: &mut VecDeque<Item>| {
            let (taken, rest) = queue.drain(..).partition(|item| item.assoc() == assoc);
            *queue = rest;
            let taken: VecDeque<Item> = taken;
            for item in taken {
                own.push(item);
            }
        };
        part(&mut self.items);
        part(&mut self.behind);
        // What was shown of the first item may have moved.
        self.taken += 1;
        own
    }

    /// Puts messages that an association has left behind in the place of its marks, the rest behind
    /// all.
    pub(crate) fn fill_in(&mut self, assoc: AssocId32, pieces: Vec<Piece>) {
        let mut pieces = pieces.into_iter().map(Item::Message);
        let mut fill = |queue: &mut VecDeque<Item>| {
            for item in core::mem::take(queue) {
                match item {
                    Item::Mark {
                        assoc: other,
                        count,
                    } if other == assoc => queue.extend(pieces.by_ref().take(count)),
                    other => queue.push_back(other),
                }
            }
        };
        fill(&mut self.items);
        fill(&mut self.behind);
        for rest in pieces {
            self.push(rest);
        }
        self.end(assoc);
    }
}
