use core::any::Any;

use sheave_engine::{ErrorWarning, Node, Time};

use crate::Protocol;

/// A program on a host: a [`Node`] that speaks one protocol.
///
/// Several may share a host; a packet goes to the first of its protocol that owns the port,
/// or else to the first of its protocol, which may refuse it. For
/// protocols other than SCTP the payloads of [`Datagram`](sheave_engine::Datagram) and
/// [`poll_transmit`](Node::poll_transmit) are the transport's own bytes, from its header on, and
/// peers are addressed as [`PeerAddress::native`](sheave_engine::PeerAddress::native). The world
/// asks for one packet a call.
pub trait Agent: Node + Any + Send {
    /// The protocol of all of its packets.
    fn protocol(&self) -> Protocol;

    /// Whether packets to that port are for it.
    fn owns_port(&self, port: u16) -> bool;

    /// Takes in what the node before a link says of a packet of the agent's that the link did not
    /// carry; the quoted bytes are those of the agent's protocol. Most have no use for it.
    fn handle_error_warning(&mut self, _now: Time, _warning: ErrorWarning<'_>) {}

    /// The agent's progress towards its aim.
    fn progress(&self) -> Progress {
        Progress::Endless
    }
}

/// The progress of an agent towards its aim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The agent has no aim that could be reached.
    Endless,
    /// The aim is not reached yet.
    Working,
    /// The aim is reached, or has become impossible.
    Done,
}
