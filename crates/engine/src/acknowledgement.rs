//! Acknowledgement policies: when received data is acknowledged (RFC 9260 §6.2).

use alloc::boxed::Box;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::time::Duration;

use crate::Time;

/// When received data is acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AcknowledgementPolicy {
    /// A SACK for [`sack_frequency`](crate::Options::sack_frequency) packets, or after
    /// [`sack_delay`](crate::Options::sack_delay); at once for data out of order (RFC 9260 §6.2).
    #[default]
    Standard,
    /// A policy of the user's own.
    Custom(CustomAcknowledgement),
}

/// An acknowledgement policy that the user brings: its name, by which it is compared, and how one is
/// made for an association.
#[derive(Clone, Copy)]
pub struct CustomAcknowledgement {
    /// Two with the same name are taken for the same.
    pub name: &'static str,
    /// Called once for each association, and again when one is restarted.
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
/// The engine asks it about each packet with DATA, and holds to RFC 9260 where that says MUST: no
/// SACK waits for more than 500 ms, and a policy cannot put off a SACK that is due. A SACK that the
/// engine owes for another reason, such as a window that opens, leaves without asking.
pub trait Acknowledge: CloneAcknowledge + fmt::Debug + Send {
    /// A packet with DATA arrived: when a SACK has to leave. Of several answers since the last SACK
    /// the earliest counts.
    fn on_packet(&mut self, arrival: &DataArrival) -> AckTiming;

    /// A SACK left, with all that had arrived.
    fn on_sack(&mut self, _now: Time) {}
}

/// A packet with DATA, as an acknowledgement policy sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataArrival {
    /// When the packet arrived.
    pub now: Time,
    /// Packets with DATA since the last SACK, this one included; at most 255.
    pub unacknowledged: u8,
    /// The place of its DATA among all.
    pub order: ArrivalOrder,
}

/// The place of a packet's DATA among all that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArrivalOrder {
    /// New data that follows what was there.
    InOrder,
    /// New data in order, with the request to acknowledge it at once (the I bit, RFC 9260 §3.3.1).
    Requested,
    /// New data beyond a gap, or in one. RFC 9260 §6.7 wants it acknowledged at once.
    Reordered,
    /// Data that was there, had no room, named no stream, or came beyond a gap with the I bit.
    /// RFC 9260 §6.2 wants it acknowledged at once.
    Irregular,
}

/// When a SACK has to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AckTiming {
    /// With the next packet, at once.
    Now,
    /// No later than so long after now, 500 ms at most; before that with any packet that leaves.
    Within(Duration),
}

/// Clones an [`Acknowledge`] behind its box; implemented for all that are `Clone`.
pub trait CloneAcknowledge {
    /// A clone, boxed.
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
