use sheave_wire::{Data, DataFlags, IData, Mid};

use crate::Time;
use crate::value::ids::PathIndex;

/// The space and constraints for a chunk in a packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) now: Time,
    pub(crate) path: PathIndex,
    /// Bytes left in the packet.
    pub(crate) room: usize,
    /// Maximum user data of a chunk in bytes, so that a packet on any path can hold it.
    pub(crate) fragment: usize,
    /// Flags to set on every chunk (the I bit while shutting down).
    pub(crate) flags: DataFlags,
    pub(crate) overlong: Overlong,
}

/// Treatment of a chunk longer than the packet, cut for a larger path MTU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overlong {
    /// The chunk is sent anyway, alone in its packet.
    Taken,
    /// The chunk waits: the packet is not empty, or must not exceed the previous packets of its
    /// train.
    Refused,
}

/// A chunk to be written as DATA or I-DATA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece<'a> {
    /// The fields of the DATA chunk.
    pub(crate) data: Data<'a>,
    /// The message's MID, for I-DATA.
    pub(crate) mid: u32,
    /// Number of preceding chunks of the message.
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

/// A retransmitted chunk.
pub(crate) struct Resent<'a> {
    pub(crate) piece: Piece<'a>,
    /// Whether the chunk is the oldest in flight on its path (RFC 9260 §6.1).
    pub(crate) earliest: bool,
}
