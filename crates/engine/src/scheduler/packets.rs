use sheave_wire::StreamId;

use super::links::{Links, Row};
use super::{HasMore, Schedule};

/// Streams take turns per packet (RFC 8260 §3.3). Retransmissions are bundled regardless.
#[derive(Clone, Debug, Default)]
pub(super) struct Packets {
    row: Row,
    links: Links,
    /// The stream of the current packet, unless the packet is empty.
    packet: Option<StreamId>,
}

impl Schedule for Packets {
    fn on_ready(&mut self, stream: StreamId) {
        self.links.push(&mut self.row, stream);
    }

    fn next(&self) -> Option<StreamId> {
        match self.packet {
            Some(stream) => self.links.has(stream).then_some(stream),
            None => self.row.first(),
        }
    }

    fn on_sent(&mut self, stream: StreamId, _bytes: usize, more: HasMore) {
        self.packet = Some(stream);
        if more == HasMore::No {
            self.links.remove(&mut self.row, stream);
        }
    }

    fn on_withdrawn(&mut self, stream: StreamId) {
        self.links.remove(&mut self.row, stream);
    }

    fn trim(&mut self) {
        self.links.trim();
    }

    fn on_packet_end(&mut self) {
        if let Some(stream) = self.packet.take()
            && self.links.has(stream)
        {
            self.links.rotate(&mut self.row, stream);
        }
    }
}
