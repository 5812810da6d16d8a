use core::fmt;

/// Connection state (RFC 9293 §3.3.2). LISTEN belongs to the stack; a CLOSED connection does not
/// exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// SYN-SENT: our SYN was sent.
    SynSent,
    /// SYN-RECEIVED: both SYNs were sent.
    SynReceived,
    /// ESTABLISHED: data flows.
    Established,
    /// FIN-WAIT-1: we finished; our FIN is unacknowledged.
    FinWait1,
    /// FIN-WAIT-2: we finished, the peer has not.
    FinWait2,
    /// CLOSE-WAIT: the peer finished, we have not.
    CloseWait,
    /// CLOSING: both finished simultaneously; our FIN is unacknowledged.
    Closing,
    /// LAST-ACK: both finished, the peer first; our FIN is unacknowledged.
    LastAck,
    /// TIME-WAIT: both finished; stray segments may still arrive.
    TimeWait,
    /// CLOSED: the connection has ended.
    Closed,
}

/// An event that changes the state (RFC 9293 figure 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Step {
    /// The peer's SYN arrived without an acknowledgement of ours.
    SynAlone,
    /// Our SYN was acknowledged, and the peer's has arrived.
    Established,
    /// The application finished sending.
    Shutdown,
    /// The peer's FIN and all data before it arrived.
    PeerFin,
    /// Our FIN was acknowledged.
    FinAcked,
}

impl Phase {
    /// The state after an event; unchanged if the event does not apply.
    pub(super) const fn after(self, step: Step) -> Self {
        match (self, step) {
            (Self::SynSent, Step::SynAlone) => Self::SynReceived,
            (Self::SynSent | Self::SynReceived, Step::Established) => Self::Established,
            (Self::Established, Step::Shutdown) => Self::FinWait1,
            (Self::CloseWait, Step::Shutdown) => Self::LastAck,
            (Self::Established, Step::PeerFin) => Self::CloseWait,
            (Self::FinWait1, Step::PeerFin) => Self::Closing,
            (Self::FinWait2, Step::PeerFin) | (Self::Closing, Step::FinAcked) => Self::TimeWait,
            (Self::FinWait1, Step::FinAcked) => Self::FinWait2,
            (Self::LastAck, Step::FinAcked) => Self::Closed,
            _ => self,
        }
    }

    /// Whether both SYNs have been exchanged.
    #[must_use]
    pub const fn is_synchronised(self) -> bool {
        !matches!(self, Self::SynSent | Self::SynReceived)
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SynSent => "SYN-SENT",
            Self::SynReceived => "SYN-RECEIVED",
            Self::Established => "ESTABLISHED",
            Self::FinWait1 => "FIN-WAIT-1",
            Self::FinWait2 => "FIN-WAIT-2",
            Self::CloseWait => "CLOSE-WAIT",
            Self::Closing => "CLOSING",
            Self::LastAck => "LAST-ACK",
            Self::TimeWait => "TIME-WAIT",
            Self::Closed => "CLOSED",
        })
    }
}

#[cfg(test)]
mod tests;
