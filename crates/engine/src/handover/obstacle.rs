use core::fmt;

/// A reason why an association cannot be [exported](crate::Endpoint::export) now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Obstacle {
    /// The association is not established yet.
    NotEstablished,
    /// The association is being shut down.
    ShuttingDown,
    /// Messages wait to be sent.
    Unsent,
    /// Sent data is not yet acknowledged by the peer.
    Unacknowledged,
    /// Messages, or parts of them, wait to be read.
    Unread,
    /// Data sent by the peer is missing.
    Gap,
    /// A message has arrived in part.
    Incomplete,
    /// A request to reset or add streams is in progress, ours or the peer's.
    Reconfiguration,
    /// A change of our addresses is in progress.
    AddressChange,
    /// Chunks other than DATA wait to be sent; call [`poll_transmit`](crate::Node::poll_transmit)
    /// first.
    Control,
    /// Packets are protected with keys that only the key manager here has
    /// ([`Protection`](crate::Protection)).
    Protected,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotEstablished => "it is not established",
            Self::ShuttingDown => "it is being shut down",
            Self::Unsent => "messages wait to be sent",
            Self::Unacknowledged => "data is not acknowledged yet",
            Self::Unread => "messages wait to be read",
            Self::Gap => "something is missing",
            Self::Incomplete => "a message has arrived in part",
            Self::Reconfiguration => "streams are being reset or added",
            Self::AddressChange => "addresses are being changed",
            Self::Control => "chunks wait to be sent",
            Self::Protected => "its keys cannot be moved",
        })
    }
}
