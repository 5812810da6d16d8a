//! Partial reliability (RFC 3758, RFC 7496): messages that may be abandoned.

use core::time::Duration;

/// Whether messages may be abandoned during an association (RFC 3758).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PartialReliability {
    /// No message may be abandoned by either end; the extension is not offered to the peer.
    #[default]
    Off,
    /// Messages may be abandoned, if the peer agrees: ours according to
    /// [`SendOptions`](crate::SendOptions), the peer's as it decides.
    On,
}

/// Limit of the sender's effort to deliver a message. Without partial reliability on both ends,
/// every message is reliable; see
/// [`Assoc::partial_reliability`](crate::Assoc::partial_reliability).
///
/// A message is abandoned as a whole, and [`Event::Abandoned`](crate::Event::Abandoned) reports it.
/// Parts already in flight may still arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reliability {
    /// Reliable: until the message is delivered or the association ends.
    #[default]
    Reliable,
    /// Lifetime, counted from `send`: afterwards nothing is sent or retransmitted (RFC 3758 §4.1).
    Timed(Duration),
    /// Number of retransmissions per chunk, 0 to 255 (RFC 7496 §3.1).
    Retransmissions(u8),
    /// Priority: an unsent message is dropped if the send buffer has no room for a more important
    /// one. 0 is most important; messages with other policies are more important still (RFC 7496
    /// §3.2). Among the least important messages, the newest is dropped first.
    Priority(u32),
}

/// A policy for abandoning messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Policy {
    /// [`Reliability::Timed`].
    Timed,
    /// [`Reliability::Retransmissions`].
    Retransmissions,
    /// [`Reliability::Priority`].
    Priority,
}

impl Policy {
    /// The policies.
    pub const ALL: [Self; 3] = [Self::Timed, Self::Retransmissions, Self::Priority];
}

/// Number of abandoned messages (RFC 7496 §4.3, §4.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Abandonments {
    /// Messages of which nothing was sent.
    pub unsent: u64,
    /// Messages of which at least a part was sent.
    pub sent: u64,
}

impl Abandonments {
    /// The sum of both.
    #[must_use]
    pub const fn total(self) -> u64 {
        self.unsent + self.sent
    }
}
