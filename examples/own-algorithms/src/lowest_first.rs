use std::collections::BTreeSet;

use sheave_sim::engine::wire::StreamId;
use sheave_sim::engine::{HasMore, Schedule};

/// The stream with the lowest number that has something goes first.
#[derive(Clone, Debug, Default)]
pub(crate) struct LowestFirst(BTreeSet<StreamId>);

impl Schedule for LowestFirst {
    fn on_ready(&mut self, stream: StreamId) {
        self.0.insert(stream);
    }

    fn next(&self) -> Option<StreamId> {
        self.0.first().copied()
    }

    fn on_sent(&mut self, stream: StreamId, _bytes: usize, more: HasMore) {
        if more == HasMore::No {
            self.0.remove(&stream);
        }
    }

    fn on_withdrawn(&mut self, stream: StreamId) {
        self.0.remove(&stream);
    }
}
