//! The scout: a packet sent first, or second, on a path that takes over from another, with data
//! that the peer cannot have received yet.
//!
//! Many chunks that timed out may have arrived. Their duplicates produce no new information, and a
//! peer may even send the SACKs for them on a dead path.

use crate::value::ids::PathIndex;

/// The scout of the path that took over last. If several paths time out in turn, each starts again
/// with its oldest chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scout {
    pub(super) onto: PathIndex,
    pub(super) step: Step,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The newest marked chunk leaves after one older marked chunk.
    Waits { seq: u64 },
    /// The chunk leaves next.
    Next { seq: u64 },
    /// New data leaves before all marked chunks.
    New,
    /// The scout left; no SACK came since.
    Sent,
    /// A SACK without new information answered the scout: the oldest chunk leaves first next time.
    Refused,
}
