//! The user's settings of streams while the association lives (RFC 8260 §3).

use core::num::NonZeroU16;

use crate::per_stream::PerStream;
use crate::{Schedule, StreamScheduler};

/// Settings that outlive a scheduler: the next one begins with them.
#[derive(Clone, Debug, Default)]
pub(super) struct Preferences {
    /// In place of the one of the options.
    pub(super) scheduler: Option<StreamScheduler>,
    pub(super) priorities: PerStream<u16>,
    /// 0 stands for 1.
    pub(super) weights: PerStream<u16>,
    /// User bytes of a DATA chunk at most.
    pub(super) max_fragment: Option<NonZeroU16>,
    pub(super) directions: Directions,
}

/// Whether messages were sent to addresses that their user chose.
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
