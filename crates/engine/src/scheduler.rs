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

/// The choice of the stream that sends next (RFC 8260 §3).
///
/// It chooses a stream for each message, which is then sent to its end; with
/// [`Interleaving::On`](crate::Interleaving), for each chunk. What a choice costs does not grow
/// with the number of streams, but for a logarithm of those that wait in the last two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StreamScheduler {
    /// Messages leave in the order in which they were handed in, whatever their stream, each to
    /// its end (§3.1).
    #[default]
    FirstCome,
    /// The streams that have something take turns (§3.2).
    RoundRobin,
    /// Streams take turns like `RoundRobin`, but a packet of new data holds chunks of one stream
    /// only (§3.3).
    RoundRobinPerPacket,
    /// The streams with the lowest priority number go first, and take turns among themselves
    /// (§3.4). [`Assoc::set_stream_priority`](crate::Assoc::set_stream_priority) sets it.
    Priority,
    /// The streams that have something send equally many bytes (§3.5).
    FairBandwidth,
    /// The streams that have something send bytes in proportion to their weights (§3.6).
    /// [`Assoc::set_stream_weight`](crate::Assoc::set_stream_weight) sets them.
    WeightedFairQueueing,
    /// A scheduler of the user's own.
    Custom(CustomScheduler),
}

impl StreamScheduler {
    /// A new one for an association; `None` for first come, first served, which needs none.
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

/// A scheduler that the user brings: its name, by which it is compared, and how one is made for an
/// association.
#[derive(Clone, Copy)]
pub struct CustomScheduler {
    /// Two with the same name are taken for the same.
    pub name: &'static str,
    /// Called once for each association, and again when one is restarted.
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

/// Decides which of the streams that have something to send is next.
///
/// It knows of streams only, not of messages: it is told which have something, is asked for one of
/// them, and is told what was sent of it.
pub trait Schedule: CloneSchedule + fmt::Debug + Send {
    /// `stream`, which had nothing to send, has something now.
    fn on_ready(&mut self, stream: StreamId);

    /// The stream whose turn it is, of those that have something. Must not change by itself. None
    /// means that nothing more goes into this packet; if it is still none when the next packet is
    /// asked for, nothing is sent until one of the other functions is called.
    fn next(&self) -> Option<StreamId>;

    /// Notes that a message of `bytes` was begun on `stream`, which [`next`](Self::next) named, or,
    /// where messages are interleaved, a chunk of `bytes` of user data left.
    fn on_sent(&mut self, stream: StreamId, bytes: usize, more: HasMore);

    /// Notes that the queued messages of `stream` were taken back.
    fn on_withdrawn(&mut self, stream: StreamId);

    /// The packet with what was sent since the last call is full, or there is nothing more for it.
    fn on_packet_end(&mut self) {}

    /// The user gave `stream` a priority.
    fn set_priority(&mut self, _stream: StreamId, _priority: u16) {}

    /// The user gave `stream` a weight.
    fn set_weight(&mut self, _stream: StreamId, _weight: NonZeroU16) {}

    /// No stream has had anything to send for a while: gives back memory that only busy ones need.
    fn trim(&mut self) {}
}

/// Clones a [`Schedule`] behind its box; implemented for all that are `Clone`.
pub trait CloneSchedule {
    /// A clone, boxed.
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

/// Whether a stream has more to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HasMore {
    /// The stream has nothing more to send; [`Schedule::on_ready`] tells when it has again.
    No,
    /// The stream has more to send.
    Yes,
}

#[cfg(test)]
mod tests;
