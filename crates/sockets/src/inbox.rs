//! Messages and notifications that a socket has to read, in order.

use core::net::SocketAddr;
use std::collections::VecDeque;

use bytes::Bytes;
use sheave_engine::{Part, Received};
use sheave_wire::Tsn;

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
    pub(crate) offset: usize,
}

impl Piece {
    pub(crate) const fn ends(&self) -> bool {
        matches!(self.received.part, Part::Whole | Part::Last)
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
}

impl Inbox {
    pub(crate) fn mark(&mut self, assoc: AssocId32, more: usize) {
        if more == 0 {
            return;
        }
        match self.items.back_mut() {
            Some(Item::Mark { assoc: last, count }) if *last == assoc => *count += more,
            _ => self.items.push_back(Item::Mark { assoc, count: more }),
        }
    }

    /// Messages and notifications, at least.
    pub(crate) fn len(&self) -> usize {
        let count = |item: &Item| match item {
            Item::Mark { count, .. } => *count,
            _ => 1,
        };
        self.items.iter().map(count).sum()
    }

    pub(crate) fn has_messages_of(&self, assoc: AssocId32) -> bool {
        self.items
            .iter()
            .any(|item| item.assoc() == assoc && !matches!(item, Item::Notification { .. }))
    }

    /// Takes out all of one association.
    pub(crate) fn split(&mut self, assoc: AssocId32) -> VecDeque<Item> {
        let (own, rest) = self.items.drain(..).partition(|item| item.assoc() == assoc);
        self.items = rest;
        // What was shown of the first item may have moved.
        self.taken += 1;
        own
    }

    /// Puts messages that an association has left behind in the place of its marks, the rest behind
    /// all.
    pub(crate) fn fill_in(&mut self, assoc: AssocId32, pieces: Vec<Piece>) {
        let mut pieces = pieces.into_iter();
        let mut items = VecDeque::with_capacity(self.items.len());
        for item in self.items.drain(..) {
            match item {
                Item::Mark {
                    assoc: other,
                    count,
                } if other == assoc => {
                    items.extend(pieces.by_ref().take(count).map(Item::Message));
                }
                other => items.push_back(other),
            }
        }
        items.extend(pieces.map(Item::Message));
        self.items = items;
    }
}
