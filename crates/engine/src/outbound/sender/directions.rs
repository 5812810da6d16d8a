//! The user's choices of path, scheduler and fragment size.

use super::Outbound;
use crate::StreamScheduler;
use crate::outbound::preferences::{Directions, Preferences};
use crate::outbound::queue::stream_queues::Begun;
use crate::paths::Paths;
use crate::value::ids::PathIndex;
use core::num::NonZeroU16;
use sheave_wire::StreamId;

impl Outbound {
    /// Replaces the scheduler; waiting messages keep their order within each stream.
    pub(crate) fn set_scheduler(&mut self, scheduler: StreamScheduler) {
        let mut schedule = scheduler.schedule();
        let preferences = self.preferences();
        preferences.scheduler = Some(scheduler);
        if let Some(schedule) = schedule.as_deref_mut() {
            preferences.tell(schedule);
        }
        let newest = self.ring.partial_stream().zip(self.ring.partial());
        let interleaved = self.extensions.mids.is_some();
        let begun = interleaved.then(|| Begun::of_one(newest));
        self.queue.reschedule(schedule, begun);
    }

    /// The scheduler set by the user in place of the options' one.
    pub(crate) fn chosen_scheduler(&self) -> Option<StreamScheduler> {
        self.extensions.preferences.as_ref()?.scheduler
    }

    pub(crate) fn set_priority(&mut self, stream: StreamId, priority: u16) {
        self.preferences().priorities.replace(stream, priority);
        self.queue.set_priority(stream, priority);
    }

    pub(crate) fn set_weight(&mut self, stream: StreamId, weight: NonZeroU16) {
        self.preferences().weights.replace(stream, weight.get());
        self.queue.set_weight(stream, weight);
    }

    pub(crate) fn priority(&self, stream: StreamId) -> u16 {
        let preferences = self.extensions.get(|extensions| &extensions.preferences);
        preferences.map_or(0, |preferences| preferences.priorities.get(stream))
    }

    pub(crate) fn weight(&self, stream: StreamId) -> u16 {
        let preferences = self.extensions.get(|extensions| &extensions.preferences);
        preferences.map_or(1, |preferences| preferences.weights.get(stream).max(1))
    }

    pub(crate) fn set_max_fragment(&mut self, most: Option<NonZeroU16>) {
        self.preferences().max_fragment = most;
    }

    /// Maximum user bytes of a DATA chunk, as limited by the user.
    #[inline]
    pub(super) fn max_fragment(&self) -> usize {
        let preferences = self.extensions.get(|extensions| &extensions.preferences);
        let most = preferences.and_then(|preferences| preferences.max_fragment);
        most.map_or(usize::MAX, |most| usize::from(most.get()))
    }

    pub(super) fn note_direction(&mut self) {
        self.preferences().directions = Directions::Some;
    }

    /// Whether the user chose paths for any messages.
    #[inline]
    pub(crate) fn has_directions(&self) -> bool {
        let preferences = self.extensions.get(|extensions| &extensions.preferences);
        preferences.is_some_and(|preferences| preferences.directions == Directions::Some)
    }

    /// The path that the user chose for the next message, if the path is active.
    #[inline]
    pub(crate) fn next_direction(&self, paths: &Paths) -> Option<PathIndex> {
        if self.has_directions() {
            let chosen = self.chosen_direction();
            chosen.filter(|index| paths.is_active(*index))
        } else {
            None
        }
    }

    #[cold]
    #[inline(never)]
    fn chosen_direction(&self) -> Option<PathIndex> {
        let next = self.next_fragment()?;
        match next.begun {
            Some(message) => self.ring.direction_of(message),
            None => self.queue.front_direction(),
        }
    }

    fn preferences(&mut self) -> &mut Preferences {
        self.extensions.part_or_else(
            |extensions| &mut extensions.preferences,
            Preferences::default,
        )
    }
}
