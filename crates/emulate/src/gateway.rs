use std::io;
use std::os::fd::BorrowedFd;

use sheave_sim::Packet;

use crate::Losses;

/// An end of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The client side.
    Near,
    /// The server side.
    Far,
}

/// A packet that enters or leaves the network at one end of a route.
#[derive(Debug)]
pub(crate) struct Passage {
    /// The end at which the packet enters or leaves.
    pub(crate) end: End,
    /// An opaque value that the gateway attaches to the packet.
    pub(crate) tag: u32,
    pub(crate) packet: Packet,
}

/// A gateway: real packets enter and leave the network here.
pub(crate) trait Gateway: Send {
    /// Appends the descriptors to wait for, in a fixed order.
    fn descriptors<'a>(&'a self, into: &mut Vec<BorrowedFd<'a>>);

    /// Reads some of the packets waiting at the descriptor with that index.
    ///
    /// # Errors
    /// The gateway is permanently broken.
    fn handle_ready(&mut self, place: usize, admit: &mut dyn FnMut(Passage)) -> io::Result<()>;

    /// Sends a packet, possibly delayed until [`flush`](Self::flush).
    fn send(&mut self, passage: Passage);

    /// Sends all delayed packets.
    fn flush(&mut self);

    /// Number of known clients.
    fn clients(&self) -> usize;

    /// Counts packets dropped by the gateway.
    fn losses(&self) -> Losses;
}
