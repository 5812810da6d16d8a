//! Space in the send buffer.

use crate::Admission;

/// Divisor: the reserve beyond the buffer's size is this share of it.
const RESERVE_SHARE: usize = 8;

/// Capacity of a send buffer in bytes, occupied ones included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BufferRoom {
    /// The size of the buffer.
    pub(crate) limit: usize,
    /// Bytes that the endpoint's memory limit allows.
    pub(crate) ceiling: usize,
    pub(crate) admission: Admission,
}

/// The condition under which a message refused by a full buffer fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The buffer needs room for `charge` bytes.
    Buffer { charge: usize },
    /// The reserve needs `free` free bytes.
    Reserve { free: usize },
}

impl Refusal {
    /// Bytes of room that the message needs.
    pub(crate) const fn room(self) -> usize {
        match self {
            Self::Buffer { charge: room } | Self::Reserve { free: room } => room,
        }
    }
}

impl BufferRoom {
    /// The buffer and its reserve, bytes.
    pub(super) fn with_reserve(self) -> usize {
        let reserve = self.limit / RESERVE_SHARE;
        self.limit.saturating_add(reserve).min(self.ceiling)
    }
}

/// The overdraft of a buffer of `limit` bytes that holds `held` bytes after the last message was
/// admitted.
#[inline]
pub(super) fn overdraft(held: usize, limit: usize) -> u32 {
    if held > limit {
        narrow(held - limit / 2)
    } else {
        0
    }
}

pub(super) fn narrow(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
