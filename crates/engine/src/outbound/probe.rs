/// Where a zero window probe stands (RFC 9260 §6.1 A).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Probe {
    Idle,
    /// The next chunk may be sent although the window is closed.
    Allowed,
    /// It is out; or a chunk that left before the window closed and that the peer had to drop
    /// stands in for it. `Heard` if a SACK came since the last T3-rtx expiry.
    Sent {
        seq: u64,
        answer: Answer,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Silence,
    Heard,
}
