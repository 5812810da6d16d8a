use std::io;
use std::os::fd::BorrowedFd;

use sheave_sim::Packet;

use crate::Losses;

/// Which end of a way.
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
    /// Where it comes in, or goes out.
    pub(crate) end: End,
    /// What the door has to know of it.
    pub(crate) tag: u32,
    pub(crate) packet: Packet,
}

/// Where real packets come in and go out.
pub(crate) trait Door: Send {
    /// What is to be waited for. A place among them stays the same thing.
    fn descriptors<'a>(&'a self, into: &mut Vec<BorrowedFd<'a>>);

    /// Takes in some of what waits at the descriptor at that place.
    ///
    /// # Errors
    /// The door is broken and stays so.
    fn handle_ready(&mut self, place: usize, inlet: &mut dyn FnMut(Passage)) -> io::Result<()>;

    /// Sends a packet out, perhaps not before [`flush`](Self::flush).
    fn put_out(&mut self, passage: Passage);

    /// Sends out what is left.
    fn flush(&mut self);

    /// Clients that are known.
    fn clients(&self) -> usize;

    /// What was not passed on.
    fn losses(&self) -> Losses;
}
