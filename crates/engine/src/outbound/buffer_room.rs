//! Room in the send buffer.

use crate::Admission;

/// The share of the buffer that it holds beyond its size, as a divisor.
const RESERVE_SHARE: usize = 8;

/// The room of a send buffer, bytes, those that are held included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BufferRoom {
    /// The size of the buffer.
    pub(crate) limit: usize,
    /// Bytes that the endpoint's memory allows.
    pub(crate) ceiling: usize,
    pub(crate) admission: Admission,
}

/// The way into a full buffer that a refused message waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The buffer is to have room for `charge` bytes.
    Buffer { charge: usize },
    /// The reserve is to have `free` bytes free.
    Reserve { free: usize },
}

impl Refusal {
    /// Bytes of room that the message waits for.
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

/// The overdraft where `held` bytes stand in a buffer of `limit` bytes, the last message of them
/// admitted as it found the buffer.
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
