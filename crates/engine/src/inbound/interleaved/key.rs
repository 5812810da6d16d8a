use core::ops::RangeInclusive;

use sheave_wire::{DataFlags, IData, MessageOrder, Mid, StreamId};

use super::state::Ranges;
use crate::Delivery;

/// Key of a message: stream, order and MID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::inbound) struct Key {
    pub(in crate::inbound) stream: StreamId,
    pub(super) order: MessageOrder,
    pub(in crate::inbound) mid: u32,
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

    /// Range of all keys in one of a stream's two sequences.
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

    /// Returns the range of all messages of a stream.
    pub(super) const fn of_stream(stream: StreamId) -> RangeInclusive<Self> {
        let least = Self {
            stream,
            order: MessageOrder::Ordered,
            mid: 0,
        };
        let last = Self {
            stream,
            order: MessageOrder::Unordered,
            mid: u32::MAX,
        };
        least..=last
    }

    pub(super) const fn with_mid(self, mid: u32) -> Self {
        Self { mid, ..self }
    }

    /// Ranges of keys from this one to another of the same sequence, in MID order, with wrapping.
    pub(super) fn through(self, last: Self) -> Ranges {
        let ranges = if self.mid <= last.mid {
            [Some(self..=last), None]
        } else {
            let wraps = [self..=self.with_mid(u32::MAX), last.with_mid(0)..=last];
            wraps.map(Some)
        };
        ranges.into_iter().flatten()
    }

    pub(in crate::inbound) const fn delivery(self) -> Delivery {
        match self.order {
            MessageOrder::Ordered => Delivery::Ordered,
            MessageOrder::Unordered => Delivery::Unordered,
        }
    }
}
