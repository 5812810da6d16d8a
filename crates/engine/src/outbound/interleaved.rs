//! User message interleaving (RFC 8260), sending.

use alloc::boxed::Box;

use sheave_wire::StreamId;

use super::Outbound;
use crate::handover::Numbers;
use crate::per_stream::PerStream;
use crate::{Delivery, Message};

/// The next MIDs: each stream has two sequences (RFC 8260 §2.1).
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

    /// The next MIDs of ordered and of unordered messages.
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

impl Outbound {
    /// Both sides want I-DATA; nothing was sent yet, or nothing is outstanding.
    pub(crate) fn interleave(&mut self) {
        self.extensions
            .put(|extensions| &mut extensions.mids, Some(Box::default()));
        self.queue.interleave();
        self.ring.interleave();
    }

    /// Nothing more goes into the packet.
    #[inline]
    pub(crate) fn on_packet_end(&mut self) {
        // A message that must go on to its end keeps the packet after the one that it began in, too.
        if self.extensions.mids.is_some() || self.ring.partial().is_none() {
            self.queue.on_packet_end();
        }
    }
}
