use core::fmt;

/// The phase of a connection (RFC 9293 §3.3.2). LISTEN is the stack's, CLOSED is no connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Our SYN is out.
    SynSent,
    /// Both SYNs are out.
    SynReceived,
    /// Data flows.
    Established,
    /// We have finished; our FIN is not acknowledged.
    FinWait1,
    /// We have finished, the peer has not.
    FinWait2,
    /// The peer has finished, we have not.
    CloseWait,
    /// Both have finished at once; our FIN is not acknowledged.
    Closing,
    /// Both have finished, the peer first; our FIN is not acknowledged.
    LastAck,
    /// Both sides have closed; stray segments die out.
    TimeWait,
    /// The connection is over.
    Closed,
}

/// An event that moves a connection from one phase to the next (RFC 9293 figure 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Step {
    /// The peer's SYN came, without an acknowledgement of ours.
    SynAlone,
    /// Our SYN is acknowledged, and theirs is here.
    Established,
    /// The application has no more to say.
    Shutdown,
    /// The peer's FIN, and all before it, has come.
    PeerFin,
    /// Our FIN is acknowledged.
    FinAcked,
}

impl Phase {
    /// The phase after a step; the same where the step means nothing.
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
