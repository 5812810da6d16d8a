use sheave_wire::{Data, DataFlags};

use crate::Time;
use crate::value::ids::PathIndex;

/// The state of an outstanding chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChunkState {
    /// On its way.
    InFlight,
    /// To be retransmitted after a timeout.
    Marked,
    /// To be retransmitted because SACKs showed its loss.
    MarkedFast,
    /// Acknowledged by a gap block.
    Acked,
    /// Reported by the receiver as never to be dropped; its bytes are no longer held.
    Released,
    /// Abandoned; the peer will skip it (RFC 3758 §3.5).
    Abandoned,
}

/// An outstanding DATA chunk: a slice of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    /// Number of the message in the ring.
    pub(crate) message: u32,
    /// Offset in the message, bytes.
    pub(crate) offset: u32,
    /// Number of preceding chunks of the message.
    pub(crate) fsn: u32,
    /// User bytes.
    pub(crate) len: u16,
    /// Beginning and ending bits.
    pub(crate) flags: DataFlags,
    pub(crate) state: ChunkState,
    /// The path it was last sent on, which is credited on acknowledgement even if the chunk is
    /// marked for another path (RFC 9260 §8.2).
    pub(crate) path: PathIndex,
    /// The path for the retransmission of a marked chunk.
    pub(crate) next_path: PathIndex,
    /// Whether it may still be fast retransmitted.
    pub(crate) fast: FastRetransmit,
    /// Number of retransmissions, up to 255.
    pub(crate) retransmissions: u8,
    /// Time of the last transmission.
    pub(crate) sent_at: Time,
}

/// A chunk is fast retransmitted once; afterwards only T3-rtx repairs it (RFC 9260 §7.2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FastRetransmit {
    Eligible,
    Spent,
}

impl Sent {
    /// The position in its message.
    pub(crate) const fn fragment(&self) -> FragmentPosition {
        FragmentPosition {
            offset: self.offset,
            fsn: self.fsn,
            flags: self.flags,
        }
    }

    /// Bytes of the chunk without padding.
    pub(crate) const fn wire_len_unpadded(&self) -> usize {
        Data::HEADER_LEN + self.len as usize
    }

    /// Bytes of the chunk with padding, as congestion control counts them.
    pub(crate) const fn wire_len(&self) -> u64 {
        wire_len(self.len as usize)
    }

    pub(crate) fn is_fast_eligible(&self) -> bool {
        self.fast == FastRetransmit::Eligible
    }

    /// Whether the chunk was sent only once so far.
    pub(crate) const fn is_first_transmission(&self) -> bool {
        self.retransmissions == 0
    }

    pub(crate) const fn is_acked(&self) -> bool {
        matches!(self.state, ChunkState::Acked | ChunkState::Released)
    }

    /// Whether the chunk is acknowledged or abandoned, so that it needs no further transmission.
    pub(crate) const fn is_resolved(&self) -> bool {
        self.is_acked() || matches!(self.state, ChunkState::Abandoned)
    }

    pub(crate) const fn is_marked(&self) -> bool {
        matches!(self.state, ChunkState::Marked | ChunkState::MarkedFast)
    }
}

/// Bytes of a chunk with `len` user bytes, padding included.
#[inline]
pub(crate) const fn wire_len(len: usize) -> u64 {
    ((Data::HEADER_LEN + len) as u64).next_multiple_of(4)
}

/// The position of a chunk in its message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FragmentPosition {
    /// Offset of the chunk, bytes.
    pub(crate) offset: u32,
    /// Number of preceding chunks.
    pub(crate) fsn: u32,
    /// Beginning and ending bits.
    pub(crate) flags: DataFlags,
}
