use core::time::Duration;

use super::Arrival;
use crate::Time;

/// When to send a SACK (RFC 9260 §6.2): at once, or for so many packets, or after a delay.
#[derive(Debug)]
pub(crate) struct Acknowledger {
    /// Nanoseconds; RFC 9260 §6.2 allows half a second.
    delay: u32,
    frequency: u8,
    /// Packets with nothing but new data in order since the start, a gap or an expired delay;
    /// stops at [`STARTING`].
    calm: u8,
    pending: Pending,
}

/// What is waiting to be acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pending {
    Nothing,
    /// This many packets, until the deadline.
    Packets {
        count: u8,
        deadline: Time,
    },
    AtOnce,
}

/// Packets for which a larger [`frequency`](Acknowledger::new) is lowered to
/// [`STARTING_FREQUENCY`], since a small congestion window cannot fill it.
const STARTING: u8 = 32;
const STARTING_FREQUENCY: u8 = 2;

/// What the DATA chunks of one packet were, as far as its acknowledgement goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PacketSeen {
    haste: Haste,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Haste {
    #[default]
    NoData,
    /// New data in order.
    Delayable,
    /// The sender asked for haste (the I bit).
    Requested,
    /// Something is missing, was sent twice or had no room.
    Irregular,
}

impl PacketSeen {
    /// Adds one DATA chunk of the packet.
    #[inline]
    pub(crate) fn add(&mut self, arrival: Arrival) {
        self.haste = self.haste.max(match arrival {
            Arrival::New => Haste::Delayable,
            Arrival::OutOfOrder
            | Arrival::FilledGap
            | Arrival::Duplicate
            | Arrival::NoRoom
            | Arrival::InvalidStream(_) => Haste::Irregular,
        });
    }

    /// Notes a chunk's I bit (RFC 9260 §3.3.1).
    #[inline]
    pub(crate) fn add_immediate_bit(&mut self) {
        self.haste = self.haste.max(Haste::Requested);
    }

    /// Whether the packet held DATA at all.
    #[inline]
    pub(crate) fn has_data(self) -> bool {
        self.haste != Haste::NoData
    }
}

impl Acknowledger {
    /// One SACK for `frequency` packets (at least 1), none later than `delay` after the first.
    ///
    /// The first packet of the association is acknowledged at once.
    pub(crate) fn new(delay: Duration, frequency: u8) -> Self {
        Self {
            delay: u32::try_from(delay.as_nanos()).unwrap_or(u32::MAX),
            frequency: frequency.max(1),
            calm: 0,
            pending: Pending::Nothing,
        }
    }

    /// Takes note of a packet that held DATA.
    #[inline]
    pub(crate) fn on_packet(&mut self, now: Time, seen: PacketSeen) {
        match seen.haste {
            Haste::NoData => {}
            Haste::Delayable => self.on_data(now),
            Haste::Requested => self.request_now(),
            Haste::Irregular => {
                self.calm = 1;
                self.request_now();
            }
        }
    }

    /// Makes a SACK due now.
    pub(crate) fn request_now(&mut self) {
        self.pending = Pending::AtOnce;
    }

    /// Whether a SACK must be sent now.
    #[inline]
    pub(crate) fn is_due(&self, now: Time) -> bool {
        match self.pending {
            Pending::Nothing => false,
            Pending::Packets { deadline, .. } => deadline <= now,
            Pending::AtOnce => true,
        }
    }

    /// Whether there is something that a SACK in a packet sent anyway would acknowledge.
    #[inline]
    pub(crate) fn is_pending(&self) -> bool {
        self.pending != Pending::Nothing
    }

    /// When the delay ends; `None` where nothing is delayed.
    #[inline]
    pub(crate) fn deadline(&self) -> Option<Time> {
        match self.pending {
            Pending::Packets { deadline, .. } => Some(deadline),
            Pending::Nothing | Pending::AtOnce => None,
        }
    }

    /// Makes a SACK due whose delay has passed.
    pub(crate) fn handle_timeout(&mut self, now: Time) {
        if let Pending::Packets { deadline, .. } = self.pending
            && deadline <= now
        {
            // The sender could not fill a SACK's worth of packets.
            self.calm = 1;
            self.pending = Pending::AtOnce;
        }
    }

    /// Notes that a SACK, or a SHUTDOWN in its place, was sent.
    #[inline]
    pub(crate) fn on_sent(&mut self, now: Time) {
        if let Pending::Packets { deadline, .. } = self.pending
            && deadline <= now
        {
            // The sender could not fill a SACK's worth of packets.
            self.calm = 1;
        }
        self.pending = Pending::Nothing;
    }

    fn on_data(&mut self, now: Time) {
        let first_ever = self.calm == 0;
        self.calm = self.calm.saturating_add(1).min(STARTING);
        let (count, deadline) = match self.pending {
            Pending::AtOnce => return,
            Pending::Nothing => (1, now + Duration::from_nanos(self.delay.into())),
            Pending::Packets { count, deadline } => (count + 1, deadline),
        };
        let enough = if self.calm < STARTING {
            self.frequency.min(STARTING_FREQUENCY)
        } else {
            self.frequency
        };
        self.pending = if first_ever || count >= enough {
            Pending::AtOnce
        } else {
            Pending::Packets { count, deadline }
        };
    }
}

#[cfg(test)]
mod tests;
