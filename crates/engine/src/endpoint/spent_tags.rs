use alloc::collections::{BTreeSet, VecDeque};
use core::time::Duration;

use sheave_wire::Vtag;

use crate::Time;

/// Tags remembered at most, some 200 KiB: whoever makes and ends more associations than that within
/// the life of a cookie makes us forget the oldest.
const MAX_TAGS: usize = 4096;

/// Our tags of associations that ended while their cookies were still good.
///
/// A cookie says nothing of whether it was used. A COOKIE ECHO that the network brings once more
/// would revive an association that both users saw end, and what follows it would be delivered a
/// second time.
#[derive(Clone, Debug, Default)]
pub(super) struct SpentTags {
    /// Oldest first, each with the end of its cookie's life.
    by_age: VecDeque<(Time, Vtag)>,
    tags: BTreeSet<Vtag>,
}

impl SpentTags {
    /// Notes that the association of a tag has ended; `life` is that of its cookie at most.
    pub(super) fn add(&mut self, now: Time, life: Duration, tag: Vtag) {
        while let Some((until, _)) = self.by_age.front()
            && (*until < now || self.by_age.len() >= MAX_TAGS)
        {
            let oldest = self.by_age.pop_front();
            if let Some((_, oldest)) = oldest {
                self.tags.remove(&oldest);
            }
        }
        if self.tags.insert(tag) {
            self.by_age.push_back((now + life, tag));
        }
    }

    pub(super) fn contains(&self, tag: Vtag) -> bool {
        self.tags.contains(&tag)
    }
}

#[cfg(test)]
mod tests;
