use sheave_engine::{Message, Reliability, Time};

/// The answer to a message handed to [`Stack::send`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// The message will be sent.
    Accepted,
    /// No room; to be tried again later.
    Full,
}

/// The end of an association, as one of its ends saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By the shutdown of RFC 9260 §9.2.
    Graceful,
    /// By an ABORT from the peer.
    AbortedByPeer,
    /// In any other way: aborted here, timed out, a peer's fault.
    Otherwise,
}

/// The state of a [`Stack`]'s association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Not yet established.
    Down,
    /// Established, or on the way to its end.
    Up,
    /// Ended.
    Closed(Ending),
}

/// An SCTP stack with one association, without sockets and without a clock.
pub trait Stack {
    /// Starts the association.
    fn connect(&mut self, now: Time);

    /// Takes in an SCTP packet.
    fn handle_packet(&mut self, now: Time, packet: &[u8]);

    /// Runs what is due.
    fn handle_timeout(&mut self, now: Time);

    /// The next packet to put on the network.
    fn poll_packet(&mut self, now: Time) -> Option<Vec<u8>>;

    /// When [`handle_timeout`](Self::handle_timeout) must be called.
    fn poll_timeout(&self) -> Option<Time>;

    /// Sends a message that may be given up where `until` says so.
    fn send_until(&mut self, now: Time, message: &Message, until: Reliability) -> Admission;

    /// Sends a message.
    fn send(&mut self, now: Time, message: &Message) -> Admission {
        self.send_until(now, message, Reliability::Reliable)
    }

    /// The next whole message that arrived. Its [`Delivery`](sheave_engine::Delivery) means
    /// nothing where the stack does not tell.
    fn receive(&mut self, now: Time) -> Option<Message>;

    /// Closes gracefully.
    fn shutdown(&mut self, now: Time);

    /// Closes by ABORT.
    fn abort(&mut self, now: Time);

    /// The state of the association.
    fn condition(&self) -> Condition;

    /// Whether both ends have agreed on user message interleaving (RFC 8260), where the stack says so.
    fn uses_interleaving(&self) -> bool {
        false
    }

    /// Whether both ends have agreed to do without checksums (RFC 9653), where the stack says so.
    fn uses_zero_checksum(&self) -> bool {
        false
    }

    /// Whether its own way of shutting down is that of RFC 9260.
    fn shuts_down_well(&self) -> bool {
        true
    }
}
