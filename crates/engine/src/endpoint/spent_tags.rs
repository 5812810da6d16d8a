use alloc::collections::{BTreeSet, VecDeque};
use core::time::Duration;

use sheave_wire::Vtag;

use crate::Time;

/// Most tags remembered, about 200 KiB. If more associations begin and end within the life of a
/// cookie, the oldest tags are forgotten.
const MAX_TAGS: usize = 4096;

/// Our tags of associations that ended while their cookies were still good.
///
/// A cookie does not show that it was used. A duplicated COOKIE ECHO would revive an association
/// that both users saw end, and the data after it would be delivered twice.
#[derive(Clone, Debug, Default)]
pub(super) struct SpentTags {
    /// Tags with the expiry of their cookies, oldest first.
    by_age: VecDeque<(Time, Vtag)>,
    tags: BTreeSet<Vtag>,
}

impl SpentTags {
    /// Records the tag of an ended association; `life` is the longest life of its cookie.
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
