use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;
use core::time::Duration;

use sheave_wire::StreamId;

use super::super::ring::Ring;
use crate::{Delivery, Time};

/// The messages that the peer is to skip: those up to the Advanced.Peer.Ack.Point (RFC 3758 §3.5).
#[derive(Clone, Debug, Default)]
pub(in crate::outbound) struct Skips {
    /// End of the examined chunks, all of them abandoned or acknowledged.
    frontier: u64,
    /// The chunk after the Advanced.Peer.Ack.Point, which is always at the end of a message.
    point: u64,
    /// The abandoned messages between the Cumulative TSN Ack Point and the Advanced.Peer.Ack.Point.
    messages: VecDeque<Skip>,
    /// The last skipped message of each stream, ordered and unordered separately.
    streams: BTreeMap<Sequence, Skip>,
    told: Told,
    /// The farthest end of any FORWARD TSN sent.
    farthest: u64,
    /// Time at which the FORWARD TSN was sent that the peer has newly answered.
    answered: Option<Time>,
    pub(in crate::outbound) sent: u64,
}

/// An abandoned message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Skip {
    /// The chunk after its last abandoned one.
    end: u64,
    pub(crate) stream: StreamId,
    pub(crate) delivery: Delivery,
    /// The SSN or MID.
    pub(crate) ssn_or_mid: u32,
}

/// A stream, and 0 for its ordered or 1 for its unordered messages.
type Sequence = (StreamId, u8);

impl Skip {
    const fn sequence(&self) -> Sequence {
        match self.delivery {
            Delivery::Ordered => (self.stream, 0),
            Delivery::Unordered => (self.stream, 1),
        }
    }
}

/// State of the FORWARD TSN for the current point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Told {
    /// No FORWARD TSN is needed.
    #[default]
    Nothing,
    /// A FORWARD TSN is due.
    Due,
    /// A FORWARD TSN covering everything below `end` was sent at `at`.
    Then { at: Time, end: u64 },
}

/// Whether a FORWARD TSN to this point was sent before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Telling {
    First,
    Again,
}

impl Skips {
    /// Advances the point over abandoned chunks; everything below the ring's first chunk is
    /// acknowledged (RFC 3758 §3.5, C1 to C3).
    ///
    /// The point never lies within a message: a receiver must not get the end of a message whose
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

    /// On a SACK, repeats a FORWARD TSN that the SACK does not answer, at most once per round trip
    /// (RFC 3758 §3.5, F2).
    pub(in crate::outbound) fn remind(&mut self, ring: &Ring, now: Time, round_trip: Duration) {
        if let Told::Then { at, end } = self.told
            && end > ring.first_seq()
            && now.since(at) >= round_trip
        {
            self.told = Told::Due;
        }
    }

    /// Returns the send time of a FORWARD TSN answered since the last call.
    pub(in crate::outbound) fn take_answered(&mut self) -> Option<Time> {
        self.answered.take()
    }

    /// Whether a FORWARD TSN is to be sent.
    pub(in crate::outbound) fn is_due(&self) -> bool {
        self.told == Told::Due
    }

    /// Whether the peer has not yet skipped everything required.
    pub(in crate::outbound) fn is_awaited(&self) -> bool {
        self.told != Told::Nothing
    }

    /// The FORWARD TSN was not answered: makes another one due.
    pub(in crate::outbound) fn tell_again(&mut self) {
        if self.is_awaited() {
            self.told = Told::Due;
        }
    }

    /// The content of a FORWARD TSN: the chunk below which the peer skips everything, and at most
    /// `max` streams (RFC 3758 §3.5, C4); `None` if none is due or not even one message fits.
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

    /// The longest run of oldest skipped messages that belong to at most `max` streams.
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

    /// Frees memory; everything below `first` is acknowledged.
    pub(in crate::outbound) fn trim(&mut self, first: u64) {
        self.forget_below(first);
        self.messages.shrink_to_fit();
    }

    /// Approximate bytes on the heap.
    pub(in crate::outbound) fn footprint(&self) -> usize {
        self.messages.capacity() * size_of::<Skip>() + self.streams.len() * size_of::<Skip>()
    }
}
