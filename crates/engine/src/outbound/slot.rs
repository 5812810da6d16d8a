use sheave_wire::{Data, DataFlags, IData, Mid};

use crate::Time;
use crate::value::ids::PathIndex;

/// The space and the limits for a chunk in a packet.
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

/// The treatment of a chunk that is longer than the packet: it was cut for a larger path MTU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overlong {
    /// The chunk goes all the same, alone.
    Taken,
    /// The chunk waits: the packet is not empty, or must not be longer than those before it in its
    /// train.
    Refused,
}

/// A chunk, to be written as DATA or as I-DATA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece<'a> {
    /// The fields of the DATA chunk.
    pub(crate) data: Data<'a>,
    /// The number of its message, where it goes as I-DATA.
    pub(crate) mid: u32,
    /// Number of chunks of its message before it.
    pub(crate) fsn: u32,
}

impl<'a> Piece<'a> {
    #[inline]
    pub(crate) const fn i_data(&self) -> IData<'a> {
        let Data {
            flags,
            tsn,
            stream,
            ppid,
            payload,
            ..
        } = self.data;
        IData {
            flags,
            tsn,
            stream,
            mid: Mid(self.mid),
            ppid_or_fsn: if flags.contains(DataFlags::BEGINNING) {
                ppid.0
            } else {
                self.fsn
            },
            payload,
        }
    }
}

/// A chunk that goes out again.
pub(crate) struct Resent<'a> {
    pub(crate) piece: Piece<'a>,
    /// True if it is the oldest in flight on its path (RFC 9260 §6.1).
    pub(crate) earliest: bool,
}
