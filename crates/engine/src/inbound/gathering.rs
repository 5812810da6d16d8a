use alloc::boxed::Box;
use alloc::collections::BTreeMap;

use bytes::Bytes;
use sheave_wire::{Fsn, IData, Ppid, Ssn};

use super::assembly::Assembly;
use super::fragment::Label;
use super::interleaved::Key;
use crate::pool::Pool;
use crate::value::error::PeerFault;
use crate::{Origin, Part, Received};

/// A message whose fragments arrive as I-DATA, in any TSN order (RFC 8260 §2.2.3).
///
/// Fragments are numbered from 0 (`place`), which compares more simply than wrapping FSNs. A peer
/// may have an incomplete message on each stream, so a message whose fragments were all taken keeps
/// little memory.
#[derive(Clone, Debug)]
pub(super) struct Gathering {
    ppid: Ppid,
    /// Label of the message, known once its first fragment has arrived.
    origin: Origin,
    /// Place of the fragment that follows the contiguous beginning.
    next: u64,
    /// Fragments not taken by the user; `None` if there are none.
    held: Option<Box<HeldFragments>>,
}

/// Fragments of a message that the user has not taken.
///
/// The beginning, which lacks neither fragments nor earlier TSNs, is assembled as it arrives.
/// Fragments beyond a gap stay separate, since they may have to be dropped again.
#[derive(Clone, Debug, Default)]
struct HeldFragments {
    beginning: Assembly,
    rest: BTreeMap<u64, Apart>,
    /// Place of the last fragment, known once that has arrived.
    end: Option<u64>,
}

static NOTHING_APART: BTreeMap<u64, Apart> = BTreeMap::new();

/// A fragment that cannot be appended to the beginning yet.
#[derive(Clone, Debug)]
struct Apart {
    /// Unwrapped TSN.
    at: u64,
    payload: Bytes,
}

const REUSED_FSN: PeerFault =
    PeerFault::violation("two fragments of one message have the same FSN");
const BAD_BITS: PeerFault =
    PeerFault::violation("the B and E bits of a message's fragments contradict their FSNs");

impl Gathering {
    pub(super) fn new() -> Self {
        Self {
            ppid: Ppid(0),
            origin: Origin::default(),
            next: 0,
            held: None,
        }
    }

    pub(super) const fn ppid(&self) -> Ppid {
        self.ppid
    }

    /// The place of a fragment, if it is consistent with those already stored.
    pub(super) fn place(&self, chunk: &IData<'_>, part: Part) -> Result<u64, PeerFault> {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the low half of a place is the FSN"
        )]
        let next = Fsn(self.next as u32);
        if chunk.fsn().is_before(next) {
            return Err(REUSED_FSN);
        }
        let place = self.next + u64::from(chunk.fsn().distance_from(next));
        if self.rest().contains_key(&place) {
            return Err(REUSED_FSN);
        }
        let begins = matches!(part, Part::Whole | Part::First);
        let ends = matches!(part, Part::Whole | Part::Last);
        let last = self.rest().last_key_value().map(|(last, _)| *last);
        let after_end = self.end().is_some_and(|end| ends || place > end);
        let ends_early = ends && last.is_some_and(|last| last > place);
        if begins != (place == 0) || after_end || ends_early {
            return Err(BAD_BITS);
        }
        Ok(place)
    }

    /// Records the message attributes of a fragment.
    pub(super) fn note(&mut self, key: Key, place: u64, chunk: &IData<'_>, part: Part) {
        if let Some(ppid) = chunk.ppid() {
            self.ppid = ppid;
        }
        if matches!(part, Part::Whole | Part::Last) {
            self.held(key).end = Some(place);
        }
    }

    /// Whether the fragment at `place` directly follows the beginning.
    pub(super) const fn continues(&self, place: u64) -> bool {
        place == self.next
    }

    /// Records the origin of the first fragment.
    pub(super) const fn note_origin(&mut self, place: u64, origin: Origin) {
        if place == 0 {
            self.origin = origin;
        }
    }

    /// Appends the next fragment to the beginning.
    pub(super) fn append(&mut self, key: Key, payload: &[u8], pool: &mut Pool) {
        let (label, origin) = (self.label(key), self.origin);
        let begins = self.next == 0;
        let beginning = &mut self.held(key).beginning;
        if begins {
            beginning.begin(label, origin, payload, pool);
        } else {
            beginning.extend(payload, pool);
        }
        self.next += 1;
    }

    /// Stores a fragment separately.
    pub(super) fn insert(&mut self, key: Key, place: u64, at: u64, payload: &[u8]) {
        let payload = Bytes::copy_from_slice(payload);
        self.held(key).rest.insert(place, Apart { at, payload });
    }

    /// Appends the stored fragments that now follow the beginning and lack no earlier TSN; returns
    /// their number.
    pub(super) fn settle(&mut self, key: Key, cumulative: u64, pool: &mut Pool) -> usize {
        let before = self.next;
        while let Some(payload) = self.take_next(cumulative) {
            self.append(key, &payload, pool);
        }
        usize::try_from(self.next - before).unwrap_or(usize::MAX)
    }

    fn take_next(&mut self, cumulative: u64) -> Option<Bytes> {
        let first = self.held.as_mut()?.rest.first_entry()?;
        let continues = *first.key() == self.next && first.get().at <= cumulative;
        continues.then(|| first.remove().payload)
    }

    /// Removes a separate fragment (reneging); returns its length in bytes.
    pub(super) fn renege(&mut self, place: u64) -> Option<usize> {
        let held = self.held.as_mut()?;
        let dropped = held.rest.remove(&place)?;
        if held.end == Some(place) {
            held.end = None;
        }
        Some(dropped.payload.len())
    }

    /// Whether all fragments have arrived.
    pub(super) fn is_complete(&self) -> bool {
        self.end()
            .is_some_and(|end| self.rest().len() as u64 == end + 1 - self.next)
    }

    /// Whether no fragment is stored and none was taken.
    pub(super) fn is_blank(&self) -> bool {
        self.next == 0 && self.rest().is_empty()
    }

    /// Whether any fragments are stored.
    pub(super) const fn holds_any(&self) -> bool {
        self.held.is_some()
    }

    /// Whether all fragments that arrived were taken.
    pub(super) const fn is_drained(&self) -> bool {
        self.next > 0 && !self.holds_any()
    }

    /// Frees the fragment storage of a drained message; returns whether it did.
    pub(super) fn drain(&mut self) -> bool {
        let is_over = self.held.as_ref().is_some_and(|held| {
            held.beginning.has_begun() && held.beginning.len() == 0 && held.rest.is_empty()
        });
        if is_over {
            self.held = None;
        }
        is_over
    }

    /// Bytes stored and not taken.
    pub(super) fn payload(&self) -> usize {
        let apart = self.rest().values().map(|apart| apart.payload.len());
        self.beginning() + apart.sum::<usize>()
    }

    /// Bytes of the beginning not taken yet.
    pub(super) fn beginning(&self) -> usize {
        self.held.as_ref().map_or(0, |held| held.beginning.len())
    }

    /// Unwrapped TSNs of the separate fragments.
    pub(super) fn apart(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.rest().values().map(|apart| apart.at)
    }

    /// Whether a part was taken.
    pub(super) fn has_begun(&self) -> bool {
        let held = self.held.as_ref();
        held.map_or(self.next > 0, |held| held.beginning.has_begun())
    }

    /// Makes the beginning available as a part.
    pub(super) fn offer(&mut self) {
        if let Some(held) = &mut self.held {
            held.beginning.offer();
        }
    }

    /// Takes the beginning and reserves no room for more, since the next fragment may be a single
    /// byte.
    pub(super) fn take_part(&mut self) -> Option<Received> {
        let beginning = &mut self.held.as_mut()?.beginning;
        let received = beginning.take_part();
        beginning.give_up_room();
        received.map(|received| Received {
            origin: self.origin,
            ..received
        })
    }

    /// The whole message, or its last part.
    pub(super) fn finish(mut self, key: Key, pool: &mut Pool) -> Option<Received> {
        self.settle(key, u64::MAX, pool);
        let (label, _, payload, part) = self.held.as_mut()?.beginning.finish()?;
        Some(label.received(self.origin, payload, part))
    }

    /// Pretends that so many fragments have come.
    #[cfg(test)]
    pub(super) fn set_next(&mut self, next: u64) {
        self.next = next;
    }

    fn label(&self, key: Key) -> Label {
        Label {
            stream: key.stream,
            ssn: Ssn(0),
            ppid: self.ppid,
            delivery: key.delivery(),
        }
    }

    fn held(&mut self, key: Key) -> &mut HeldFragments {
        let label = self.label(key);
        let begun = self.next > 0;
        self.held.get_or_insert_with(|| {
            let mut held = Box::<HeldFragments>::default();
            if begun {
                held.beginning = Assembly::resumed(label);
            }
            held
        })
    }

    fn rest(&self) -> &BTreeMap<u64, Apart> {
        let held = self.held.as_ref();
        held.map_or(&NOTHING_APART, |held| &held.rest)
    }

    fn end(&self) -> Option<u64> {
        self.held.as_ref()?.end
    }
}
