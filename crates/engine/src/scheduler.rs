//! Stream schedulers (RFC 8260 §3), one file each, behind one trait.

mod fair;
mod links;
mod packets;
mod priority;
mod turns;
mod weighted;

use alloc::boxed::Box;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::num::NonZeroU16;

use sheave_wire::StreamId;

use self::fair::Fair;
use self::packets::Packets;
use self::priority::Priority;
use self::turns::Turns;
use self::weighted::Weighted;

/// Selects the stream that sends next (RFC 8260 §3).
///
/// The scheduler selects a stream for each message, which is then sent to its end; with
/// [`Interleaving::On`](crate::Interleaving), for each chunk. The cost of a selection does not
/// depend on the number of streams, except for the last two schedulers, which take logarithmic time
/// in the number of waiting streams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StreamScheduler {
    /// Messages leave in the order in which they were queued, whatever their stream, each to its
    /// end (§3.1).
    #[default]
    FirstCome,
    /// Streams with queued data take turns (§3.2).
    RoundRobin,
    /// Streams take turns as with `RoundRobin`, but a packet of new data holds chunks of a single
    /// stream (§3.3).
    RoundRobinPerPacket,
    /// The streams with the lowest priority number go first, and take turns among themselves
    /// (§3.4). [`Assoc::set_stream_priority`](crate::Assoc::set_stream_priority) sets it.
    Priority,
    /// Streams with queued data send equal numbers of bytes (§3.5).
    FairBandwidth,
    /// Streams with queued data send bytes in proportion to their weights (§3.6).
    /// [`Assoc::set_stream_weight`](crate::Assoc::set_stream_weight) sets a weight.
    WeightedFairQueueing,
    /// A user-defined scheduler.
    Custom(CustomScheduler),
}

impl StreamScheduler {
    /// Creates the scheduler of an association; `None` for first come, first served, which needs no
    /// state.
    pub(crate) fn schedule(self) -> Option<Box<dyn Schedule>> {
        match self {
            Self::FirstCome => None,
            Self::RoundRobin => Some(Box::<Turns>::default()),
            Self::RoundRobinPerPacket => Some(Box::<Packets>::default()),
            Self::Priority => Some(Box::<Priority>::default()),
            Self::FairBandwidth => Some(Box::<Fair>::default()),
            Self::WeightedFairQueueing => Some(Box::<Weighted>::default()),
            Self::Custom(custom) => Some((custom.make)()),
        }
    }
}

/// A user-defined scheduler: a name, by which two schedulers are compared, and a constructor called
/// per association.
#[derive(Clone, Copy)]
pub struct CustomScheduler {
    /// Two schedulers with the same name count as equal.
    pub name: &'static str,
    /// Called once per association, and again when the association restarts.
    pub make: fn() -> Box<dyn Schedule>,
}

impl fmt::Debug for CustomScheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CustomScheduler").field(&self.name).finish()
    }
}

impl PartialEq for CustomScheduler {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for CustomScheduler {}

impl Hash for CustomScheduler {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

/// Decides which stream with queued data sends next.
///
/// The scheduler sees streams, not messages: the engine reports the streams with queued data, asks
/// for one of them, and reports what was sent on it.
pub trait Schedule: CloneSchedule + fmt::Debug + Send {
    /// `stream` got its first queued data.
    fn on_ready(&mut self, stream: StreamId);

    /// The stream whose turn it is, among those with queued data. The answer may change only after
    /// another call. `None` closes the current packet; `None` again at the start of the next packet
    /// stops sending until another method is called.
    fn next(&self) -> Option<StreamId>;

    /// A message of `bytes` was begun on `stream`, which [`next`](Self::next) selected, or, with
    /// interleaving, a chunk with `bytes` of user data left.
    fn on_sent(&mut self, stream: StreamId, bytes: usize, more: HasMore);

    /// The queued messages of `stream` were withdrawn.
    fn on_withdrawn(&mut self, stream: StreamId);

    /// The current packet is full, or nothing more is available for it.
    fn on_packet_end(&mut self) {}

    /// The user gave `stream` a priority.
    fn set_priority(&mut self, _stream: StreamId, _priority: u16) {}

    /// The user gave `stream` a weight.
    fn set_weight(&mut self, _stream: StreamId, _weight: NonZeroU16) {}

    /// No stream has had queued data for a while: frees memory that only busy streams need.
    fn trim(&mut self) {}
}

/// Clones a boxed [`Schedule`]; implemented for every `Clone` type.
pub trait CloneSchedule {
    /// A boxed clone.
    fn clone_boxed(&self) -> Box<dyn Schedule>;
}

impl<T: Schedule + Clone + 'static> CloneSchedule for T {
    fn clone_boxed(&self) -> Box<dyn Schedule> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Schedule> {
    fn clone(&self) -> Self {
        (**self).clone_boxed()
    }
}

/// Whether a stream has more data queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HasMore {
    /// Nothing more is queued on the stream; [`Schedule::on_ready`] announces new data.
    No,
    /// More data is queued on the stream.
    Yes,
}

#[cfg(test)]
mod tests;
