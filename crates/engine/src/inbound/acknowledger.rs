use core::time::Duration;

use sheave_wire::Sack;

use super::Arrival;
use crate::{Multipath, Options, Time};

/// When to send a SACK (RFC 9260 §6.2): at once, or for so many packets, or after a delay.
#[derive(Debug)]
pub(crate) struct Acknowledger {
    /// Nanoseconds; RFC 9260 §6.2 allows half a second.
    delay: u32,
    frequency: u8,
    /// Packets with nothing but new data in order since the start, a gap or an expired delay;
    /// stops at [`STARTING`].
    calm: u8,
    reordering: Reordering,
    pending: Pending,
}

/// What out-of-order data means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reordering {
    /// A loss, as far as anyone knows: it is reported at once (RFC 9260 §6.2).
    Loss,
    /// The same, unless the peer writes to several of our addresses in turn.
    LossSoFar,
    /// The peer does, as seen in one of this many packets to come: paths differ, and SACKs wait as
    /// ever (DAC, Iyengar, Amer and Stewart 2006).
    Expected { packets: u8 },
}

/// Packets on one path after which the peer is taken to use it alone. Ours: a window is shorter.
const IN_TURN: u8 = 128;

/// What is waiting to be acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pending {
    Nothing,
    /// This many packets, until the deadline.
    Packets {
        count: u8,
        deadline: Time,
    },
    AtOnce {
        count: u8,
    },
}

impl Pending {
    /// Packets that wait.
    const fn count(self) -> u8 {
        match self {
            Self::Nothing => 0,
            Self::Packets { count, .. } | Self::AtOnce { count } => count,
        }
    }
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
    /// New data, but something is missing.
    Reordered,
    /// Something was sent twice or had no room, or is missing in spite of haste.
    Irregular,
}

impl PacketSeen {
    /// Adds one DATA chunk of the packet.
    #[inline]
    pub(crate) fn add(&mut self, arrival: Arrival) {
        self.raise(match arrival {
            Arrival::New => Haste::Delayable,
            Arrival::OutOfOrder | Arrival::FilledGap => Haste::Reordered,
            Arrival::Duplicate | Arrival::NoRoom | Arrival::InvalidStream(_) => Haste::Irregular,
        });
    }

    #[inline]
    fn raise(&mut self, haste: Haste) {
        self.haste = match (self.haste, haste) {
            (Haste::Requested, Haste::Reordered) | (Haste::Reordered, Haste::Requested) => {
                Haste::Irregular
            }
            (before, haste) => before.max(haste),
        };
    }

    /// Notes a chunk's I bit (RFC 9260 §3.3.1).
    #[inline]
    pub(crate) fn add_immediate_bit(&mut self) {
        self.raise(Haste::Requested);
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
            reordering: Reordering::Loss,
            pending: Pending::Nothing,
        }
    }

    /// As the options have it; with concurrent transfer, reordering is nothing special once the peer
    /// writes to several addresses.
    pub(crate) fn of(options: &Options) -> Self {
        let reordering = match options.multipath {
            Multipath::Off => Reordering::Loss,
            Multipath::Concurrent(_) => Reordering::LossSoFar,
        };
        Self {
            reordering,
            ..Self::new(options.sack_delay, options.sack_frequency)
        }
    }

    /// A packet with DATA came on another path than the one before.
    #[inline]
    pub(crate) fn on_other_path(&mut self) {
        if self.reordering != Reordering::Loss {
            self.reordering = Reordering::Expected { packets: IN_TURN };
        }
    }

    /// What the SACK that leaves now says of the number of packets that it answers; 0 for nothing.
    #[inline]
    pub(crate) fn packets_told(&self) -> u8 {
        match (self.reordering, self.pending) {
            (Reordering::Loss, _) | (_, Pending::Nothing) => 0,
            (_, Pending::Packets { count, .. } | Pending::AtOnce { count }) => {
                count.min(Sack::MOST_PACKETS)
            }
        }
    }

    /// Takes note of a packet that held DATA.
    #[inline]
    pub(crate) fn on_packet(&mut self, now: Time, seen: PacketSeen) {
        match seen.haste {
            Haste::NoData => {}
            Haste::Delayable => self.on_data(now),
            Haste::Reordered if self.is_reordering_expected() => self.on_data(now),
            Haste::Requested => self.answer_now(),
            Haste::Reordered | Haste::Irregular => {
                self.calm = 1;
                self.answer_now();
            }
        }
        if let Reordering::Expected { packets } = self.reordering {
            self.reordering = match packets.checked_sub(1) {
                Some(packets) => Reordering::Expected { packets },
                None => Reordering::LossSoFar,
            };
        }
    }

    fn is_reordering_expected(&self) -> bool {
        matches!(self.reordering, Reordering::Expected { .. })
    }

    /// Makes a SACK due now.
    pub(crate) fn request_now(&mut self) {
        self.pending = Pending::AtOnce {
            count: self.pending.count(),
        };
    }

    /// Makes a SACK due now for one packet more.
    fn answer_now(&mut self) {
        self.pending = Pending::AtOnce {
            count: self.pending.count().saturating_add(1),
        };
    }

    /// Whether a SACK must be sent now.
    #[inline]
    pub(crate) fn is_due(&self, now: Time) -> bool {
        match self.pending {
            Pending::Nothing => false,
            Pending::Packets { deadline, .. } => deadline <= now,
            Pending::AtOnce { .. } => true,
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
            Pending::Nothing | Pending::AtOnce { .. } => None,
        }
    }

    /// Makes a SACK due whose delay has passed.
    pub(crate) fn handle_timeout(&mut self, now: Time) {
        if let Pending::Packets { deadline, .. } = self.pending
            && deadline <= now
        {
            // The sender could not fill a SACK's worth of packets.
            self.calm = 1;
            self.request_now();
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
            Pending::AtOnce { .. } => return self.answer_now(),
            Pending::Nothing => (1, now + Duration::from_nanos(self.delay.into())),
            Pending::Packets { count, deadline } => (count + 1, deadline),
        };
        let enough = if self.calm < STARTING {
            self.frequency.min(STARTING_FREQUENCY)
        } else {
            self.frequency
        };
        self.pending = if first_ever || count >= enough {
            Pending::AtOnce { count }
        } else {
            Pending::Packets { count, deadline }
        };
    }
}

#[cfg(test)]
mod tests;
