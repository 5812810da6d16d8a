mod custom;

use alloc::boxed::Box;
use core::time::Duration;

use sheave_wire::Sack;

use self::custom::Custom;
use super::Arrival;
use crate::acknowledgement::{AcknowledgementPolicy, ArrivalOrder};
use crate::{Multipath, Options, SackStart, Time};

/// Decides when to send a SACK: by the RFC's rules, or by a user-defined policy.
#[derive(Clone, Debug)]
pub(crate) enum Acknowledger {
    Standard(Standard),
    Custom(Box<Custom>),
}

/// Decides when to send a SACK (RFC 9260 §6.2): at once, per number of packets, or after a delay.
#[derive(Clone, Debug)]
pub(crate) struct Standard {
    /// Delay in nanoseconds; RFC 9260 §6.2 allows at most 500 ms.
    delay: u32,
    frequency: u8,
    calm: Calm,
    reordering: Reordering,
    pending: Pending,
}

/// Packets with only new, in-order data since the start, a gap or an expired delay, up to
/// [`STARTING`]. The highest bit says whether the first of these are acknowledged one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Calm(u8);

/// Packets acknowledged one by one with a quick start: an initial window (RFC 6928) and a few more.
/// Own value; Linux TCP does the same.
const QUICK: u8 = 16;

impl Calm {
    const QUICK_BIT: u8 = 0x80;

    const fn new(start: SackStart) -> Self {
        match start {
            SackStart::Delayed => Self(0),
            SackStart::Quick => Self(Self::QUICK_BIT),
        }
    }

    const fn packets(self) -> u8 {
        self.0 & !Self::QUICK_BIT
    }

    /// Counts a packet.
    fn add(&mut self) {
        if self.packets() < STARTING {
            self.0 += 1;
        }
    }

    /// Restarts the count with this packet.
    const fn restart(&mut self) {
        self.0 = (self.0 & Self::QUICK_BIT) | 1;
    }

    /// Whether the last counted packet is acknowledged at once.
    const fn is_answered(self) -> bool {
        (self.0 & Self::QUICK_BIT) > 0 && self.packets() <= QUICK
    }
}

/// Interpretation of out-of-order data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reordering {
    /// A loss, which is reported at once (RFC 9260 §6.2).
    Loss,
    /// A loss, until the peer is seen sending to several of our addresses in turn.
    LossSoFar,
    /// Reordering between paths: the peer sent to another address within the last packets;
    /// `packets` more are treated this way, and SACKs may be delayed (DAC: Iyengar, Amer and
    /// Stewart 2006).
    Expected { packets: u8 },
}

/// Packets on one path after which the peer counts as using that path alone. Own value, longer than
/// a window.
const IN_TURN: u8 = 128;

/// The acknowledgement that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pending {
    Nothing,
    /// This many packets are unacknowledged; the SACK is sent by the deadline.
    Packets {
        count: u8,
        deadline: Time,
    },
    AtOnce {
        count: u8,
        /// Packets among `count` that arrived while a TSN was missing.
        beyond: u8,
    },
}

impl Pending {
    /// Number of unacknowledged packets.
    const fn count(self) -> u8 {
        match self {
            Self::Nothing => 0,
            Self::Packets { count, .. } | Self::AtOnce { count, .. } => count,
        }
    }

    const fn beyond(self) -> u8 {
        match self {
            Self::Nothing | Self::Packets { .. } => 0,
            Self::AtOnce { beyond, .. } => beyond,
        }
    }
}

/// Packets for which [`frequency`](Standard::new) is limited to [`STARTING_FREQUENCY`], since a
/// small congestion window cannot fill a larger one.
const STARTING: u8 = 32;
const STARTING_FREQUENCY: u8 = 2;

/// Summary of a packet's DATA chunks, for its acknowledgement.
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
    /// The sender set the I bit.
    Requested,
    /// New data; an earlier TSN is missing.
    Reordered,
    /// A duplicate, a chunk that found no room, or out-of-order data with the I bit.
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

    /// Records a chunk's I bit (RFC 9260 §3.3.1).
    #[inline]
    pub(crate) fn add_immediate_bit(&mut self) {
        self.raise(Haste::Requested);
    }

    /// Whether the packet held any DATA.
    #[inline]
    pub(crate) fn has_data(self) -> bool {
        self.haste != Haste::NoData
    }

    /// The summary as passed to a policy; `None` without DATA.
    fn order(self) -> Option<ArrivalOrder> {
        match self.haste {
            Haste::NoData => None,
            Haste::Delayable => Some(ArrivalOrder::InOrder),
            Haste::Requested => Some(ArrivalOrder::Requested),
            Haste::Reordered => Some(ArrivalOrder::Reordered),
            Haste::Irregular => Some(ArrivalOrder::Irregular),
        }
    }
}

impl Acknowledger {
    /// Creates the acknowledger that the options select.
    pub(crate) fn of(options: &Options) -> Self {
        let standard = Standard::of(options);
        match options.acknowledgement_policy {
            AcknowledgementPolicy::Standard => Self::Standard(standard),
            AcknowledgementPolicy::Custom(custom) => {
                Self::Custom(Box::new(Custom::new(standard, custom)))
            }
        }
    }

    /// Adopts changed options; a SACK already scheduled keeps its time.
    pub(crate) fn retune(&mut self, delay: Duration, frequency: u8) {
        let state = self.state_mut();
        state.delay = u32::try_from(delay.as_nanos()).unwrap_or(u32::MAX);
        state.frequency = frequency.max(1);
    }

    #[inline]
    fn state(&self) -> &Standard {
        match self {
            Self::Standard(standard) => standard,
            Self::Custom(custom) => custom.state(),
        }
    }

    #[inline]
    fn state_mut(&mut self) -> &mut Standard {
        match self {
            Self::Standard(standard) => standard,
            Self::Custom(custom) => custom.state_mut(),
        }
    }

    /// A packet with DATA arrived on another path than the previous one.
    #[inline]
    pub(crate) fn on_other_path(&mut self) {
        self.state_mut().on_other_path();
    }

    /// The number of packets that the SACK leaving now reports; 0 if it reports none.
    #[inline]
    pub(crate) fn packets_told(&self) -> u8 {
        self.state().packets_told()
    }

    /// Packets since the last SACK that arrived while a TSN was missing; 0 if reordering is
    /// expected.
    #[inline]
    pub(crate) fn packets_beyond(&self) -> u8 {
        self.state().packets_beyond()
    }

    /// Records a packet that held DATA.
    #[inline]
    pub(crate) fn on_packet(&mut self, now: Time, seen: PacketSeen) {
        match self {
            Self::Standard(standard) => standard.on_packet(now, seen),
            Self::Custom(custom) => custom.on_packet(now, seen),
        }
    }

    /// Schedules a SACK for now.
    pub(crate) fn request_now(&mut self) {
        self.state_mut().request_now();
    }

    /// Whether a SACK must be sent now.
    #[inline]
    pub(crate) fn is_due(&self, now: Time) -> bool {
        self.state().is_due(now)
    }

    /// Whether a SACK bundled with an outgoing packet would acknowledge anything.
    #[inline]
    pub(crate) fn is_pending(&self) -> bool {
        self.state().is_pending()
    }

    /// When the delayed SACK is due; `None` if no SACK is delayed.
    #[inline]
    pub(crate) fn deadline(&self) -> Option<Time> {
        self.state().deadline()
    }

    /// Handles an expired delay: the SACK becomes due.
    pub(crate) fn handle_timeout(&mut self, now: Time) {
        self.state_mut().handle_timeout(now);
    }

    /// Records that a SACK for the oldest unacknowledged packet was sent; more SACKs follow.
    pub(crate) fn on_part_sent(&mut self) {
        self.state_mut().on_part_sent();
    }

    /// Records that a SACK, or a SHUTDOWN in its place, was sent.
    #[inline]
    pub(crate) fn on_sent(&mut self, now: Time) {
        self.state_mut().on_sent(now);
        if let Self::Custom(custom) = self {
            custom.on_sack(now);
        }
    }
}

impl Standard {
    /// Creates an acknowledger that sends one SACK per `frequency` packets (at least 1), no later
    /// than `delay` after the first of them.
    ///
    /// The first packet of the association is acknowledged at once.
    fn new(delay: Duration, frequency: u8) -> Self {
        Self {
            delay: u32::try_from(delay.as_nanos()).unwrap_or(u32::MAX),
            frequency: frequency.max(1),
            calm: Calm::new(SackStart::Delayed),
            reordering: Reordering::Loss,
            pending: Pending::Nothing,
        }
    }

    /// Creates the acknowledger from options. With concurrent multipath transfer, reordering is
    /// expected once the peer sends to several addresses.
    fn of(options: &Options) -> Self {
        let reordering = match options.multipath {
            Multipath::Off => Reordering::Loss,
            Multipath::Concurrent(_) => Reordering::LossSoFar,
        };
        Self {
            reordering,
            calm: Calm::new(options.sack_start),
            ..Self::new(options.sack_delay, options.sack_frequency)
        }
    }

    /// A packet with DATA arrived on another path than the previous one.
    #[inline]
    fn on_other_path(&mut self) {
        if self.reordering != Reordering::Loss {
            self.reordering = Reordering::Expected { packets: IN_TURN };
        }
    }

    /// The number of packets that the SACK leaving now reports; 0 if it reports none.
    #[inline]
    fn packets_told(&self) -> u8 {
        match (self.reordering, self.pending) {
            (Reordering::Loss, _) | (_, Pending::Nothing) => 0,
            (_, Pending::Packets { count, .. } | Pending::AtOnce { count, .. }) => {
                count.min(Sack::MOST_PACKETS)
            }
        }
    }

    #[inline]
    fn packets_beyond(&self) -> u8 {
        match (self.reordering, self.pending) {
            (Reordering::Loss, Pending::AtOnce { beyond, .. }) => beyond,
            _ => 1,
        }
    }

    fn on_part_sent(&mut self) {
        self.pending = Pending::AtOnce {
            count: self.pending.count().saturating_sub(1),
            beyond: self.pending.beyond().saturating_sub(1),
        };
    }

    /// Records a packet that held DATA.
    #[inline]
    fn on_packet(&mut self, now: Time, seen: PacketSeen) {
        match seen.haste {
            Haste::NoData => {}
            Haste::Delayable => self.on_data(now),
            Haste::Reordered if self.is_reordering_expected() => self.on_data(now),
            Haste::Requested => self.answer_now(0),
            Haste::Reordered | Haste::Irregular => {
                self.calm.restart();
                self.answer_now(1);
            }
        }
        self.on_packet_seen();
    }

    /// Counts down the packets for which reordering is expected.
    fn on_packet_seen(&mut self) {
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

    /// Schedules a SACK for now.
    fn request_now(&mut self) {
        self.pending = Pending::AtOnce {
            count: self.pending.count(),
            beyond: self.pending.beyond(),
        };
    }

    /// Schedules a SACK now for one more packet. `beyond`: 1 if a TSN was missing on its arrival,
    /// else 0.
    fn answer_now(&mut self, beyond: u8) {
        self.pending = Pending::AtOnce {
            count: self.pending.count().saturating_add(1),
            beyond: self.pending.beyond().saturating_add(beyond),
        };
    }

    /// Whether a SACK must be sent now.
    #[inline]
    fn is_due(&self, now: Time) -> bool {
        match self.pending {
            Pending::Nothing => false,
            Pending::Packets { deadline, .. } => deadline <= now,
            Pending::AtOnce { .. } => true,
        }
    }

    /// Whether a SACK bundled with an outgoing packet would acknowledge anything.
    #[inline]
    fn is_pending(&self) -> bool {
        self.pending != Pending::Nothing
    }

    /// When the delayed SACK is due; `None` if no SACK is delayed.
    #[inline]
    fn deadline(&self) -> Option<Time> {
        match self.pending {
            Pending::Packets { deadline, .. } => Some(deadline),
            Pending::Nothing | Pending::AtOnce { .. } => None,
        }
    }

    /// Handles an expired delay: the SACK becomes due.
    fn handle_timeout(&mut self, now: Time) {
        if let Pending::Packets { deadline, .. } = self.pending
            && deadline <= now
        {
            // The sender could not fill a SACK's worth of packets.
            self.calm.restart();
            self.request_now();
        }
    }

    /// Records that a SACK, or a SHUTDOWN in its place, was sent.
    #[inline]
    fn on_sent(&mut self, now: Time) {
        if let Pending::Packets { deadline, .. } = self.pending
            && deadline <= now
        {
            // The sender could not fill a SACK's worth of packets.
            self.calm.restart();
        }
        self.pending = Pending::Nothing;
    }

    fn on_data(&mut self, now: Time) {
        let first_ever = self.calm.packets() == 0;
        self.calm.add();
        let at_once = first_ever || self.calm.is_answered();
        let (count, deadline) = match self.pending {
            Pending::AtOnce { .. } => return self.answer_now(0),
            Pending::Nothing => (1, now + Duration::from_nanos(self.delay.into())),
            Pending::Packets { count, deadline } => (count + 1, deadline),
        };
        let enough = if self.calm.packets() < STARTING {
            self.frequency.min(STARTING_FREQUENCY)
        } else {
            self.frequency
        };
        self.pending = if at_once || count >= enough {
            Pending::AtOnce { count, beyond: 0 }
        } else {
            Pending::Packets { count, deadline }
        };
    }
}

#[cfg(test)]
mod tests;
