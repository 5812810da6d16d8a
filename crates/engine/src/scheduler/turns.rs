use sheave_wire::StreamId;

use super::links::{Links, Row};
use super::{HasMore, Schedule};

/// Streams take turns (RFC 8260 §3.2).
#[derive(Clone, Debug, Default)]
pub(super) struct Turns {
    row: Row,
    links: Links,
}

impl Schedule for Turns {
    fn on_ready(&mut self, stream: StreamId) {
        self.links.push(&mut self.row, stream);
    }

    fn next(&self) -> Option<StreamId> {
        self.row.first()
    }

    fn on_sent(&mut self, stream: StreamId, _bytes: usize, more: HasMore) {
        match more {
            HasMore::No => self.links.remove(&mut self.row, stream),
            HasMore::Yes => self.links.rotate(&mut self.row, stream),
        }
    }

    fn on_withdrawn(&mut self, stream: StreamId) {
        self.links.remove(&mut self.row, stream);
    }

    fn trim(&mut self) {
        self.links.trim();
    }
}
