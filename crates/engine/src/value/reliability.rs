//! Messages that may be given up (RFC 3758, RFC 7496).

use core::time::Duration;

/// Whether messages may be given up while the association goes on (RFC 3758).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PartialReliability {
    /// Messages may not be given up, either way; the peer is not told of the extension.
    #[default]
    Off,
    /// Messages may be given up, if the peer agrees: those of ours that
    /// [`SendOptions`](crate::SendOptions) says it of, and those that the peer gives up.
    On,
}

/// The limit of the sender's effort for a message. Whatever it says, the message is reliable where
/// partial reliability is not agreed on; see
/// [`Assoc::partial_reliability`](crate::Assoc::partial_reliability).
///
/// A message is given up as a whole, and [`Event::Abandoned`](crate::Event::Abandoned) tells. What
/// of it is on its way then may still arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reliability {
    /// Until the peer has it, or the association ends.
    #[default]
    Reliable,
    /// For that long, from `send` on: no part of it is sent or sent again afterwards (RFC 3758
    /// §4.1).
    Timed(Duration),
    /// With so many retransmissions of each chunk, 0 to 255 (RFC 7496 §3.1).
    Retransmissions(u8),
    /// Until the send buffer has no room for a message that is more important, and nothing of this
    /// one was sent: 0 is the most important, and messages that do not have this policy are more
    /// important still (RFC 7496 §3.2). Of the least important ones the newest goes first.
    Priority(u32),
}

/// A policy by which messages are given up.
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
    /// Every policy.
    pub const ALL: [Self; 3] = [Self::Timed, Self::Retransmissions, Self::Priority];
}

/// Messages that were given up (RFC 7496 §4.3, §4.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Abandonments {
    /// Before any part of them was sent.
    pub unsent: u64,
    /// After a part of them, or all, was sent.
    pub sent: u64,
}

impl Abandonments {
    /// Both together.
    #[must_use]
    pub const fn total(self) -> u64 {
        self.unsent + self.sent
    }
}
