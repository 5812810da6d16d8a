//! User message interleaving (RFC 8260), sender side.

use sheave_wire::StreamId;

use crate::handover::Numbers;
use crate::per_stream::PerStream;
use crate::{Delivery, Message};

/// The next MIDs; each stream has an ordered and an unordered sequence (RFC 8260 §2.1).
#[derive(Clone, Debug, Default)]
pub(super) struct Mids {
    ordered: PerStream<u32>,
    unordered: PerStream<u32>,
}

impl Mids {
    pub(super) fn take(&mut self, message: &Message) -> u32 {
        let mids = match message.delivery {
            Delivery::Ordered => &mut self.ordered,
            Delivery::Unordered => &mut self.unordered,
        };
        let next = mids.get(message.stream);
        mids.replace(message.stream, next.wrapping_add(1))
    }

    // RFC 8260 §2.3.2
    pub(super) fn reset(&mut self, streams: &[StreamId]) {
        self.ordered.reset(streams);
        self.unordered.reset(streams);
    }

    /// The next MIDs of ordered and unordered messages.
    pub(super) fn standing(&self) -> (Numbers, Numbers) {
        let all = |mids: &PerStream<u32>| mids.entries().collect();
        (all(&self.ordered), all(&self.unordered))
    }

    pub(super) fn resume(&mut self, ordered: &Numbers, unordered: &Numbers) {
        for (mids, numbers) in [
            (&mut self.ordered, ordered),
            (&mut self.unordered, unordered),
        ] {
            for (stream, number) in numbers {
                mids.replace(*stream, *number);
            }
        }
    }

    pub(super) fn footprint(&self) -> usize {
        size_of::<Self>() + self.ordered.footprint() + self.unordered.footprint()
    }
}
