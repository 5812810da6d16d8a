use alloc::collections::VecDeque;
use alloc::vec::Vec;
use bytes::Bytes;
use core::fmt;
use core::net::IpAddr;
use core::time::Duration;

use sheave_wire::{StreamId, Tsn};

use crate::{
    AddressChange, AssocId, AuthenticationChange, Message, Policy, ProtectionChange, Received,
    ReconfigurationFailure, StreamDirection,
};

/// A notification to the user of an association (RFC 9260 §11.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The peer has answered with INIT ACK (COOKIE-ECHOED); data sent from now on goes out with the
    /// COOKIE ECHO as far as [`EarlyData`](crate::EarlyData) allows. Not emitted if no data may go
    /// early (`early_data` off, or DATA must be authenticated).
    Answered {
        /// Number of outbound streams; valid ids are below it.
        outbound_streams: u16,
        /// Number of inbound streams.
        inbound_streams: u16,
    },
    /// The association is established (COMMUNICATION UP). The first event of an association
    /// accepted by a listener.
    Established {
        /// Number of outbound streams; valid ids are below it.
        outbound_streams: u16,
        /// Number of inbound streams.
        inbound_streams: u16,
    },
    /// The peer lost its state and restarted the association (RESTART). Unacknowledged messages
    /// come back as [`Event::SendFailed`]; sequence numbers start over.
    Restarted,
    /// A message became readable through [`Assoc::receive`](crate::Assoc::receive), after none was.
    Readable,
    /// A [`send`](crate::Assoc::send) refused for lack of room can be retried.
    Writable,
    /// Everything sent so far has been acknowledged (SENDER DRY).
    Drained,
    /// The bytes buffered on a stream have fallen to its low-water mark
    /// ([`set_low_water`](crate::Assoc::set_low_water)).
    StreamBufferLow {
        /// The stream.
        stream: StreamId,
    },
    /// A path changed (NETWORK STATUS CHANGE).
    Path {
        /// The peer address that the path leads to.
        remote: IpAddr,
        /// The change.
        change: PathChange,
    },
    /// Data in flight on a path that stopped answering goes on by another path. If the first path
    /// answers later, it is used again without a further event.
    Failover {
        /// The peer address to which data was sent.
        from: IpAddr,
        /// The peer address to which it is sent now.
        to: IpAddr,
        /// Time since the departure of the newest data that the first path acknowledged, or of the
        /// oldest one in flight there: about a round trip more than the receiver waited.
        silence: Duration,
    },
    /// A message was not delivered, or not completely (SEND FAILURE).
    SendFailed {
        /// The message as it was sent.
        message: Message,
        /// The context given to `send`.
        context: u64,
        /// Whether any part may have reached the peer.
        failure: SendFailure,
    },
    /// A message of ours was abandoned under its [`Reliability`](crate::Reliability) policy (RFC
    /// 3758 §3.5); the peer does not get it, except for parts already in flight.
    Abandoned {
        /// The message as it was sent.
        message: Message,
        /// The context given to `send`.
        context: u64,
        /// The policy that applied.
        policy: Policy,
        /// Whether any part was sent.
        failure: SendFailure,
    },
    /// The peer reported an error that did not end the association (COMMUNICATION ERROR).
    PeerError {
        /// The cause code of the ERROR chunk (RFC 9260 §3.3.10).
        cause: u16,
        /// The bytes after the cause's code and length, at most 256.
        detail: Bytes,
    },
    /// Partial delivery of a message was cut off; no further part will follow.
    PartialDeliveryAborted {
        /// The stream of that message.
        stream: StreamId,
    },
    /// The SSNs of streams restarted at 0, after [`reset_streams`](crate::Assoc::reset_streams) at
    /// either end (RFC 6525 §6.1.1). Incoming streams: messages already readable were sent before
    /// the reset, all others after it.
    StreamsReset {
        /// Whether outgoing or incoming streams were reset.
        direction: StreamDirection,
        /// The streams, ascending; empty means all.
        streams: Vec<StreamId>,
    },
    /// TSNs and SSNs were all reset, after [`reset_tsns`](crate::Assoc::reset_tsns) at either end
    /// (RFC 6525 §6.1.2). Messages read from now on were sent after the reset.
    AssociationReset {
        /// Our next TSN.
        next_tsn: Tsn,
        /// The peer's next TSN.
        peer_next_tsn: Tsn,
    },
    /// Streams were added, after [`add_streams`](crate::Assoc::add_streams) at either end (RFC 6525
    /// §6.1.3).
    StreamsChanged {
        /// New number of outbound streams.
        outbound_streams: u16,
        /// New number of inbound streams.
        inbound_streams: u16,
    },
    /// Our request to reset or add streams failed.
    ReconfigurationFailed {
        /// The reason.
        failure: ReconfigurationFailure,
    },
    /// The peer confirmed a change of our addresses.
    AddressChanged {
        /// The change.
        change: AddressChange,
    },
    /// The peer refused a change of our addresses.
    AddressChangeRefused {
        /// The change.
        change: AddressChange,
        /// The cause code that the peer gave (RFC 5061 §4.3); 0 if none.
        cause: u16,
    },
    /// The peer's adaptation layer indication (RFC 5061 §4.2.6).
    PeerAdaptation {
        /// The indication, whose meaning is up to the users.
        indication: u32,
    },
    /// The keys or the use of authentication changed.
    Authentication(AuthenticationChange),
    /// Something about the protection of packets changed.
    Protection(ProtectionChange),
    /// The peer wants to close: it sends nothing new, and neither can we (RFC 9260 §9.2).
    PeerShutdown,
    /// The association has ended; its id is no longer valid.
    Closed {
        /// The reason.
        reason: CloseReason,
        /// Complete messages that were not read, in delivery order.
        unread: Vec<Received>,
    },
}

/// A change of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathChange {
    /// The peer proved that it owns the address (RFC 9260 §5.4).
    Confirmed,
    /// More than PotentiallyFailed.Max.Retrans consecutive sends went unanswered (RFC 7829 §3).
    PotentiallyFailed,
    /// More than Path.Max.Retrans consecutive sends went unanswered (RFC 9260 §8.2).
    Down,
    /// The path answers again.
    Up,
    /// The path is now the primary path.
    Primary,
    /// A new peer address, still to be confirmed: the peer added it (RFC 5061), or listed it after
    /// a restart.
    Added,
    /// The peer removed the address (RFC 5061), or no longer lists it after a restart.
    Removed,
}

/// Progress of a failed message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SendFailure {
    /// Nothing of it was sent.
    Unsent,
    /// Some or all of it was sent but not acknowledged.
    Unacknowledged,
}

/// The reason why an association ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// Graceful shutdown: all data was acknowledged (SHUTDOWN COMPLETE).
    Graceful,
    /// This end aborted it.
    Aborted,
    /// The peer aborted it (RFC 9260 §9.1).
    AbortedByPeer {
        /// The first cause code in the ABORT, if any.
        cause: Option<u16>,
        /// The content of that cause, usually a text, at most 256 bytes.
        detail: Bytes,
        /// Causes in the ABORT, at most 1024 bytes: causes that do not fit are left out; if the
        /// first does not fit, its first 256 bytes are kept.
        causes: Bytes,
    },
    /// The peer violated the protocol and was sent an ABORT.
    PeerFault {
        /// The cause code that we sent.
        cause: u16,
        /// The broken rule, in words.
        rule: &'static str,
    },
    /// The peer did not answer: Max.Init.Retransmits or Association.Max.Retrans was exceeded
    /// (COMMUNICATION LOST).
    TimedOut,
    /// The peer's cookie was stale and could not be refreshed (RFC 9260 §5.2.6).
    StaleCookie,
    /// ICMP reports that no process uses the UDP port of the peer's last address (Port Unreachable).
    NoSuchPort,
    /// ICMP reports that the peer's last address does not support SCTP, which counts as an ABORT (RFC
    /// 9260 §10, ICMP8).
    NoSuchProtocol,
    /// The association was exported and continues elsewhere. Never emitted by the engine; used by
    /// holders of association handles.
    Exported,
}

impl fmt::Display for CloseReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Graceful => f.write_str("both ends agreed to close it"),
            Self::Aborted => f.write_str("this end aborted it"),
            Self::AbortedByPeer { cause, detail, .. } => {
                f.write_str("the peer aborted it")?;
                if let Some(cause) = cause {
                    write!(f, ", cause {cause}")?;
                }
                match detail.is_empty() {
                    true => Ok(()),
                    false => write!(f, ": {}", detail.escape_ascii()),
                }
            }
            Self::PeerFault { cause, rule } => {
                write!(f, "the peer broke the protocol (cause {cause}): {rule}")
            }
            Self::TimedOut => f.write_str("the peer does not answer"),
            Self::StaleCookie => f.write_str("the peer's cookie went stale"),
            Self::NoSuchPort => f.write_str("ICMP says that nobody is at the peer's UDP port"),
            Self::NoSuchProtocol => f.write_str("ICMP says that the peer's host has no SCTP"),
            Self::Exported => f.write_str("it was exported and goes on elsewhere"),
        }
    }
}

/// Every reason except [`Graceful`](CloseReason::Graceful) means failure.
impl core::error::Error for CloseReason {}

/// Number of queued events beyond which events that a peer can trigger at will are dropped.
const MAX_IDLE_EVENTS: usize = 1024;

/// Events of all associations, in the order of occurrence.
#[derive(Clone, Debug, Default)]
pub(crate) struct Events {
    waiting: VecDeque<(AssocId, Event)>,
}

impl Events {
    pub(crate) fn push(&mut self, id: AssocId, event: Event) {
        self.waiting.push_back((id, event));
    }

    /// Adds an event that the user can do without; dropped if the queue is long.
    pub(crate) fn push_if_room(&mut self, id: AssocId, event: Event) {
        if self.waiting.len() < MAX_IDLE_EVENTS {
            self.push(id, event);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(crate) fn pop(&mut self) -> Option<(AssocId, Event)> {
        self.waiting.pop_front()
    }
}
