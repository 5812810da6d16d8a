//! Messages of an association with interleaving: stored ones, and the order in which they may be
//! read.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::ops::RangeInclusive;

use sheave_wire::{MessageOrder, Mid, Ppid, StreamId};

use super::super::gathering::Gathering;
use super::skipped::Skipped;
use super::{DRAINED_OVERHEAD, Key};
use crate::per_stream::PerStream;
use crate::value::protection::is_of_key_managers;

/// Messages being assembled, and complete messages waiting for their turn.
///
/// No list is walked further than the entries removed, so the chunks that filled it pay for the
/// walk (A41).
#[derive(Clone, Debug, Default)]
pub(in crate::inbound) struct Interleaved {
    /// Messages that lack a fragment.
    pub(super) gatherings: BTreeMap<Key, Gathering>,
    /// Complete messages waiting for another message of their stream.
    pub(super) complete: BTreeMap<Key, Gathering>,
    /// MID of the next ordered message of each stream.
    pub(super) next: PerStream<Mid>,
    /// Fragments beyond a gap, which may be dropped again: unwrapped TSN to message and place.
    pub(super) beyond: BTreeMap<u64, (Key, u64)>,
    /// Messages with a part available.
    pub(super) offered: BTreeSet<Key>,
    /// Messages in partial delivery, at most one per stream.
    pub(super) partly: BTreeMap<StreamId, Key>,
    /// Incomplete messages whose beginning has arrived and is not yet available in parts.
    begun: BTreeSet<Key>,
    /// By stream, the first message of `begun` whose turn it is.
    offerable: BTreeMap<StreamId, Key>,
    /// The unordered messages that the peer has abandoned.
    pub(super) skipped: Skipped,
    /// Number of messages whose received fragments were all taken.
    pub(super) drained: usize,
    /// Whether messages of key managers are delivered whole.
    pub(super) serves_key_managers: bool,
}

impl Interleaved {
    pub(in crate::inbound) fn is_offered(&self) -> bool {
        !self.offered.is_empty()
    }

    /// The highest unwrapped TSN that can be dropped.
    pub(in crate::inbound) fn highest(&self) -> Option<u64> {
        self.beyond.last_key_value().map(|(at, _)| *at)
    }

    /// Bytes used by messages whose received fragments were all taken.
    pub(in crate::inbound) const fn records(&self) -> usize {
        self.drained * DRAINED_OVERHEAD
    }

    pub(in crate::inbound) fn footprint(&self) -> usize {
        size_of::<Self>() + self.next.footprint() + self.skipped.footprint()
    }

    /// Whether any message is stored, incomplete or complete.
    pub(in crate::inbound) fn has_gatherings(&self) -> bool {
        !self.gatherings.is_empty() || !self.complete.is_empty()
    }

    /// The next MID of each stream, without those that are 0.
    pub(in crate::inbound) fn due(&self) -> impl Iterator<Item = (StreamId, Mid)> + '_ {
        self.next.entries()
    }

    pub(in crate::inbound) fn set_due(&mut self, stream: StreamId, mid: Mid) {
        self.next.replace(stream, mid);
        if !self.begun.is_empty() {
            self.refresh(stream);
        }
    }

    /// The streams with a partial delivery in progress.
    pub(in crate::inbound) fn partly(&self) -> impl Iterator<Item = StreamId> + '_ {
        self.partly.keys().copied()
    }

    /// The payload protocol identifier of the stream's next ordered message, if a part of it is stored.
    pub(in crate::inbound) fn next_ppid(&self, stream: StreamId) -> Option<Ppid> {
        let key = Key::ordered(stream, self.next.get(stream));
        self.gatherings.get(&key).map(Gathering::ppid)
    }

    /// Makes all received bytes of messages in partial delivery available.
    pub(in crate::inbound) fn offer_rests(&mut self) {
        let keys: Vec<Key> = self.partly.values().copied().collect();
        for key in keys {
            self.offer(key);
        }
    }

    /// Whether a message with that key is stored.
    pub(super) fn holds(&self, key: Key) -> bool {
        self.gatherings.contains_key(&key) || self.complete.contains_key(&key)
    }

    pub(super) fn get_mut(&mut self, key: Key) -> Option<&mut Gathering> {
        let gathering = self.gatherings.get_mut(&key);
        gathering.or_else(|| self.complete.get_mut(&key))
    }

    /// Whether an ordered message with that MID was already delivered or skipped.
    pub(super) fn is_past(&self, key: Key) -> bool {
        key.order == MessageOrder::Ordered && Mid(key.mid).is_before(self.next.get(key.stream))
    }

    /// Whether a fragment with that TSN belongs to a skipped unordered message.
    pub(super) fn is_rest_of_skipped(&self, key: Key, at: u64) -> bool {
        key.order == MessageOrder::Unordered && self.skipped.covers(key, at) && !self.holds(key)
    }

    /// Whether the stream's order allows delivery of a message. During partial delivery, the
    /// stream's other messages wait, so that the parts stay together.
    pub(super) fn is_in_turn(&self, key: Key) -> bool {
        let in_order = match key.order {
            MessageOrder::Unordered => true,
            MessageOrder::Ordered => self.next.get(key.stream).0 == key.mid,
        };
        let partly = self.partly.get(&key.stream);
        in_order && partly.is_none_or(|partly| *partly == key)
    }

    /// Whether a message is complete and has its turn.
    pub(super) fn is_due(&self, key: Key) -> bool {
        self.complete.contains_key(&key) && self.is_in_turn(key)
    }

    /// The first complete unordered message of a stream, unless partial delivery blocks it.
    pub(super) fn unordered_due(&self, stream: StreamId) -> Option<Key> {
        if self.partly.contains_key(&stream) {
            return None;
        }
        let range = Key::all(stream, MessageOrder::Unordered);
        self.complete.range(range).next().map(|(key, _)| *key)
    }

    /// Updates the lists after a message got another fragment.
    pub(super) fn on_fragment(&mut self, key: Key) {
        let Some(gathering) = self.gatherings.get(&key) else {
            return;
        };
        if gathering.is_complete() {
            if let Some(gathering) = self.gatherings.remove(&key) {
                self.complete.insert(key, gathering);
            }
            self.begun.remove(&key);
            self.refresh(key.stream);
        } else if gathering.beginning() > 0 {
            self.note_begun(key);
        }
    }

    /// Updates the lists after a message lost a fragment.
    pub(super) fn on_reneged(&mut self, key: Key) {
        if let Some(gathering) = self.complete.remove(&key) {
            self.gatherings.insert(key, gathering);
            self.on_fragment(key);
        }
    }

    /// Removes a message and the records of its fragments.
    pub(super) fn remove(&mut self, key: Key) -> Option<Gathering> {
        let gathering = self.gatherings.remove(&key);
        let gathering = gathering.or_else(|| self.complete.remove(&key))?;
        for at in gathering.apart() {
            self.beyond.remove(&at);
        }
        self.offered.remove(&key);
        self.begun.remove(&key);
        if self.partly.get(&key.stream) == Some(&key) {
            self.partly.remove(&key.stream);
        }
        self.drained -= usize::from(gathering.is_drained());
        self.refresh(key.stream);
        Some(gathering)
    }

    /// Forgets a message without fragments; returns whether it did.
    pub(super) fn forget_blank(&mut self, key: Key) -> bool {
        let is_blank = self.gatherings.get(&key).is_some_and(Gathering::is_blank);
        if is_blank {
            self.remove(key);
        }
        is_blank
    }

    /// Makes the beginning of a message available if it has its turn; returns whether it did.
    pub(super) fn offer(&mut self, key: Key) -> bool {
        let in_turn = self.is_in_turn(key);
        match self.gatherings.get_mut(&key) {
            Some(gathering)
                if in_turn
                    && gathering.beginning() > 0
                    && !(self.serves_key_managers
                        && is_of_key_managers(key.stream, gathering.ppid())) =>
            {
                gathering.offer();
            }
            _ => return false,
        }
        self.offered.insert(key);
        self.begun.remove(&key);
        self.refresh(key.stream);
        true
    }

    /// Makes the next message of each stream available; returns the number.
    pub(super) fn offer_all(&mut self) -> usize {
        let offerable = core::mem::take(&mut self.offerable);
        offerable.values().filter(|key| self.offer(**key)).count()
    }

    /// Records that a part was taken: the stream's other messages wait until the message is
    /// complete. Returns how many of these were available.
    pub(super) fn on_part_taken(&mut self, key: Key) -> usize {
        self.partly.insert(key.stream, key);
        let range = Key::of_stream(key.stream);
        let withdrawn: Vec<Key> = self.offered.range(range).copied().collect();
        for other in &withdrawn {
            self.offered.remove(other);
            self.begun.insert(*other);
        }
        self.refresh(key.stream);
        withdrawn.len()
    }

    /// Keys up to `last` in one of a stream's two sequences, in MID order, from the incomplete or
    /// the complete messages.
    pub(super) fn up_to(
        messages: &BTreeMap<Key, Gathering>,
        last: Key,
    ) -> impl Iterator<Item = Key> + '_ {
        // RFC 1982: all MIDs not after `last`.
        let first = last.mid.wrapping_sub(u32::MAX / 2);
        let ranges = last.with_mid(first).through(last);
        ranges.flat_map(|range| messages.range(range).map(|(key, _)| *key))
    }

    /// Keys in one of a stream's two sequences, starting at the next MID.
    pub(super) fn keys_from_due<'a>(
        &self,
        messages: &'a BTreeMap<Key, Gathering>,
        stream: StreamId,
        order: MessageOrder,
    ) -> impl Iterator<Item = Key> + use<'a> {
        let first = Key {
            order,
            ..Key::ordered(stream, self.next.get(stream))
        };
        let ranges = first.through(first.with_mid(first.mid.wrapping_sub(1)));
        ranges.flat_map(|range| messages.range(range).map(|(key, _)| *key))
    }

    /// The streams with an incomplete message, ascending.
    pub(super) fn streams(&self) -> Vec<StreamId> {
        let both = self.gatherings.keys().chain(self.complete.keys());
        let mut streams: Vec<StreamId> = both.map(|key| key.stream).collect();
        streams.sort_unstable();
        streams.dedup();
        streams
    }

    #[cfg(test)]
    pub(super) fn has_no_offers(&self) -> bool {
        self.begun.is_empty() && self.offerable.is_empty()
    }

    fn note_begun(&mut self, key: Key) {
        if !self.offered.contains(&key) && self.begun.insert(key) {
            self.refresh(key.stream);
        }
    }

    /// Recomputes which message of a stream may be made available.
    fn refresh(&mut self, stream: StreamId) {
        match self.to_offer(stream) {
            Some(key) => {
                self.offerable.insert(stream, key);
            }
            None => {
                self.offerable.remove(&stream);
            }
        }
    }

    fn to_offer(&self, stream: StreamId) -> Option<Key> {
        if self.begun.is_empty() {
            return None;
        }
        if let Some(partly) = self.partly.get(&stream) {
            return self.begun.get(partly).copied();
        }
        let ordered = Key::ordered(stream, self.next.get(stream));
        let unordered = Key::all(stream, MessageOrder::Unordered);
        let ordered = self.begun.get(&ordered);
        ordered
            .or_else(|| self.begun.range(unordered).next())
            .copied()
    }
}

/// Up to two ranges that cover all keys between two MIDs, with wrapping.
pub(super) type Ranges = core::iter::Flatten<core::array::IntoIter<Option<RangeInclusive<Key>>, 2>>;
