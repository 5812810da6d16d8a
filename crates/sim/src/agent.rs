use core::any::Any;

use sheave_engine::{ErrorWarning, Node, Time};

use crate::Protocol;

/// A program on a host: a [`Node`] for one protocol.
///
/// A host may have several agents. A packet goes to the first agent of its protocol that owns the
/// port; if none does, to the first agent of its protocol, which may refuse the packet. For
/// protocols other than SCTP, the payloads of [`Datagram`](sheave_engine::Datagram) and
/// [`poll_transmit`](Node::poll_transmit) start with the transport's own header, and peers are
/// addressed as [`PeerAddress::native`](sheave_engine::PeerAddress::native). The world asks for one
/// packet per call.
pub trait Agent: Node + Any + Send {
    /// The protocol of the agent's packets.
    fn protocol(&self) -> Protocol;

    /// Whether the agent owns that port.
    fn owns_port(&self, port: u16) -> bool;

    /// Handles a notice from the node before a link that the link failed to carry one of the
    /// agent's packets; the quoted bytes start with the agent's protocol. Ignored by default.
    fn handle_error_warning(&mut self, _now: Time, _warning: ErrorWarning<'_>) {}

    /// Progress towards the agent's goal.
    fn progress(&self) -> Progress {
        Progress::Endless
    }
}

/// Progress of an agent towards its goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The agent has no goal to reach.
    Endless,
    /// The goal is not reached yet.
    Working,
    /// The goal is reached, or has become impossible.
    Done,
}
