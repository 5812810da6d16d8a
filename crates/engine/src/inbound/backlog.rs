use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use bytes::Bytes;

use super::fragment::{Fragment, Label};
use crate::value::error::PeerFault;
use crate::{Origin, Part};

/// Chunks stored beyond a gap, by unwrapped TSN.
#[derive(Clone, Debug, Default)]
pub(super) struct Backlog {
    /// Allocated by the first chunk beyond a gap.
    waiting: Option<Box<WaitingChunks>>,
}

#[derive(Clone, Debug, Default)]
struct WaitingChunks {
    chunks: BTreeMap<u64, Fragment<'static>>,
    /// First and last TSN of each run of fragments of one message; single-chunk messages are not
    /// runs.
    runs: BTreeMap<u64, u64>,
}

impl WaitingChunks {
    /// Whether both of two consecutive TSNs are stored and belong to one message.
    fn joins(&self, before: u64, after: u64) -> bool {
        match (self.chunks.get(&before), self.chunks.get(&after)) {
            (Some(before), Some(after)) => {
                !before.ends() && check_neighbours(before, after).is_ok()
            }
            _ => false,
        }
    }
}

/// The TSNs of a complete message, first and last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) first: u64,
    pub(super) last: u64,
}

impl Span {
    pub(super) fn contains(self, at: u64) -> bool {
        self.first <= at && at <= self.last
    }

    /// Number of chunks in the span.
    pub(super) fn chunks(self) -> usize {
        usize::try_from(self.last - self.first + 1).unwrap_or(usize::MAX)
    }
}

impl Backlog {
    /// Whether a chunk is consistent with its stored neighbours (RFC 9260 §6.9).
    pub(super) fn check(&self, at: u64, fragment: &Fragment<'_>) -> Result<(), PeerFault> {
        let Some(waiting) = &self.waiting else {
            return Ok(());
        };
        if fragment.part == Part::Whole && waiting.runs.is_empty() {
            return Ok(());
        }
        if let Some(before) = waiting.chunks.get(&(at - 1)) {
            check_neighbours(before, fragment)?;
        }
        match waiting.chunks.get(&(at + 1)) {
            Some(after) => check_neighbours(fragment, after),
            None => Ok(()),
        }
    }

    /// Stores a chunk, and returns the message that it completes, if any. If the chunk contradicts
    /// a neighbour, whose message was given up, the two are not joined.
    pub(super) fn insert(&mut self, at: u64, fragment: Fragment<'_>) -> Option<Span> {
        let waiting = self.waiting.get_or_insert_default();
        let part = fragment.part;
        waiting.chunks.insert(at, fragment.into_owned());
        if part == Part::Whole {
            return Some(Span {
                first: at,
                last: at,
            });
        }
        let mut span = Span {
            first: at,
            last: at,
        };
        let joins_after = waiting.joins(at, at + 1);
        if joins_after && let Some(last) = waiting.runs.remove(&(at + 1)) {
            span.last = last;
        }
        if waiting.joins(at.wrapping_sub(1), at)
            && let Some((&first, &last)) = waiting.runs.range(..at).next_back()
            && last + 1 == at
        {
            span.first = first;
        }
        waiting.runs.insert(span.first, span.last);
        let begun = waiting
            .chunks
            .get(&span.first)
            .is_some_and(Fragment::begins);
        let ended = waiting.chunks.get(&span.last).is_some_and(Fragment::ends);
        (begun && ended).then_some(span)
    }

    /// The label of a stored message, taken from its first chunk.
    pub(super) fn label(&self, span: Span) -> Option<Label> {
        let waiting = self.waiting.as_ref()?;
        Some(waiting.chunks.get(&span.first)?.label)
    }

    /// Removes a complete message.
    pub(super) fn take(&mut self, span: Span) -> Option<(Label, Origin, Bytes)> {
        let waiting = self.waiting.as_mut()?;
        let first = waiting.chunks.remove(&span.first)?;
        if span.first == span.last {
            return Some((first.label, first.origin, first.payload.into_bytes()));
        }
        waiting.runs.remove(&span.first);
        let rest = waiting.chunks.range(span.first..=span.last);
        let len = first.len() + rest.map(|(_, chunk)| chunk.len()).sum::<usize>();
        let mut message = Vec::with_capacity(len);
        message.extend_from_slice(first.payload.as_slice());
        for at in span.first + 1..=span.last {
            if let Some(chunk) = waiting.chunks.remove(&at) {
                message.extend_from_slice(chunk.payload.as_slice());
            }
        }
        Some((first.label, first.origin, message.into()))
    }

    /// Removes the lowest chunk if the cumulative TSN has reached it.
    pub(super) fn pop_through(&mut self, cumulative: u64) -> Option<(u64, Fragment<'static>)> {
        let waiting = self.waiting.as_mut()?;
        let lowest = waiting.chunks.first_entry()?;
        if *lowest.key() > cumulative {
            return None;
        }
        let (at, chunk) = lowest.remove_entry();
        if chunk.part != Part::Whole {
            waiting.runs.remove(&at);
        }
        Some((at, chunk))
    }

    /// The lowest stored TSN.
    pub(super) fn lowest(&self) -> Option<u64> {
        let waiting = self.waiting.as_ref()?;
        waiting.chunks.first_key_value().map(|(&at, _)| at)
    }

    /// The highest stored TSN.
    pub(super) fn highest(&self) -> Option<u64> {
        let waiting = self.waiting.as_ref()?;
        waiting.chunks.last_key_value().map(|(&at, _)| at)
    }

    /// Removes the chunk with the highest TSN.
    pub(super) fn pop_highest(&mut self) -> Option<(u64, Fragment<'static>)> {
        let waiting = self.waiting.as_mut()?;
        let (at, chunk) = waiting.chunks.pop_last()?;
        if chunk.part != Part::Whole
            && let Some((first, _)) = waiting.runs.pop_last()
            && first < at
        {
            waiting.runs.insert(first, at - 1);
        }
        Some((at, chunk))
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        let waiting = self.waiting.as_ref();
        waiting.is_none_or(|waiting| waiting.chunks.is_empty() && waiting.runs.is_empty())
    }

    /// Frees memory that no chunk uses.
    pub(super) fn trim(&mut self) {
        if self.highest().is_none() {
            self.waiting = None;
        }
    }
}

fn check_neighbours(before: &Fragment<'_>, after: &Fragment<'_>) -> Result<(), PeerFault> {
    if before.ends() != after.begins() {
        return Err(PeerFault::BAD_FRAGMENT_BITS);
    }
    if !before.ends() && !before.label.agrees_with(&after.label) {
        return Err(PeerFault::MIXED_FRAGMENTS);
    }
    Ok(())
}
