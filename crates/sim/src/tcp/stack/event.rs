use super::ConnectionId;
use crate::tcp::tcb::{CloseReason, ConnectionStats};

/// An event for the application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A connection that this end began is up.
    Connected(ConnectionId),
    /// A connection that a peer began is up; `port` is ours.
    Accepted {
        /// The connection.
        id: ConnectionId,
        /// The port that listens.
        port: u16,
    },
    /// Bytes have come, where there were none.
    Readable(ConnectionId),
    /// There is room again, after a `send` that did not take all.
    Writable(ConnectionId),
    /// The peer has no more to say, and all that it said can be read.
    PeerFinished(ConnectionId),
    /// The connection is over, and this is how it ended. What has come can still be read until the
    /// stack is asked to [`forget`](super::Stack::forget) it.
    Closed {
        /// The connection.
        id: ConnectionId,
        /// The reason.
        reason: CloseReason,
        /// The final statistics of the connection.
        stats: Box<ConnectionStats>,
    },
}
