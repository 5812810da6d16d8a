use super::ConnectionId;
use crate::tcp::tcb::{CloseReason, ConnectionStats};

/// An event for the application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A connection opened by this end is established.
    Connected(ConnectionId),
    /// A connection opened by a peer is established; `port` is the local one.
    Accepted {
        /// The connection.
        id: ConnectionId,
        /// The listening port.
        port: u16,
    },
    /// Bytes can be read, where previously none could.
    Readable(ConnectionId),
    /// The send buffer has space again, after a `send` that did not accept all bytes.
    Writable(ConnectionId),
    /// The peer has finished sending, and all its data can be read.
    PeerFinished(ConnectionId),
    /// The connection has ended. Received data can still be read until
    /// [`forget`](super::Stack::forget) removes the connection.
    Closed {
        /// The connection.
        id: ConnectionId,
        /// The reason why the connection ended.
        reason: CloseReason,
        /// The final statistics of the connection.
        stats: Box<ConnectionStats>,
    },
}
