//! The user's settings of streams while the association lives (RFC 8260 §3).

use core::num::NonZeroU16;

use sheave_wire::StreamId;

use super::Outbound;
use super::queue::Begun;
use crate::per_stream::PerStream;
use crate::{Schedule, StreamScheduler};

/// Settings that outlive a scheduler: the next one begins with them.
#[derive(Clone, Debug, Default)]
pub(super) struct Preferences {
    /// In place of the one of the options.
    scheduler: Option<StreamScheduler>,
    priorities: PerStream<u16>,
    /// 0 stands for 1.
    weights: PerStream<u16>,
}

impl Preferences {
    fn tell(&self, schedule: &mut dyn Schedule) {
        for (stream, priority) in self.priorities.entries() {
            schedule.set_priority(stream, priority);
        }
        for (stream, weight) in self.weights.entries() {
            if let Some(weight) = NonZeroU16::new(weight) {
                schedule.set_weight(stream, weight);
            }
        }
    }

    /// Bytes on the heap.
    pub(super) fn footprint(&self) -> usize {
        size_of::<Self>() + self.priorities.footprint() + self.weights.footprint()
    }
}

impl Outbound {
    /// Lets another scheduler choose from now on; what waits stays in order, stream by stream.
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

    /// The scheduler that was chosen in place of the one of the options.
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

    fn preferences(&mut self) -> &mut Preferences {
        self.extensions.part_or_else(
            |extensions| &mut extensions.preferences,
            Preferences::default,
        )
    }
}
