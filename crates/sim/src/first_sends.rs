use std::collections::BTreeMap;

use sheave_engine::Time;
use sheave_engine::wire::{Chunk, DataFlags, StreamId};

use crate::packet_log::chunks;
use crate::workload::Stamp;

/// First transmission times of the messages of a [`Messages`](crate::Messages) workload, recognized
/// by the number in a message's first chunk.
#[derive(Debug, Default)]
pub(crate) struct FirstSends(BTreeMap<(StreamId, u64), Time>);

impl FirstSends {
    /// Records a departing packet.
    pub(crate) fn note(&mut self, now: Time, packet: &[u8]) {
        for chunk in chunks(packet) {
            let (flags, stream, payload) = match &chunk {
                Chunk::Data(data) => (data.flags, data.stream, data.payload),
                Chunk::CheckedData(checked) => {
                    let data = &checked.data;
                    (data.flags, data.stream, data.payload)
                }
                Chunk::IData(data) => (data.flags, data.stream, data.payload),
                _ => continue,
            };
            if flags.contains(DataFlags::BEGINNING)
                && let Some(stamp) = Stamp::read(payload)
            {
                self.0.entry((stream, stamp.number)).or_insert(now);
            }
        }
    }

    /// First transmission time of a message.
    pub(crate) fn of(&self, stream: u16, number: u64) -> Option<Time> {
        self.0.get(&(StreamId(stream), number)).copied()
    }
}

#[cfg(test)]
mod tests;
