use crate::value::ids::PathIndex;

/// The state of a zero window probe (RFC 9260 §6.1 A).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WindowProbe {
    /// The next chunk may be sent although the peer's window is closed.
    Allowed,
    /// The probe is in flight, or a chunk serves as the probe that left before the window closed
    /// and that the peer had to drop. `answered_by` is the path of the last SACK since the last
    /// T3-rtx expiry.
    Sent {
        seq: u64,
        answered_by: Option<PathIndex>,
    },
}
