use crate::value::ids::PathIndex;

/// The state of a zero window probe (RFC 9260 §6.1 A).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WindowProbe {
    /// The next chunk may be sent although the window is closed.
    Allowed,
    /// The probe is in flight; or a chunk that left before the window closed and that the peer had
    /// to drop stands in for it. The path that the last SACK since the last T3-rtx expiry came by, if
    /// one did.
    Sent {
        seq: u64,
        answered_by: Option<PathIndex>,
    },
}
