//! Stream settings that the user changes during the association (RFC 8260 §3).

use core::num::NonZeroU16;

use crate::per_stream::PerStream;
use crate::{Schedule, StreamScheduler};

/// Settings that outlive a scheduler and are applied to the next one.
#[derive(Clone, Debug, Default)]
pub(super) struct Preferences {
    /// Replaces the scheduler of the options.
    pub(super) scheduler: Option<StreamScheduler>,
    pub(super) priorities: PerStream<u16>,
    /// Weight per stream; 0 (unset) counts as 1.
    pub(super) weights: PerStream<u16>,
    /// Maximum user bytes of a DATA chunk.
    pub(super) max_fragment: Option<NonZeroU16>,
    pub(super) directions: Directions,
}

/// Whether the user chose paths for any messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Directions {
    #[default]
    None,
    Some,
}

impl Preferences {
    pub(super) fn tell(&self, schedule: &mut dyn Schedule) {
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
