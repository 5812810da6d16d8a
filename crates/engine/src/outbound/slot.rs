use sheave_wire::{Data, DataFlags};

use crate::Time;
use crate::path::PathIndex;

/// How a chunk may be sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) now: Time,
    pub(crate) path: PathIndex,
    /// Bytes left in the packet.
    pub(crate) room: usize,
    /// Bytes of user data that a packet on this path holds if it holds one DATA chunk only.
    pub(crate) full: usize,
    /// Bytes of user data in a chunk at most, so that a packet on any path can hold it.
    pub(crate) fragment: usize,
    /// Flags that the association wants on every chunk (the I bit while shutting down).
    pub(crate) flags: DataFlags,
}

impl Slot {
    pub(super) const fn is_empty_packet(&self) -> bool {
        self.room == self.full + Data::HEADER_LEN
    }
}

/// A chunk that goes out again.
pub(crate) struct Resent<'a> {
    pub(crate) data: Data<'a>,
    /// It is the oldest in flight on its path (RFC 9260 §6.1).
    pub(crate) earliest: bool,
}
