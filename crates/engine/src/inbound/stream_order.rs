use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

use sheave_wire::{Ssn, StreamId};

use super::backlog::Span;
use crate::Received;
use crate::on_demand::{Blank, OnDemand};
use crate::per_stream::PerStream;
use crate::value::error::PeerFault;

/// The next ordered message of each stream (RFC 9260 §6.5, §6.6).
#[derive(Clone, Debug)]
pub(super) struct StreamOrder {
    streams: u16,
    /// The next SSN.
    next: PerStream<Ssn>,
    /// Complete messages waiting for earlier messages of their stream, by stream and SSN.
    held: OnDemand<HeldMessages>,
}

type HeldMessages = BTreeMap<u32, Held>;

impl Blank for HeldMessages {
    #[inline]
    fn blank() -> &'static Self {
        const NONE: &HeldMessages = &BTreeMap::new();
        NONE
    }

    fn fresh() -> Self {
        Self::new()
    }
}

/// A complete message waiting for its turn.
#[derive(Clone, Debug)]
pub(super) enum Held {
    /// The message is beyond a gap; the backlog holds its chunks.
    Beyond(Span),
    /// Every earlier TSN has arrived, but earlier SSNs are missing.
    Arrived(Box<Received>),
}

impl StreamOrder {
    pub(super) fn new(streams: u16) -> Self {
        Self {
            streams,
            next: PerStream::default(),
            held: OnDemand::NONE,
        }
    }

    /// Whether the peer may send on that stream.
    #[inline]
    pub(super) fn is_valid(&self, stream: StreamId) -> bool {
        stream.0 < self.streams
    }

    #[inline]
    pub(super) fn is_next(&self, stream: StreamId, ssn: Ssn) -> bool {
        self.next.get(stream) == ssn
    }

    /// Advances the stream to its next message, and returns that message if it is waiting.
    #[inline]
    pub(super) fn advance(&mut self, stream: StreamId) -> Option<Held> {
        let next = self.next.get(stream).next();
        self.next.replace(stream, next);
        if self.held.is_empty() {
            return None;
        }
        let key = key(stream, next);
        self.held.remove(&key)
    }

    /// Whether the stream has passed the message `ssn`.
    pub(super) fn is_past(&self, stream: StreamId, ssn: Ssn) -> bool {
        self.next.get(stream).0.wrapping_sub(ssn.0).wrapping_sub(1) < u16::MAX / 2
    }

    /// Advances the stream to the message `ssn`, which must be ahead, and removes the waiting
    /// messages up to and including it, in order.
    pub(super) fn take_through(&mut self, stream: StreamId, ssn: Ssn) -> Vec<Held> {
        let next = self.next.replace(stream, ssn);
        let (first, last) = (key(stream, next), key(stream, ssn));
        let ends = if first <= last {
            [first..=last, RangeInclusive::new(1, 0)]
        } else {
            [
                first..=key(stream, Ssn(u16::MAX)),
                key(stream, Ssn(0))..=last,
            ]
        };
        let mut taken = Vec::new();
        for range in ends.into_iter().filter(|range| !range.is_empty()) {
            while let Some(key) = self.held.range(range.clone()).next().map(|(key, _)| *key) {
                taken.extend(self.held.remove(&key));
            }
        }
        taken
    }

    /// Stores a message until its turn.
    pub(super) fn hold(&mut self, stream: StreamId, ssn: Ssn, held: Held) -> Result<(), PeerFault> {
        let arrived = matches!(held, Held::Arrived(_));
        match self.held.insert(key(stream, ssn), held) {
            None => Ok(()),
            // The gap before the message closed, but it still has to wait.
            Some(Held::Beyond(_)) if arrived => Ok(()),
            Some(_) => Err(PeerFault::REUSED_SSN),
        }
    }

    /// Restarts these streams at SSN 0, or all streams if the list is empty. Returns the messages
    /// that waited with no gap before them, by stream and SSN.
    pub(super) fn reset(&mut self, streams: &[StreamId]) -> Vec<Received> {
        let all = [0..=u32::MAX];
        let keys = |stream: &StreamId| key(*stream, Ssn(0))..=key(*stream, Ssn(u16::MAX));
        self.next.reset(streams);
        if streams.is_empty() {
            return self.release(all.into_iter());
        }
        self.release(streams.iter().map(keys))
    }

    /// Removes the messages waiting under these keys.
    fn release(&mut self, keys: impl Iterator<Item = RangeInclusive<u32>>) -> Vec<Received> {
        let mut released = Vec::new();
        for range in keys {
            while let Some(key) = self.held.range(range.clone()).next().map(|(key, _)| *key) {
                // Messages in the backlog are delivered when the gap before them closes.
                if let Some(Held::Arrived(message)) = self.held.remove(&key) {
                    released.push(*message);
                }
            }
        }
        released
    }

    /// Allows the peer `count` more streams.
    pub(super) fn add_streams(&mut self, count: u16) {
        self.streams = self.streams.saturating_add(count);
    }

    /// The next SSN of each stream, without those that are 0.
    pub(super) fn due(&self) -> impl Iterator<Item = (StreamId, Ssn)> + '_ {
        self.next.entries()
    }

    pub(super) fn set_due(&mut self, stream: StreamId, ssn: Ssn) {
        self.next.replace(stream, ssn);
    }

    /// Frees memory that no message uses.
    pub(super) fn trim(&mut self) {
        if self.held.is_empty() {
            self.held.release();
        }
    }

    /// Heap bytes, excluding messages.
    pub(super) fn footprint(&self) -> usize {
        self.held.footprint() + self.next.footprint()
    }

    /// Forgets a waiting message that lost the chunk `at`.
    pub(super) fn renege(&mut self, stream: StreamId, ssn: Ssn, at: u64) {
        let key = key(stream, ssn);
        if let Some(Held::Beyond(span)) = self.held.get(&key)
            && span.contains(at)
        {
            self.held.remove(&key);
        }
    }
}

fn key(stream: StreamId, ssn: Ssn) -> u32 {
    u32::from(stream.0) << 16 | u32::from(ssn.0)
}
