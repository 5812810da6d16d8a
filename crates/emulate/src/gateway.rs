use std::io;
use std::os::fd::BorrowedFd;

use sheave_sim::Packet;

use crate::Losses;

/// The end of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The one at which clients are.
    Near,
    /// The other one.
    Far,
}

/// A packet that comes in at one end of a way, or goes out at the other.
#[derive(Debug)]
pub(crate) struct Passage {
    /// The end at which the packet comes in or goes out.
    pub(crate) end: End,
    /// An opaque number that the gateway attaches to the packet.
    pub(crate) tag: u32,
    pub(crate) packet: Packet,
}

/// An entrance and exit for real packets.
pub(crate) trait Gateway: Send {
    /// Appends the descriptors to wait for. Their order never changes.
    fn descriptors<'a>(&'a self, into: &mut Vec<BorrowedFd<'a>>);

    /// Takes in some of what waits at the descriptor at that place.
    ///
    /// # Errors
    /// The gateway is broken and stays so.
    fn handle_ready(&mut self, place: usize, admit: &mut dyn FnMut(Passage)) -> io::Result<()>;

    /// Sends a packet out, perhaps not before [`flush`](Self::flush).
    fn send(&mut self, passage: Passage);

    /// Sends out what is left.
    fn flush(&mut self);

    /// Clients that are known.
    fn clients(&self) -> usize;

    /// Counts packets that the gateway dropped.
    fn losses(&self) -> Losses;
}
