use sheave_wire::StreamId;

use super::weighted::Weighted;
use super::{HasMore, Schedule};

/// Streams send equal numbers of bytes (RFC 8260 §3.5): weighted fair queueing with equal weights.
#[derive(Clone, Debug, Default)]
pub(super) struct Fair(Weighted);

impl Schedule for Fair {
    fn on_ready(&mut self, stream: StreamId) {
        self.0.on_ready(stream);
    }

    fn next(&self) -> Option<StreamId> {
        self.0.next()
    }

    fn on_sent(&mut self, stream: StreamId, bytes: usize, more: HasMore) {
        self.0.on_sent(stream, bytes, more);
    }

    fn on_withdrawn(&mut self, stream: StreamId) {
        self.0.on_withdrawn(stream);
    }

    fn trim(&mut self) {
        self.0.trim();
    }
}
