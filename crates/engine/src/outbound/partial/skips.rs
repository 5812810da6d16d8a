use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;
use core::time::Duration;

use sheave_wire::StreamId;

use super::super::ring::Ring;
use crate::{Delivery, Time};

/// The messages that the peer is to skip: the Advanced.Peer.Ack.Point (RFC 3758 §3.5), and what
/// lies before it.
#[derive(Clone, Debug, Default)]
pub(in crate::outbound) struct Skips {
    /// End of the chunks that were looked at, each given up or acknowledged.
    frontier: u64,
    /// The chunk after the Advanced.Peer.Ack.Point, which stands at the end of a message.
    point: u64,
    /// The messages between what is cumulatively acknowledged and the point.
    messages: VecDeque<Skip>,
    /// The last of them on each stream, in order and not.
    streams: BTreeMap<Sequence, Skip>,
    told: Told,
    /// The farthest that it was ever told to skip to.
    farthest: u64,
    /// When what the peer has now skipped was told, if that is news.
    answered: Option<Time>,
    pub(in crate::outbound) sent: u64,
}

/// A message that was given up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Skip {
    /// The chunk after its last one, as far as it is given up.
    end: u64,
    pub(crate) stream: StreamId,
    pub(crate) delivery: Delivery,
    /// The SSN or MID.
    pub(crate) ssn_or_mid: u32,
}

/// A stream, and 0 for its ordered messages, 1 for the others.
type Sequence = (StreamId, u8);

impl Skip {
    const fn sequence(&self) -> Sequence {
        match self.delivery {
            Delivery::Ordered => (self.stream, 0),
            Delivery::Unordered => (self.stream, 1),
        }
    }
}

/// Whether the peer was told of the point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Told {
    /// There is nothing to tell.
    #[default]
    Nothing,
    /// The skip is to be told.
    Due,
    /// The skip of all below `end` was told at `at`.
    Then { at: Time, end: u64 },
}

/// Whether the peer was told to skip as far before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Telling {
    First,
    Again,
}

impl Skips {
    /// Moves the point over what is given up; all below the ring's first chunk is acknowledged
    /// (RFC 3758 §3.5, C1 to C3).
    ///
    /// The point never stands within a message: a receiver must not get the rest of one whose
    /// beginning it was told to skip.
    pub(in crate::outbound) fn advance(&mut self, ring: &Ring) {
        if let Told::Then { at, end } = self.told
            && end <= ring.first_seq()
        {
            self.answered = Some(at);
        }
        self.forget_below(ring.first_seq());
        self.frontier = self.frontier.max(ring.first_seq());
        let before = self.point;
        while let Some(chunk) = ring.skippable(self.frontier) {
            self.frontier += 1;
            if chunk.ends {
                self.point = self.frontier;
                self.note(Skip {
                    end: self.frontier,
                    stream: chunk.stream,
                    delivery: chunk.delivery,
                    ssn_or_mid: chunk.ssn_or_mid,
                });
            }
        }
        if self.point <= ring.first_seq() {
            self.told = Told::Nothing;
            return;
        }
        let is_news = self.point > before
            || match self.told {
                Told::Nothing | Told::Due => true,
                Told::Then { end, .. } => end <= ring.first_seq(),
            };
        if is_news {
            self.told = Told::Due;
        }
    }

    /// A SACK came: what was told and is not answered by it is told again, not more often than once
    /// in a round trip (RFC 3758 §3.5, F2).
    pub(in crate::outbound) fn remind(&mut self, ring: &Ring, now: Time, round_trip: Duration) {
        if let Told::Then { at, end } = self.told
            && end > ring.first_seq()
            && now.since(at) >= round_trip
        {
            self.told = Told::Due;
        }
    }

    /// When the peer was told what it has skipped since the last call.
    pub(in crate::outbound) fn take_answered(&mut self) -> Option<Time> {
        self.answered.take()
    }

    /// Whether a FORWARD TSN is to be sent.
    pub(in crate::outbound) fn is_due(&self) -> bool {
        self.told == Told::Due
    }

    /// Whether there is something that the peer has not yet skipped.
    pub(in crate::outbound) fn is_awaited(&self) -> bool {
        self.told != Told::Nothing
    }

    /// Nothing was heard of it.
    pub(in crate::outbound) fn tell_again(&mut self) {
        if self.is_awaited() {
            self.told = Told::Due;
        }
    }

    /// The chunk before which the peer is to skip all, and the streams on which it is to, with at
    /// most `max` of these (RFC 3758 §3.5, C4); `None` if not even one message fits.
    pub(in crate::outbound) fn tell(
        &mut self,
        now: Time,
        max: usize,
    ) -> Option<(u64, Vec<Skip>, Telling)> {
        if !self.is_due() {
            return None;
        }
        let (end, streams): (u64, Vec<Skip>) = if self.streams.len() <= max {
            (self.point, self.streams.values().copied().collect())
        } else {
            self.first_streams(max)?
        };
        self.told = Told::Then { at: now, end };
        self.sent += 1;
        let telling = if end > self.farthest {
            Telling::First
        } else {
            Telling::Again
        };
        self.farthest = self.farthest.max(end);
        Some((end, streams, telling))
    }

    /// The messages from the first on, as long as they are of `max` streams at most.
    fn first_streams(&self, max: usize) -> Option<(u64, Vec<Skip>)> {
        let mut streams: BTreeMap<Sequence, Skip> = BTreeMap::new();
        let mut end = None;
        for skip in &self.messages {
            let is_new = !streams.contains_key(&skip.sequence());
            if is_new && streams.len() >= max {
                break;
            }
            streams.insert(skip.sequence(), *skip);
            end = Some(skip.end);
        }
        Some((end?, streams.into_values().collect()))
    }

    fn note(&mut self, skip: Skip) {
        self.streams.insert(skip.sequence(), skip);
        self.messages.push_back(skip);
    }

    fn forget_below(&mut self, first: u64) {
        while let Some(skip) = self.messages.front().copied()
            && skip.end <= first
        {
            self.messages.pop_front();
            let last = self.streams.get(&skip.sequence());
            if last.is_some_and(|last| last.end == skip.end) {
                self.streams.remove(&skip.sequence());
            }
        }
    }

    /// Gives back room: all is acknowledged below `first`.
    pub(in crate::outbound) fn trim(&mut self, first: u64) {
        self.forget_below(first);
        self.messages.shrink_to_fit();
    }

    /// Bytes on the heap, about.
    pub(in crate::outbound) fn footprint(&self) -> usize {
        self.messages.capacity() * size_of::<Skip>() + self.streams.len() * size_of::<Skip>()
    }
}
