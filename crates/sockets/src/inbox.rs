//! The receive queue of a socket: messages and notifications in order.

use core::net::SocketAddr;
use std::collections::VecDeque;

use bytes::Bytes;
use sheave_engine::{Part, Received, Time};
use sheave_wire::{StreamId, Tsn};

use crate::AssocId32;

/// An entry of the queue.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    /// Messages that are still in the engine.
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

/// A message or part of one, and the read position.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) assoc: AssocId32,
    pub(crate) peer: SocketAddr,
    pub(crate) received: Received,
    /// The peer's cumulative TSN on arrival.
    pub(crate) cumulative: Tsn,
    pub(crate) context: u32,
    /// When the message became readable; the time of the read if the program asked later.
    pub(crate) arrived: Time,
    pub(crate) offset: usize,
}

impl Piece {
    pub(crate) const fn ends(&self) -> bool {
        matches!(self.received.part, Part::Whole | Part::Last)
    }

    /// The stream of the message and its SSN or MID.
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

/// The receive queue of a socket.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inbox {
    pub(crate) items: VecDeque<Item>,
    /// Number of entries read completely, which names the first entry.
    pub(crate) taken: u64,
    /// Association of a partly read message; until its end no other entry is readable.
    within: Option<AssocId32>,
    /// Entries that wait for that end.
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

    /// Whether an entry must wait for the end of a partly read message.
    fn is_behind(&self, item: &Item) -> bool {
        let is_notification = matches!(item, Item::Notification { .. });
        self.within
            .is_some_and(|assoc| is_notification || item.assoc() != assoc)
    }

    /// Starts a partly read message: until its end, no other entry is readable.
    pub(crate) fn begin(&mut self, assoc: AssocId32) {
        if self.within.is_none() {
            self.within = Some(assoc);
            for item in core::mem::take(&mut self.items) {
                self.push(item);
            }
        }
    }

    /// Whether the last part of a message is queued.
    pub(crate) fn has_end_of(&self, part: &Piece) -> bool {
        let mut all = self.items.iter().chain(&self.behind);
        all.any(|item| match item {
            Item::Message(other) => {
                other.assoc == part.assoc && other.message() == part.message() && other.ends()
            }
            _ => false,
        })
    }

    /// Ends the partly read message of an association, if any.
    pub(crate) fn end(&mut self, assoc: AssocId32) {
        if self.within == Some(assoc) {
            self.within = None;
            self.items.append(&mut self.behind);
        }
    }

    /// The place of the first mark.
    pub(crate) fn first_mark(&self) -> Option<usize> {
        let is_mark = |item: &Item| matches!(item, Item::Mark { .. });
        self.items.iter().position(is_mark)
    }

    /// Takes one message off the mark at this place, and returns its association; `None` if no mark
    /// is there.
    pub(crate) fn unmark(&mut self, place: usize) -> Option<AssocId32> {
        let Some(Item::Mark { assoc, count }) = self.items.get_mut(place) else {
            return None;
        };
        let assoc = *assoc;
        *count -= 1;
        if *count == 0 {
            self.items.remove(place);
        }
        Some(assoc)
    }

    /// Number of entries, including those not readable yet.
    pub(crate) fn entries(&self) -> usize {
        self.items.len() + self.behind.len()
    }

    /// A lower bound of the messages and notifications that are readable.
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

    /// Moves all entries of one association to a new inbox.
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
        // Invalidates read tokens, because the first entry may have moved.
        self.taken += 1;
        own
    }

    /// Replaces the marks of an association that is gone by its messages, and appends the rest.
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
