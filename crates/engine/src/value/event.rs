use alloc::collections::VecDeque;
use alloc::vec::Vec;
use bytes::Bytes;
use core::fmt;
use core::net::IpAddr;

use sheave_wire::{StreamId, Tsn};

use crate::{
    AddressChange, AssocId, AuthenticationChange, Message, Policy, ProtectionChange, Received,
    ReconfigurationFailure, StreamDirection,
};

/// A notification to the user of an association (RFC 9260 §11.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The peer has answered with INIT ACK (COOKIE-ECHOED): what is sent from now on leaves with the
    /// COOKIE ECHO, as far as [`EarlyData`](crate::EarlyData) allows. Not told where none of it may
    /// (`early_data` off, or DATA that must be authenticated).
    Answered {
        /// Streams that we may send on: ids 0 to this number, exclusive.
        outbound_streams: u16,
        /// Streams that the peer may send on.
        inbound_streams: u16,
    },
    /// The association is up (COMMUNICATION UP). On a listener's association this is its first
    /// event.
    Established {
        /// Streams that we may send on: ids 0 to this number, exclusive.
        outbound_streams: u16,
        /// Streams that the peer may send on.
        inbound_streams: u16,
    },
    /// The peer lost its state and set the association up afresh (RESTART). Messages that were
    /// not acknowledged come back as [`Event::SendFailed`]; sequence numbers start over.
    Restarted,
    /// At least one message is waiting in [`Assoc::receive`](crate::Assoc::receive) after there
    /// was none.
    Readable,
    /// A [`send`](crate::Assoc::send) that was refused for lack of room may be tried again.
    Writable,
    /// Everything sent so far has been acknowledged (SENDER DRY).
    Drained,
    /// The bytes buffered on a stream have fallen to the mark that
    /// [`set_low_water`](crate::Assoc::set_low_water) gave it.
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
    /// A message, or the rest of it, was not delivered (SEND FAILURE).
    SendFailed {
        /// The message as it was sent.
        message: Message,
        /// The context given to `send`.
        context: u64,
        /// Whether any of it can have reached the peer.
        failure: SendFailure,
    },
    /// A message of ours was given up, as its [`Reliability`](crate::Reliability) says (RFC 3758
    /// §3.5): the peer gets none of it, unless that was on its way already.
    Abandoned {
        /// The message as it was sent.
        message: Message,
        /// The context given to `send`.
        context: u64,
        /// The policy that ended it.
        policy: Policy,
        /// Whether any of it was sent.
        failure: SendFailure,
    },
    /// The peer reported an error that did not end the association (COMMUNICATION ERROR).
    PeerError {
        /// The cause code of the ERROR chunk (RFC 9260 §3.3.10).
        cause: u16,
        /// The bytes that follow the cause's code and length, at most 256.
        detail: Bytes,
    },
    /// Delivery of a message that was already partly handed over was given up; no further part
    /// of it will follow.
    PartialDeliveryAborted {
        /// The stream of that message.
        stream: StreamId,
    },
    /// The SSNs of streams begin with 0 again, because of
    /// [`reset_streams`](crate::Assoc::reset_streams) at one of the two ends (RFC 6525 §6.1.1).
    /// Incoming: messages that are read from here on were sent afterwards, those that can be read
    /// already, before.
    StreamsReset {
        /// Whether we send on them, or the peer does.
        direction: StreamDirection,
        /// The streams, ascending; none means all.
        streams: Vec<StreamId>,
    },
    /// All TSNs begin with other numbers and the SSNs of all streams with 0, because of
    /// [`reset_tsns`](crate::Assoc::reset_tsns) at one of the two ends (RFC 6525 §6.1.2). Messages
    /// that are read from here on were sent afterwards.
    AssociationReset {
        /// The TSN of the next chunk that we send.
        next_tsn: Tsn,
        /// The TSN of the next chunk that the peer sends.
        peer_next_tsn: Tsn,
    },
    /// Streams were added, because of [`add_streams`](crate::Assoc::add_streams) at one of the two
    /// ends (RFC 6525 §6.1.3).
    StreamsChanged {
        /// Streams that we may now send on.
        outbound_streams: u16,
        /// Streams that the peer may now send on.
        inbound_streams: u16,
    },
    /// A request of ours to reset or add streams came to nothing.
    ReconfigurationFailed {
        /// The reason.
        failure: ReconfigurationFailure,
    },
    /// The peer knows of a change of our addresses that we asked for.
    AddressChanged {
        /// The change.
        change: AddressChange,
    },
    /// The peer refused a change of our addresses.
    AddressChangeRefused {
        /// The change.
        change: AddressChange,
        /// The code of the cause that it gave (RFC 5061 §4.3), 0 if none.
        cause: u16,
    },
    /// The peer's user protocol above SCTP (RFC 5061 §4.2.6).
    PeerAdaptation {
        /// The number, on whose meaning users agree.
        indication: u32,
    },
    /// Something about keys changed.
    Authentication(AuthenticationChange),
    /// Something about the protection of packets changed.
    Protection(ProtectionChange),
    /// The peer wants to close: it sends nothing new, and neither can we (RFC 9260 §9.2).
    PeerShutdown,
    /// The association is gone; its id means nothing from here on.
    Closed {
        /// The reason.
        reason: CloseReason,
        /// Complete messages that were not yet read, in order of delivery.
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
    /// The peer has this address, too, which it has yet to prove (RFC 5061), or has it again after
    /// a restart.
    Added,
    /// The peer has this address no longer (RFC 5061, or since a restart).
    Removed,
}

/// The progress of a failed message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SendFailure {
    /// No part of it was put on the network.
    Unsent,
    /// Part or all of it was sent and not acknowledged.
    Unacknowledged,
}

/// The reason why an association ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// Both ends agreed; all data was acknowledged (SHUTDOWN COMPLETE).
    Graceful,
    /// This end aborted it.
    Aborted,
    /// The peer aborted it (RFC 9260 §9.1).
    AbortedByPeer {
        /// The first cause code in the ABORT, if it had one.
        cause: Option<u16>,
        /// That cause's opaque value, a text as a rule, at most 256 bytes.
        detail: Bytes,
        /// The causes as they stand in the ABORT, at most 1024 bytes: those that do not fit are left
        /// out, and of a first one that does not fit are the first 256.
        causes: Bytes,
    },
    /// The peer broke the protocol and was sent an ABORT.
    PeerFault {
        /// The cause code that we sent.
        cause: u16,
        /// The broken rule, in words.
        rule: &'static str,
    },
    /// No answer: Max.Init.Retransmits or Association.Max.Retrans was exceeded (COMMUNICATION
    /// LOST).
    TimedOut,
    /// The peer's cookie was stale and could not be refreshed (RFC 9260 §5.2.6).
    StaleCookie,
    /// The association was exported, and goes on elsewhere. The engine says nothing of it; whoever
    /// keeps handles to associations does.
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
            Self::Exported => f.write_str("it was exported and goes on elsewhere"),
        }
    }
}

/// Every reason but [`Graceful`](CloseReason::Graceful) tells of a failure.
impl core::error::Error for CloseReason {}

/// Events waiting beyond which those that a peer can cause at will are no longer taken in.
const MAX_IDLE_EVENTS: usize = 1024;

/// Events of all associations, in the order in which they happened.
#[derive(Clone, Debug, Default)]
pub(crate) struct Events {
    waiting: VecDeque<(AssocId, Event)>,
}

impl Events {
    pub(crate) fn push(&mut self, id: AssocId, event: Event) {
        self.waiting.push_back((id, event));
    }

    /// For events that tell nothing the user must know: dropped when the user does not look.
    pub(crate) fn push_if_room(&mut self, id: AssocId, event: Event) {
        if self.waiting.len() < MAX_IDLE_EVENTS {
            self.push(id, event);
        }
    }

    pub(crate) fn pop(&mut self) -> Option<(AssocId, Event)> {
        self.waiting.pop_front()
    }
}
