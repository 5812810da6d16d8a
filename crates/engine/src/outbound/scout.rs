//! The packet that leaves first, or next to first, on a path that takes over from another: something that the
//! peer cannot have got.
//!
//! Much of what timed out may have arrived. Its duplicates tell nothing new, and a peer may even send
//! the SACKs for them by a path that is dead.

use crate::value::ids::PathIndex;

/// A scout of the path that took over last: where several time out in turns, each begins anew with
/// what is oldest there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scout {
    pub(super) onto: PathIndex,
    pub(super) step: Step,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The newest chunk that is marked goes after one that is marked before it.
    Waits { seq: u64 },
    /// The chunk is next.
    Next { seq: u64 },
    /// New data goes before all that is marked.
    New,
    /// The scout left, and nothing was heard since.
    Sent,
    /// The scout was answered, and the peer did not keep it: the oldest chunk goes first next time.
    Refused,
}
