use alloc::collections::BTreeMap;

use bytes::Bytes;
use sheave_wire::{Fsn, IData, Ppid, Ssn};

use super::assembly::Assembly;
use super::fragment::Label;
use super::interleaved::Key;
use crate::error::PeerFault;
use crate::pool::Pool;
use crate::{Origin, Part, Received};

/// A message whose fragments arrive as I-DATA, in any order of TSN (RFC 8260 §2.2.3).
///
/// Its beginning, of which neither fragments nor TSNs before them are missing, is put together as
/// it comes; what is beyond a gap stays apart, since it may have to be dropped again. Fragments are
/// counted from 0 (`place`), which is easier to compare than FSNs that wrap.
#[derive(Clone, Debug)]
pub(super) struct Gathering {
    beginning: Assembly,
    ppid: Ppid,
    /// Of its first fragment, once that has come.
    origin: Origin,
    /// The place of the fragment that follows the beginning.
    next: u64,
    rest: BTreeMap<u64, Apart>,
    /// The place of the last fragment, once it has come.
    end: Option<u64>,
}

/// A fragment that cannot yet be added to the beginning.
#[derive(Clone, Debug)]
struct Apart {
    /// The unwrapped TSN.
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
            beginning: Assembly::default(),
            ppid: Ppid(0),
            origin: Origin::default(),
            next: 0,
            rest: BTreeMap::new(),
            end: None,
        }
    }

    /// The place of a fragment, if it can stand beside those that are there.
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
        if self.rest.contains_key(&place) {
            return Err(REUSED_FSN);
        }
        let begins = matches!(part, Part::Whole | Part::First);
        let ends = matches!(part, Part::Whole | Part::Last);
        let last = self.rest.last_key_value().map(|(last, _)| *last);
        let after_end = self.end.is_some_and(|end| ends || place > end);
        let ends_early = ends && last.is_some_and(|last| last > place);
        if begins != (place == 0) || after_end || ends_early {
            return Err(BAD_BITS);
        }
        Ok(place)
    }

    /// Notes what a fragment says of its message.
    pub(super) fn note(&mut self, place: u64, chunk: &IData<'_>, part: Part) {
        if let Some(ppid) = chunk.ppid() {
            self.ppid = ppid;
        }
        if matches!(part, Part::Whole | Part::Last) {
            self.end = Some(place);
        }
    }

    /// Whether the fragment at `place` goes on where the beginning ends.
    pub(super) const fn continues(&self, place: u64) -> bool {
        place == self.next
    }

    /// Notes where the first fragment came from.
    pub(super) const fn note_origin(&mut self, place: u64, origin: Origin) {
        if place == 0 {
            self.origin = origin;
        }
    }

    /// Adds the next fragment to the beginning.
    pub(super) fn append(&mut self, key: Key, payload: &[u8], pool: &mut Pool) {
        if self.next == 0 {
            let origin = Origin {
                ssn_or_mid: key.mid,
                ..self.origin
            };
            self.beginning.begin(self.label(key), origin, payload, pool);
        } else {
            self.beginning.extend(payload, pool);
        }
        self.next += 1;
    }

    /// Keeps a fragment apart.
    pub(super) fn insert(&mut self, place: u64, at: u64, payload: &[u8]) {
        let payload = Bytes::copy_from_slice(payload);
        self.rest.insert(place, Apart { at, payload });
    }

    /// Adds what now goes on where the beginning ends and has no TSN missing before it. Returns how
    /// many fragments.
    pub(super) fn settle(&mut self, key: Key, cumulative: u64, pool: &mut Pool) -> usize {
        let before = self.next;
        while let Some(first) = self.rest.first_entry()
            && *first.key() == self.next
            && first.get().at <= cumulative
        {
            let payload = first.remove().payload;
            self.append(key, &payload, pool);
        }
        usize::try_from(self.next - before).unwrap_or(usize::MAX)
    }

    /// Takes a fragment back. Returns its bytes.
    pub(super) fn renege(&mut self, place: u64) -> Option<usize> {
        let dropped = self.rest.remove(&place)?;
        if self.end == Some(place) {
            self.end = None;
        }
        Some(dropped.payload.len())
    }

    /// Whether all fragments are there.
    pub(super) fn is_complete(&self) -> bool {
        self.end
            .is_some_and(|end| self.rest.len() as u64 == end + 1 - self.next)
    }

    /// Whether nothing of it is there, nor ever was.
    pub(super) fn is_blank(&self) -> bool {
        self.next == 0 && self.rest.is_empty()
    }

    /// Bytes held that were not handed over.
    pub(super) fn payload(&self) -> usize {
        let apart = self.rest.values().map(|apart| apart.payload.len());
        self.beginning.len() + apart.sum::<usize>()
    }

    /// Bytes of the beginning that were not handed over.
    pub(super) fn beginning(&self) -> usize {
        self.beginning.len()
    }

    /// Fragments kept apart, by their unwrapped TSNs.
    pub(super) fn apart(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.rest.values().map(|apart| apart.at)
    }

    /// Whether a part of it was taken.
    pub(super) fn has_begun(&self) -> bool {
        self.beginning.has_begun()
    }

    /// Lets the beginning be taken as a part.
    pub(super) fn offer(&mut self) {
        self.beginning.offer();
    }

    pub(super) fn take_part(&mut self) -> Option<Received> {
        self.beginning.take_part()
    }

    /// The whole message, or the last part of it.
    pub(super) fn finish(mut self, key: Key, pool: &mut Pool) -> Option<Received> {
        self.settle(key, u64::MAX, pool);
        let (label, origin, payload, part) = self.beginning.finish()?;
        Some(label.received(origin, payload, part))
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
}
