use core::ops::RangeInclusive;

use sheave_wire::{DataFlags, IData, MessageOrder, Mid, StreamId};

use crate::Delivery;

/// Which message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::inbound) struct Key {
    pub(in crate::inbound) stream: StreamId,
    pub(super) order: MessageOrder,
    pub(super) mid: u32,
}

impl Key {
    pub(super) fn of(chunk: &IData<'_>) -> Self {
        let order = if chunk.flags.contains(DataFlags::UNORDERED) {
            MessageOrder::Unordered
        } else {
            MessageOrder::Ordered
        };
        Self {
            stream: chunk.stream,
            order,
            mid: chunk.mid.0,
        }
    }

    pub(super) const fn ordered(stream: StreamId, mid: Mid) -> Self {
        Self {
            stream,
            order: MessageOrder::Ordered,
            mid: mid.0,
        }
    }

    /// All messages of one of a stream's two sequences.
    pub(super) const fn all(stream: StreamId, order: MessageOrder) -> RangeInclusive<Self> {
        let least = Self {
            stream,
            order,
            mid: 0,
        };
        let last = Self {
            mid: u32::MAX,
            ..least
        };
        least..=last
    }

    pub(in crate::inbound) const fn delivery(self) -> Delivery {
        match self.order {
            MessageOrder::Ordered => Delivery::Ordered,
            MessageOrder::Unordered => Delivery::Unordered,
        }
    }
}
