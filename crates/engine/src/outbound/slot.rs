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
    /// Bytes of user data in a chunk at most, so that a packet on any path can hold it.
    pub(crate) fragment: usize,
    /// Flags that the association wants on every chunk (the I bit while shutting down).
    pub(crate) flags: DataFlags,
    pub(crate) overlong: Overlong,
}

/// What becomes of a chunk that is longer than the packet: it was cut for a larger path MTU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overlong {
    /// It goes all the same, alone.
    Taken,
    /// It waits: the packet is not empty, or must not be longer than those before it in its train.
    Refused,
}

/// A chunk that goes out again.
pub(crate) struct Resent<'a> {
    pub(crate) data: Data<'a>,
    /// It is the oldest in flight on its path (RFC 9260 §6.1).
    pub(crate) earliest: bool,
}
