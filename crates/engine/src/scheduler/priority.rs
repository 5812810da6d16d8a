use alloc::collections::BTreeMap;

use sheave_wire::StreamId;

use super::links::{Links, Row};
use super::{HasMore, Schedule};
use crate::per_stream::PerStream;

/// The lowest priority number goes first; streams of equal priority take turns (RFC 8260 §3.4).
#[derive(Clone, Debug, Default)]
pub(super) struct Priority {
    /// Rows by priority; no row is empty.
    rows: BTreeMap<u16, Row>,
    links: Links,
    priorities: PerStream<u16>,
}

impl Priority {
    fn remove(&mut self, stream: StreamId) {
        let priority = self.priorities.get(stream);
        if let Some(row) = self.rows.get_mut(&priority) {
            self.links.remove(row, stream);
            if row.is_empty() {
                self.rows.remove(&priority);
            }
        }
    }
}

impl Schedule for Priority {
    fn on_ready(&mut self, stream: StreamId) {
        let row = self.rows.entry(self.priorities.get(stream)).or_default();
        self.links.push(row, stream);
    }

    fn next(&self) -> Option<StreamId> {
        self.rows.first_key_value()?.1.first()
    }

    fn on_sent(&mut self, stream: StreamId, _bytes: usize, more: HasMore) {
        if more == HasMore::No {
            return self.remove(stream);
        }
        if let Some(row) = self.rows.get_mut(&self.priorities.get(stream)) {
            self.links.rotate(row, stream);
        }
    }

    fn on_withdrawn(&mut self, stream: StreamId) {
        self.remove(stream);
    }

    fn trim(&mut self) {
        self.links.trim();
    }

    fn set_priority(&mut self, stream: StreamId, priority: u16) {
        let waits = self.links.has(stream);
        if waits {
            self.remove(stream);
        }
        self.priorities.replace(stream, priority);
        if waits {
            self.on_ready(stream);
        }
    }
}
