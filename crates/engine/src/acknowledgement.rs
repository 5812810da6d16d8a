//! Policies for when received data is acknowledged (RFC 9260 §6.2).

use alloc::boxed::Box;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::time::Duration;

use crate::Time;

/// Policy for acknowledging received data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AcknowledgementPolicy {
    /// A SACK for [`sack_frequency`](crate::Options::sack_frequency) packets, or after
    /// [`sack_delay`](crate::Options::sack_delay); at once for data out of order (RFC 9260 §6.2).
    #[default]
    Standard,
    /// A user-defined policy.
    Custom(CustomAcknowledgement),
}

/// A user-defined acknowledgement policy: its name, used for comparison, and its constructor.
#[derive(Clone, Copy)]
pub struct CustomAcknowledgement {
    /// Policies with the same name count as equal.
    pub name: &'static str,
    /// Called once per association, and again when the association restarts.
    pub make: fn() -> Box<dyn Acknowledge>,
}

impl fmt::Debug for CustomAcknowledgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CustomAcknowledgement")
            .field(&self.name)
            .finish()
    }
}

impl PartialEq for CustomAcknowledgement {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for CustomAcknowledgement {}

impl Hash for CustomAcknowledgement {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

/// Decides when received data is acknowledged.
///
/// The engine calls it for each packet with DATA, and enforces the MUST rules of RFC 9260: no SACK
/// waits for more than 500 ms, and a policy cannot delay a SACK that is due. SACKs needed for other
/// reasons, such as a window that opens, leave without a call.
pub trait Acknowledge: CloneAcknowledge + fmt::Debug + Send {
    /// A packet with DATA arrived. Returns when a SACK must leave; of several results since the
    /// last SACK, the earliest counts.
    fn on_packet(&mut self, arrival: &DataArrival) -> AckTiming;

    /// A SACK left that covers everything received so far.
    fn on_sack(&mut self, _now: Time) {}
}

/// A packet with DATA, as input to an acknowledgement policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataArrival {
    /// When the packet arrived.
    pub now: Time,
    /// Packets with DATA since the last SACK, including this one; at most 255.
    pub unacknowledged: u8,
    /// Order of the packet's DATA relative to the data received before.
    pub order: ArrivalOrder,
}

/// Order of a packet's DATA relative to the data received before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArrivalOrder {
    /// New data in order.
    InOrder,
    /// New data in order, with the request for an immediate SACK (the I bit, RFC 9260 §3.3.1).
    Requested,
    /// New data beyond or within a gap. RFC 9260 §6.7 wants it acknowledged at once.
    Reordered,
    /// Data that is duplicate, had no room, named an invalid stream, or came beyond a gap with the
    /// I bit. RFC 9260 §6.2 wants it acknowledged at once.
    Irregular,
}

/// When a SACK must leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AckTiming {
    /// At once, with the next packet.
    Now,
    /// Within this time, at most 500 ms; earlier with any packet that leaves.
    Within(Duration),
}

/// Clones a boxed [`Acknowledge`]; implemented for every `Clone` type.
pub trait CloneAcknowledge {
    /// A boxed clone.
    fn clone_boxed(&self) -> Box<dyn Acknowledge>;
}

impl<T: Acknowledge + Clone + 'static> CloneAcknowledge for T {
    fn clone_boxed(&self) -> Box<dyn Acknowledge> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Acknowledge> {
    fn clone(&self) -> Self {
        (**self).clone_boxed()
    }
}
